import { invalidMembers, type FieldErrors } from './service-error.ts';

/** What a caller is told at the most: enough to mend a request, and never an answer as large as the request. */
const PATHS_MAX = 100;
const MESSAGES_MAX = 10;
const PATH_MAX_LENGTH = 500;

/** Collects what is wrong with a request, member by member, so that a caller learns of everything at once. */
export class FieldReporter {
  // Paths are the caller's: one named `constructor` is a path like any other.
  readonly #errors = Object.create(null) as Record<string, string[]>;

  #paths = 0;

  readonly report = (path: string, message: string): void => {
    const key = path.slice(0, PATH_MAX_LENGTH);
    const messages = this.#errors[key];
    if (messages !== undefined) {
      if (messages.length < MESSAGES_MAX && !messages.includes(message)) messages.push(message);
    } else if (this.#paths < PATHS_MAX) {
      this.#paths += 1;
      this.#errors[key] = [message];
    }
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
