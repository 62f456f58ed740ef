import { machinePlatform } from '../../src/adapters/machine-platform.ts';

const { clock, random, startTimer } = machinePlatform;

it('the clock has the time of the machine', () => {
  const before = Date.now();
  const now = clock();
  expect([before <= now, now <= Date.now()]).toEqual([true, true]);
});

describe('random values', () => {
  it('are as many bytes as requested, and differ each time', () => {
    const drawn = [random.bytes(16), random.bytes(16)];
    expect(drawn.map(({ length }) => length)).toEqual([16, 16]);
    expect(drawn[0]).not.toEqual(drawn[1]);
  });

  it('fill only the requested part of a buffer', () => {
    const buffer = Buffer.alloc(40);
    random.fill(buffer, 4, 32);
    expect([buffer.subarray(0, 4), buffer.subarray(36)]).toEqual([Buffer.alloc(4), Buffer.alloc(4)]);
    expect(buffer.subarray(4, 36)).not.toEqual(Buffer.alloc(32));
  });

  it('are integers below a bound, fractions below 1, and UUIDs of version 4', () => {
    const integers = new Set(Array.from({ length: 200 }, () => random.integer(3)));
    expect([...integers].toSorted()).toEqual([0, 1, 2]);
    const fraction = random.fraction();
    expect(fraction).toBeGreaterThanOrEqual(0);
    expect(fraction).toBeLessThan(1);
    expect(random.uuid()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });
});

it('a timer calls back once, and not at all after it was cancelled', async () => {
  const ends: string[] = [];
  startTimer(1, () => ends.push('first'));
  startTimer(1, () => ends.push('cancelled'))();
  // A timer that ends later finds what the earlier ones have done.
  await new Promise<void>((resolve) => void startTimer(5, resolve));
  expect(ends).toEqual(['first']);
});
