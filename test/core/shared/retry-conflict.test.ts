import { retryConflict } from '../../../src/core/shared/retry-conflict.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

/** Runs attempts that conflict, of a duration in ms each. Returns how many there were. */
async function attemptsOf(durationMs: number): Promise<number> {
  let now = 0;
  let attempts = 0;
  const platform = {
    ...machinePlatform,
    clock: () => now,
    pause: () => Promise.resolve(),
  };
  const conflicting = retryConflict(platform, () => {
    now += durationMs;
    attempts += 1;
    return Promise.resolve('conflict');
  });
  await expect(conflicting).rejects.toMatchObject({ code: 'conflict' });
  return attempts;
}

describe('a write that conflicts with others', () => {
  it('is attempted 40 times', async () => {
    expect(await attemptsOf(10)).toBe(40);
  });

  it('ends long before the function does if its attempts are slow', async () => {
    expect(await attemptsOf(3_000)).toBe(4);
  });

  it('is attempted again after a slow conflict, which may be with its own write', async () => {
    expect(await attemptsOf(9_000)).toBe(2);
  });
});
