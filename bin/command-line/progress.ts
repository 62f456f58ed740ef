/** Where a line of progress goes. Without a terminal there is none. */
export interface ProgressSurroundings {
  readonly printError: (text: string) => void;
  /** Whether standard error goes to a person. */
  readonly isErrorTerminal?: boolean;
  /** In ms. */
  readonly clock?: () => number;
}

export interface Progress {
  /**
   * Shows how many are done, at most five times a second.
   *
   * @param share - of the whole, from 0 to 1, where it is known
   */
  readonly at: (done: number, share?: number) => void;
  /** Clears the line. */
  readonly end: () => void;
}

const BETWEEN_MS = 200;
const CLEAR_LINE = '\r\u001b[2K';
const BAR_CELLS = 20;

const counted = (count: number): string => count.toLocaleString('en-US');

function barOf(share: number): string {
  const full = Math.round(share * BAR_CELLS);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_CELLS - full)}] ${String(Math.floor(share * 100))} %`;
}

/** The time that is left, in seconds, minutes or hours. */
function leftOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${String(seconds)} s left`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${String(minutes)} min left` : `${String(Math.ceil(minutes / 60))} h left`;
}

function lineOf(what: string, done: number, share: number | undefined, ms: number): string {
  const rate = ms > 0 ? Math.round((done * 1000) / ms) : 0;
  const parts = [`${counted(done)} ${what}`, `${counted(rate)}/s`];
  if (share === undefined || share <= 0) return parts.join(', ');
  const whole = Math.min(share, 1);
  return `${barOf(whole)}  ${[...parts, leftOf((ms * (1 - whole)) / whole)].join(', ')}`;
}

/** A line with a bar, a rate and the time left, rewritten on a terminal. */
export function createProgress(
  { printError, isErrorTerminal = false, clock = Date.now }: ProgressSurroundings,
  what: string,
): Progress {
  if (!isErrorTerminal) return { at: () => undefined, end: () => undefined };
  const startedAt = clock();
  let shownAt = -Infinity;
  return {
    at: (done, share) => {
      const now = clock();
      if (now - shownAt < BETWEEN_MS) return;
      shownAt = now;
      printError(`${CLEAR_LINE}${lineOf(what, done, share, now - startedAt)}`);
    },
    end: () => {
      if (shownAt >= startedAt) printError(CLEAR_LINE);
    },
  };
}
