import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { seeded } from './seeded.ts';

const some = (seed: string) => {
  const draws = seeded(seed);
  return [
    draws.bytes(7).toString('hex'),
    draws.uuid(),
    draws.integer(1_000),
    draws.fraction(),
    draws.chance(0.5),
  ];
};

it('the same seed draws the same values, and any other seed other values', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(some(one)).toEqual(some(one));
      expect(JSON.stringify(some(one)) === JSON.stringify(some(other))).toBe(one === other);
    }),
    { numRuns: cases(50) },
  );
});

it('a fork does not depend on what was drawn before it', () => {
  const fresh = seeded('s');
  const used = seeded('s');
  used.bytes(100);
  expect(used.fork('f').uuid()).toBe(fresh.fork('f').uuid());
  expect(used.fork('g').uuid()).not.toBe(fresh.fork('f').uuid());
});

it('draws are within their bounds, and about even', () => {
  const draws = seeded('even');
  const counts = [0, 0, 0, 0, 0];
  for (let drawn = 0; drawn < 5_000; drawn += 1) {
    const number = draws.integer(5);
    counts[number] = (counts[number] ?? NaN) + 1;
    expect(draws.between(2, 3)).toBeGreaterThanOrEqual(2);
    expect(draws.fraction()).toBeLessThan(1);
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  expect(draws.uuid()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(draws.bytes(5)).toHaveLength(5);
  expect(() => draws.pick([])).toThrow('nothing to pick from');
});
