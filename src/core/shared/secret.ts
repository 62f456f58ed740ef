import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/**
 * Plaintext that appears as `[secret]` when it is printed, interpolated, serialized or inspected. A
 * test compares the call sites of {@link reveal} with the docs
 * (docs/security.md#where-plaintext-is-opened).
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
