/** Stores elements in the order of a comparison, in which no two are equal. */
export class SortedItems<T> {
  readonly #compare: (a: T, b: T) => number;
  #elements: T[];

  constructor(compare: (a: T, b: T) => number, elements: T[] = []) {
    this.#compare = compare;
    this.#elements = elements;
  }

  get all(): readonly T[] {
    return this.#elements;
  }

  /** The index of the first element for which `isBefore` is false. */
  firstNot(isBefore: (element: T) => boolean): number {
    let low = 0;
    let high = this.#elements.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#elements[middle] as T)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Replaces the element that compares as equal. */
  put(element: T): void {
    const at = this.firstNot((other) => this.#compare(other, element) < 0);
    const found = this.#elements[at];
    const isSame = found !== undefined && this.#compare(found, element) === 0;
    this.#elements.splice(at, isSame ? 1 : 0, element);
  }

  remove(element: T): void {
    const at = this.firstNot((other) => this.#compare(other, element) < 0);
    const found = this.#elements[at];
    if (found !== undefined && this.#compare(found, element) === 0) this.#elements.splice(at, 1);
  }

  copy(): SortedItems<T> {
    return new SortedItems(this.#compare, [...this.#elements]);
  }
}
