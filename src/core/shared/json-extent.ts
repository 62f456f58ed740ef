import { walkJson, type JsonVisitor } from './walk-json.ts';

/**
 * Deepest nesting of objects and arrays (docs/contract.md#bodies): what is deeper breaks whoever
 * walks it.
 */
export const DEPTH_MAX = 64;
/** Most elements of arrays and members of objects, all together (docs/decisions/0018). */
export const MEMBERS_MAX = 100_000;
/**
 * As messages say it. Not by `toLocaleString`, which loads the locales of Node: 9 ms of a cold
 * start.
 */
export const MEMBERS_MAX_TEXT = `${String(MEMBERS_MAX / 1_000)},000 elements and members`;

/** A JSON text nests deeper, or holds more, than it may. */
export class JsonExtentError extends Error {
  readonly exceeds: 'depth' | 'members';

  constructor(exceeds: 'depth' | 'members') {
    super(`JSON exceeds its ${exceeds}`);
    this.name = 'JsonExtentError';
    this.exceeds = exceeds;
  }
}

interface Limits {
  readonly membersMax?: number;
  readonly depthMax?: number;
  /** Visits the same text, while it stays within the limits. */
  readonly also?: JsonVisitor;
}

/** Counts while a text is walked, before anything is made of it. */
class Extent implements JsonVisitor {
  readonly #limits: Required<Limits>;

  #depth = 0;

  /** Elements and members; -1 before the value itself. */
  members = -1;

  constructor(limits: Required<Limits>) {
    this.#limits = limits;
  }

  open(isObject: boolean): void {
    this.#count();
    this.#depth += 1;
    if (this.#depth > this.#limits.depthMax) throw new JsonExtentError('depth');
    this.#limits.also.open(isObject);
  }

  close(): void {
    this.#depth -= 1;
    this.#limits.also.close();
  }

  name(start: number, end: number, isEscaped: boolean): void {
    // Counted with its value.
    this.#limits.also.name(start, end, isEscaped);
  }

  scalar(start: number, end: number, isEscaped: boolean): void {
    this.#count();
    this.#limits.also.scalar(start, end, isEscaped);
  }

  #count(): void {
    this.members += 1;
    if (this.members > this.#limits.membersMax) throw new JsonExtentError('members');
  }
}

const ignore = (): void => undefined;
const NO_VISITOR: JsonVisitor = { open: ignore, close: ignore, name: ignore, scalar: ignore };

/**
 * How many elements and members a JSON text holds. Throws {@link JsonExtentError}, and a
 * `SyntaxError` for what is not JSON; it reads no further than to what is wrong.
 */
export function membersOf(
  text: string,
  { membersMax = MEMBERS_MAX, depthMax = DEPTH_MAX, also = NO_VISITOR }: Limits = {},
): number {
  const extent = new Extent({ membersMax, depthMax, also });
  walkJson(text, extent);
  return extent.members;
}

/** Not even a text without members fits. */
const SPENT = -1;

/** What several JSON texts may hold together. */
export class MembersAllowance {
  #left: number;

  constructor(most = MEMBERS_MAX) {
    this.#left = most;
  }

  /**
   * Throws {@link JsonExtentError} for a text that holds more than is left, and for any after that.
   */
  take(text: string): void {
    const left = this.#left;
    this.#left = SPENT;
    this.#left = left - membersOf(text, { membersMax: left, depthMax: Infinity });
  }
}
