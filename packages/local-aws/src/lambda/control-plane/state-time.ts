/** The time in which functions become Active and updates are done. */
export interface StateTime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls a function once the time is past a moment. */
  after(ms: number, task: () => void): void;
}

export const machineTime: StateTime = {
  now: () => Date.now(),
  after: (ms, task) => {
    setTimeout(task, ms - Date.now() + 1).unref();
  },
};
