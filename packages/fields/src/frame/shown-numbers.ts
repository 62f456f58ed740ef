import { isLongest, isUsual, shownDigits } from './kinds/card-number.ts';

/** Remembers what left a field since it was empty: for a request, or as BIN and last four. */
export class ShownNumbers {
  readonly #contents = new Set<string>();
  #hasReported = false;
  #isSent = false;

  add(content: string): void {
    this.#contents.add(content);
  }

  /**
   * Whether a beginning of the number left the field, or the number is the beginning of one that
   * did. A page that sends a number again and again while it is typed would see the last digits of
   * each under a mask, and the last four of another one as well.
   */
  hasGrown(content: string): boolean {
    return [...this.#contents].some(
      (each) => each !== content && (each.startsWith(content) || content.startsWith(each)),
    );
  }

  /** BIN and last four, once for a number that no longer one can follow. */
  digitsToShow(text: string, content: string, isLeft: boolean) {
    if (this.#hasReported || !isUsual(text) || !(isLeft || isLongest(text))) return {};
    this.#hasReported = true;
    this.add(content);
    return shownDigits(text);
  }

  clear(): void {
    this.#hasReported = false;
    this.#contents.clear();
  }

  /** A request with the content succeeded: another number may follow once the page clears it. */
  sent(): void {
    this.#isSent = true;
  }

  /**
   * A page clears the field. If it could do that before a request succeeded, it could empty the
   * field after each digit, and have a number shown in parts.
   */
  clearSent(): void {
    if (this.#isSent) this.clear();
    this.#isSent = false;
  }
}
