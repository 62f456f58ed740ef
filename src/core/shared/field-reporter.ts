import { pathText, PATH_MAX_LENGTH, type LazyPath } from './member-path.ts';
import { invalidMembers, type FieldErrors, type ServiceError } from './service-error.ts';

/**
 * Most paths in an error response. They are enough to correct a request, and far smaller than a
 * large request.
 */
export const PATHS_MAX = 100;
const MESSAGES_MAX = 10;
/**
 * Upper bound of counted problems, so that a hostile body cannot make validation expensive.
 * Problems that share a path or are not shown also count.
 */
const PROBLEMS_MAX = 1_000;

/**
 * Most expressions in one request. The 100 tokens that a request may name need far fewer. Each
 * expression uses memory until the response.
 */
export const EXPRESSIONS_MAX = 10_000;
export const TOO_MANY_EXPRESSIONS = `makes it more than ${String(EXPRESSIONS_MAX)} expressions in one request`;

/**
 * Reports a problem. `path` is the path in the request (`data.number`); `message` never has any of
 * the value.
 */
export type Report = (path: string, message: string) => void;

/**
 * Collects the problems of a request, member by member, so that the caller sees all of them
 * together.
 */
export class FieldReporter {
  // Paths come from the caller, and one may be `constructor`.
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

  /** Adds errors that were found elsewhere. */
  add(errors: FieldErrors): void {
    for (const [path, messages] of Object.entries(errors))
      for (const message of messages) this.report(path, message);
  }

  get failed(): boolean {
    return this.#paths > 0;
  }

  /** Whether the response has room for another path. */
  get hasRoom(): boolean {
    return this.#paths < PATHS_MAX;
  }

  /**
   * Whether there are so many problems that further checks only cost time. No caller corrects a
   * hundred members from one response.
   */
  get isFull(): boolean {
    return this.#problems >= PROBLEMS_MAX || this.#expressions > EXPRESSIONS_MAX;
  }

  /** Counts the expressions of a request, and reports once there are too many. */
  countExpressions(path: LazyPath, count: number): void {
    this.#expressions += count;
    if (this.#expressions > EXPRESSIONS_MAX) this.report(pathText(path), TOO_MANY_EXPRESSIONS);
  }

  /** Throws `validation_failed` with all reported problems, if there are any. */
  throwIfFailed(): void {
    if (this.failed) throw this.error();
  }

  /** The reported problems as a `validation_failed` error. */
  error(): ServiceError {
    return invalidMembers(this.#errors);
  }
}
