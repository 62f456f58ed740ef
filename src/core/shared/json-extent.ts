import { walkJson, type JsonVisitor } from './walk-json.ts';

/**
 * Deepest nesting of objects and arrays that is accepted (docs/contract.md#bodies). Deeper nesting
 * breaks recursive code.
 */
export const DEPTH_MAX = 64;
/** Most elements of arrays and members of objects together (docs/decisions/0018). */
export const MEMBERS_MAX = 100_000;
/**
 * The number as messages show it. `toLocaleString` would load the locales of Node, which takes 9 ms
 * of a cold start.
 */
export const MEMBERS_MAX_TEXT = `${String(MEMBERS_MAX / 1_000)},000 elements and members`;

/** Reports a JSON text that exceeds the limit of depth or of members. */
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
  /** Another visitor of the same text, while it is within the limits. */
  readonly also?: JsonVisitor;
}

/** Counts during a walk, before any value is built. */
class Extent implements JsonVisitor {
  readonly #limits: Required<Limits>;

  #depth = 0;

  /** Number of elements and members; -1 before the outermost value. */
  members = -1;

  constructor(limits: Required<Limits>) {
    this.#limits = limits;
  }

  open(isObject: boolean, start: number): void {
    this.#count();
    this.#depth += 1;
    if (this.#depth > this.#limits.depthMax) throw new JsonExtentError('depth');
    this.#limits.also.open(isObject, start);
  }

  close(end: number): void {
    this.#depth -= 1;
    this.#limits.also.close(end);
  }

  name(start: number, end: number, isEscaped: boolean): void {
    // The member is counted with its value.
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
 * The number of elements and members in a JSON text. Throws {@link JsonExtentError}, and a
 * `SyntaxError` for a text that is not JSON; it reads only up to the first error.
 */
export function membersOf(
  text: string,
  { membersMax = MEMBERS_MAX, depthMax = DEPTH_MAX, also = NO_VISITOR }: Limits = {},
): number {
  const extent = new Extent({ membersMax, depthMax, also });
  walkJson(text, extent);
  return extent.members;
}

/** No text fits any more, not even one without members. */
const SPENT = -1;

/** The members that several JSON texts may have together. */
export class MembersAllowance {
  #left: number;

  constructor(most = MEMBERS_MAX) {
    this.#left = most;
  }

  /**
   * Throws {@link JsonExtentError} for a text with more members than are left, and for every later
   * text.
   */
  take(text: string): void {
    const left = this.#left;
    this.#left = SPENT;
    this.#left = left - membersOf(text, { membersMax: left, depthMax: Infinity });
  }
}
