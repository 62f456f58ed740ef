const TICK_MS = 500;
const CLEAR_LINE = '\r\u001b[2K';

export interface Progress {
  /** Shows the current step. */
  readonly step: (text: string) => void;
  /** Clears the line. */
  readonly end: () => void;
}

/**
 * One line about the progress of a start: rewritten with the seconds on a capable terminal,
 * elsewhere one line per step.
 */
export function createProgress(stream: NodeJS.WriteStream): Progress {
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (timer !== undefined) stream.write(CLEAR_LINE);
    clearInterval(timer);
    timer = undefined;
  };
  return {
    step: (text) => {
      end();
      if (!stream.isTTY || process.env['TERM'] === 'dumb') {
        stream.write(`${text} ...\n`);
        return;
      }
      const startedMs = Date.now();
      const show = (): void => {
        stream.write(`${CLEAR_LINE}${text} ... ${String(Math.floor((Date.now() - startedMs) / 1000))} s`);
      };
      show();
      timer = setInterval(show, TICK_MS);
    },
    end,
  };
}
