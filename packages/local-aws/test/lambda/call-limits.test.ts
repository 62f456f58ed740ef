import { createCallLimits } from '../../src/lambda/call-limits.ts';

/** How many of a number of calls pass. */
function passing(calls: number, take: () => void): number {
  let passed = 0;
  for (let call = 0; call < calls; call += 1)
    try {
      take();
      passed += 1;
    } catch {
      // Rejected.
    }
  return passed;
}

it('passes 15 calls of the control plane a second, and counts GetFunction separately', () => {
  let now = 0;
  const limits = createCallLimits(() => now);
  const control = () => {
    limits.take('control');
  };
  expect(passing(25, control)).toBe(15);
  expect(passing(200, () => limits.take('read'))).toBe(100);
  expect(passing(25, () => limits.take('none'))).toBe(25);
  now = 200;
  expect(passing(25, control)).toBe(3);
  now = 5_000;
  expect(passing(25, control)).toBe(15);
});
