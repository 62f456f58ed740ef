import { EXPRESSIONS_MAX } from '../shared/field-reporter.ts';
import { shownName } from '../shared/known-names.ts';
import { memberPath, PATH_MAX_LENGTH } from '../shared/member-path.ts';
import { parseJson } from '../shared/parse-json.ts';
import { walkJson, type JsonVisitor } from '../shared/walk-json.ts';

/** Places below this depth get the path of the object or array at it. */
const DEPTH_MAX = 1_000;

/** An object or array that contains the current position. */
interface ParentValue {
  readonly path: string;
  readonly isObject: boolean;
  /** The name of the current member, or the index of the current element. */
  member: string | number;
}

/** Finds the paths of strings in a JSON text. It stores only the paths that `isWanted` accepts. */
class PathFinder implements JsonVisitor {
  readonly found = new Map<number, string>();

  readonly #text: string;

  readonly #root: string;

  readonly #isWanted: (literal: string) => boolean;

  readonly #around: ParentValue[] = [];

  /** Number of open objects and arrays that are too deep for {@link ParentValue}. */
  #beyond = 0;

  constructor(text: string, root: string, isWanted: (literal: string) => boolean) {
    this.#text = text;
    this.#root = root;
    this.#isWanted = isWanted;
  }

  open(isObject: boolean): void {
    const path = this.#next();
    if (this.#around.length === DEPTH_MAX) this.#beyond += 1;
    else this.#around.push({ path, isObject, member: -1 });
  }

  close(): void {
    if (this.#beyond > 0) this.#beyond -= 1;
    else this.#around.pop();
  }

  name(start: number, end: number): void {
    const inside = this.#around.at(-1);
    if (inside === undefined || this.#beyond > 0) return;
    const name = parseJson(this.#text.slice(start, end));
    if (typeof name === 'string') inside.member = shownName(name);
  }

  scalar(start: number, end: number): void {
    const path = this.#next();
    if (this.found.size > EXPRESSIONS_MAX || !this.#isWanted(this.#text.slice(start, end))) return;
    this.found.set(start, path);
  }

  /** The path of the value that comes next. */
  #next(): string {
    const inside = this.#around.at(-1);
    if (inside === undefined) return this.#root;
    if (this.#beyond > 0) return inside.path;
    if (!inside.isObject && typeof inside.member === 'number') inside.member += 1;
    return inside.path.length > PATH_MAX_LENGTH ? inside.path : memberPath(inside.path, inside.member);
  }
}

/**
 * The path of the string that starts at a position of a JSON text, below `root`. The text is walked
 * once, at the first call, because only errors need a path.
 */
export function jsonPaths(
  text: string,
  root: string,
  isWanted: (literal: string) => boolean,
): (start: number) => string {
  let found: ReadonlyMap<number, string> | undefined;
  return (start) => {
    if (found === undefined) {
      const finder = new PathFinder(text, root, isWanted);
      walkJson(text, finder);
      found = finder.found;
    }
    return found.get(start) ?? root;
  };
}
