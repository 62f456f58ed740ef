import { withTimeout } from '../../../src/core/shared/platform.ts';

/** Timers that end when the test says so. */
function someTimers() {
  const running = new Map<() => void, number>();
  return {
    waits: () => [...running.values()],
    end() {
      for (const onEnd of running.keys()) {
        running.delete(onEnd);
        onEnd();
      }
    },
    startTimer(ms: number, onEnd: () => void) {
      running.set(onEnd, ms);
      return () => void running.delete(onEnd);
    },
  };
}

describe('work with a timeout', () => {
  it('returns its result, and leaves no timer behind', async () => {
    const timers = someTimers();
    const working = withTimeout(timers, 30, (signal) => Promise.resolve(signal.aborted));
    expect(timers.waits()).toEqual([30]);
    await expect(working).resolves.toBe(false);
    expect(timers.waits()).toEqual([]);
  });

  it('gets a signal that aborts after the time', async () => {
    const timers = someTimers();
    const working = withTimeout(
      timers,
      30,
      (signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('over')))),
    );
    timers.end();
    await expect(working).rejects.toThrow('over');
  });

  it('leaves no timer behind after a failure', async () => {
    const timers = someTimers();
    const failing = withTimeout(timers, 30, () => Promise.reject(new Error('down')));
    await expect(failing).rejects.toThrow('down');
    expect(timers.waits()).toEqual([]);
  });
});
