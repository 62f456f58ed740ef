/** So many stored units before the last one are looked at first. */
const NEAR = 8;
/** How many units have room at first. */
const FIRST_ROOM = 256;

/**
 * Where the units of a decoded text were in its source. It stores those alone that do not follow
 * the one before, or are longer there; all others follow from the last of these. So a text without
 * escape sequences costs nothing.
 */
export class SourcePositions {
  #room = FIRST_ROOM;

  #at = new Int32Array(this.#room);

  #starts = new Int32Array(this.#room);

  #ends = new Int32Array(this.#room);

  /** They count backslashes before, up to a few. */
  #slashes = new Uint8Array(this.#room);

  count = 0;

  clear(): void {
    this.count = 0;
  }

  /** `slashes` is the number of backslashes before it in the source. */
  add(at: number, start: number, end: number, slashes = 0): void {
    if (this.count === this.#room) this.#grow();
    this.#at[this.count] = at;
    this.#starts[this.count] = start;
    this.#ends[this.count] = end;
    this.#slashes[this.count] = slashes;
    this.count += 1;
  }

  #grow(): void {
    this.#room *= 2;
    const larger = <T extends Int32Array | Uint8Array>(array: T, next: T): T => {
      next.set(array);
      return next;
    };
    this.#at = larger(this.#at, new Int32Array(this.#room));
    this.#starts = larger(this.#starts, new Int32Array(this.#room));
    this.#ends = larger(this.#ends, new Int32Array(this.#room));
    this.#slashes = larger(this.#slashes, new Uint8Array(this.#room));
  }

  /** Forgets those from a unit on. */
  cut(at: number): void {
    while (this.count > 0 && (this.#at[this.count - 1] ?? 0) >= at) this.count -= 1;
  }

  /** The number of the last one that is not after a unit; -1 if there is none. */
  #before(at: number): number {
    // Most questions are about the last bytes.
    for (let near = this.count - 1; near >= this.count - NEAR && near >= 0; near -= 1)
      if ((this.#at[near] ?? 0) <= at) return near;
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#at[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  startOf(at: number): number {
    const found = this.#before(at);
    if (found < 0) return at;
    const unit = this.#at[found] ?? 0;
    return unit === at ? (this.#starts[found] ?? 0) : (this.#ends[found] ?? 0) + at - unit - 1;
  }

  endOf(at: number): number {
    const found = this.#before(at);
    return found < 0 ? at + 1 : (this.#ends[found] ?? 0) + at - (this.#at[found] ?? 0);
  }

  slashesBefore(at: number): number {
    const found = this.#before(at);
    return found >= 0 && this.#at[found] === at ? (this.#slashes[found] ?? 0) : 0;
  }
}
