import { seededRandom } from '../../src/faults/seeded-random.ts';

const draws = (seed: number) => Array.from({ length: 1000 }, seededRandom(seed));

it('a seed always draws the same numbers, and another seed others', () => {
  expect(draws(7)).toEqual(draws(7));
  expect(draws(7)).not.toEqual(draws(8));
});

it('draws are spread evenly from 0 to below 1', () => {
  const tenths = new Array<number>(10).fill(0);
  for (const value of draws(1)) tenths[Math.floor(value * 10)] = (tenths[Math.floor(value * 10)] ?? 0) + 1;
  expect(Math.min(...tenths)).toBeGreaterThan(60);
  expect(Math.max(...tenths)).toBeLessThan(140);
});
