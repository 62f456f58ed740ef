/** How far a command is, which is silent otherwise until its end. */
export interface Progress {
  /** A part of the work is done. */
  readonly onDone: (name: string) => void;
  /** Returns the line to show after one more minute. */
  readonly nextMinute: () => string;
}

/** `total` is missing if a time decides how much is done. */
export function createProgress(total: number | undefined): Progress {
  let minutes = 0;
  let done = 0;
  let last = '';
  return {
    onDone: (name) => {
      done += 1;
      last = name;
    },
    nextMinute: () => {
      minutes += 1;
      const of = total === undefined ? '' : ` of ${String(total)}`;
      return `${String(minutes)} min: ${String(done)}${of} done${last === '' ? '' : `, the last one ${last}`}`;
    },
  };
}
