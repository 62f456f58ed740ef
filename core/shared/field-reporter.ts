import { invalidMembers, type FieldErrors } from './service-error.ts';

/** Collects what is wrong with a request, member by member, so that a caller learns of everything at once. */
export class FieldReporter {
  // Paths are the caller's: one named `constructor` is a path like any other.
  readonly #errors = Object.create(null) as Record<string, string[]>;

  readonly report = (path: string, message: string): void => {
    (this.#errors[path] ??= []).push(message);
  };

  /** Takes over errors that were found elsewhere. */
  add(errors: FieldErrors): void {
    for (const [path, messages] of Object.entries(errors))
      for (const message of messages) this.report(path, message);
  }

  get failed(): boolean {
    return Object.keys(this.#errors).length > 0;
  }

  /** Throws `validation_failed` with all that was reported, if anything was. */
  throwIfFailed(): void {
    if (this.failed) throw invalidMembers(this.#errors);
  }
}
