import { PATH_MAX_LENGTH } from './member-path.ts';
import { invalidMembers, type FieldErrors, type ServiceError } from './service-error.ts';

/**
 * What a caller is told at the most: enough to mend a request, and never an answer as large as the
 * request.
 */
export const PATHS_MAX = 100;
const MESSAGES_MAX = 10;
/**
 * Problems that are looked at, also those that share a path or are not told: what is wrong a
 * million times costs no more than this.
 */
const PROBLEMS_MAX = 1_000;

/**
 * Expressions in one request. Far more than the 100 tokens that a request may name need; each costs
 * memory until the answer.
 */
export const EXPRESSIONS_MAX = 10_000;

/** Reports a problem: `path` in the request (`data.number`), `message` without any of the value. */
export type Report = (path: string, message: string) => void;

/**
 * Collects what is wrong with a request, member by member, so that a caller learns of everything at
 * once.
 */
export class FieldReporter {
  // Paths are the caller's: one named `constructor` is a path like any other.
  readonly #errors = Object.create(null) as Record<string, string[]>;

  #paths = 0;

  #problems = 0;

  #expressions = 0;

  readonly report: Report = (path, message) => {
    this.#problems += 1;
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
    return this.#paths > 0;
  }

  /** Whether one more path would be shown. */
  get hasRoom(): boolean {
    return this.#paths < PATHS_MAX;
  }

  /**
   * Whether enough is wrong that looking further would only cost: no caller mends a hundred members
   * from one answer.
   */
  get isFull(): boolean {
    return this.#problems >= PROBLEMS_MAX || this.#expressions > EXPRESSIONS_MAX;
  }

  /** Counts the expressions of a request, and reports once there are too many. */
  countExpressions(path: string, count: number): void {
    this.#expressions += count;
    if (this.#expressions > EXPRESSIONS_MAX)
      this.report(path, `makes it more than ${String(EXPRESSIONS_MAX)} expressions in one request`);
  }

  /** Throws `validation_failed` with all that was reported, if anything was. */
  throwIfFailed(): void {
    if (this.failed) throw this.error();
  }

  /** What was reported, as `validation_failed`. */
  error(): ServiceError {
    return invalidMembers(this.#errors);
  }
}
