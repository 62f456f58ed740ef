import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/**
 * Plaintext as a type. A `Secret` prints, interpolates, serializes and inspects as `[secret]`;
 * {@link reveal} is the only access to the value. `docs/security.md` lists its call sites, and a
 * test compares the list with the code.
 */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** Returns the plaintext. Auditors check every call of this method. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.toPrimitive](): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
