const LOGGED_PER_SECOND = 1_000_000;

/**
 * Forwards a limited amount of output: an endless writer must not fill the disk or the memory.
 * `now` returns milliseconds.
 */
export function limitOutput(
  log: (text: string) => void,
  now: () => number = () => performance.now(),
): (text: string) => void {
  let second = 0;
  let length = 0;
  return (text) => {
    const current = Math.floor(now() / 1000);
    if (current !== second) length = 0;
    second = current;
    length += text.length;
    if (length <= LOGGED_PER_SECOND) log(text);
  };
}
