import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/**
 * Plaintext as a type. A `Secret` prints, interpolates, serialises and inspects as `[secret]`;
 * {@link reveal} is the only door. Its call sites are listed in `docs/security.md`, and a test
 * compares the list with the code.
 */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The plaintext. Every call is a place where an auditor looks. */
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
