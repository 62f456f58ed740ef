/** Less processor time than this, in microseconds, is as good as none. */
const LEAST = 50_000;
/** Four times the input may take so many times the processor time; squared it would be 16. */
const MOST = 12;

/**
 * Expects that the processor time of `run` grows with its input and not with the square of it. A
 * busy machine changes both measurements alike. `run` gets the share of the whole input.
 */
export function expectLinear(run: (share: number) => void): void {
  const [quarter = 0, whole = 0] = [1 / 4, 1].map((share) => {
    const started = process.cpuUsage();
    run(share);
    const { user, system } = process.cpuUsage(started);
    return Math.max(user + system, LEAST);
  });
  expect(whole / quarter).toBeLessThan(MOST);
}
