import type { core } from 'zod/mini';
import type { FieldReporter } from '../core/shared/field-reporter.ts';
import { isJsonObject, jsonObject, type Json } from '../core/shared/json.ts';
import { normalized, shownName } from '../core/shared/known-names.ts';
import { memberPath } from '../core/shared/member-path.ts';
import { innerSchemas, type InnerSchemas } from './inner-schemas.ts';
import { restrictionInside, restrictionOf } from './restricting-names.ts';

/*
 * Reads the members of a body for `clientCompatibility: lenient` (docs/lenient.md#spelling), in any
 * spelling. Unknown members are ignored, or refused if restricting-names.ts has their kind.
 */

/** Most ignored members of a body, each of which is compared with all names. */
export const IGNORED_MAX = 100;
/** Most names inside the ignored members of a body. */
const INSIDE_MAX = 1_000;

/** The message about a name that is no member; `undefined` if the member may be ignored. */
function refusalOf(name: string, value: unknown, known: readonly string[]): string | undefined {
  const restriction = restrictionOf(name, value, known);
  if (restriction === undefined) return undefined;
  return restriction.meant === undefined
    ? 'is not read here, and would restrict; leave it out'
    : `is not known; did you mean \`${restriction.meant}\`?`;
}

type Members = Extract<InnerSchemas, { kind: 'object' }>['shape'];

/** The members of an object schema, which are found by any spelling. */
interface Names {
  readonly all: readonly string[];
  readonly bySpelling: ReadonlyMap<string, string>;
}

/**
 * Cached names of each shape, since each element of a list may have an object of the same schema.
 */
const namesOfShapes = new WeakMap<Members, Names>();

function namesOf(shape: Members): Names {
  const known = namesOfShapes.get(shape);
  if (known !== undefined) return known;
  const all = Object.keys(shape);
  const bySpelling = new Map(all.toReversed().map((name) => [normalized(name), name]));
  namesOfShapes.set(shape, { all, bySpelling });
  return { all, bySpelling };
}

/** Reads one body, and counts the members that it ignores. */
class Reading {
  readonly #root: string;

  readonly #fields: FieldReporter;

  #ignored = 0;

  #inside = 0;

  constructor(root: string, fields: FieldReporter) {
    this.#root = root === '' ? 'body' : root;
    this.#fields = fields;
  }

  get #isFull(): boolean {
    return !this.#fields.hasRoom || this.#ignored > IGNORED_MAX || this.#inside > INSIDE_MAX;
  }

  /** Renames the members of a value, and of the values inside it, as the schema has them. */
  read(schema: core.$ZodType, value: unknown, path: string): unknown {
    if (typeof value !== 'object' || value === null || this.#isFull) return value;
    const inner = innerSchemas(schema);
    switch (inner.kind) {
      case 'leaf':
        return value;
      case 'same':
        return inner.schemas.reduce<unknown>((each, part) => this.read(part, each, path), value);
      case 'array':
        return this.#readArray(inner, value, path);
      case 'object':
        return this.#readObject(inner.shape, value, path);
    }
  }

  #readArray(
    { element, most }: Extract<InnerSchemas, { kind: 'array' }>,
    value: object,
    path: string,
  ): unknown {
    // The schema rejects a longer list before it reads an element.
    if (!Array.isArray(value) || value.length > most) return value;
    return (value as readonly unknown[]).map((each, index) =>
      this.read(element, each, memberPath(path, index)),
    );
  }

  #readObject(shape: Members, value: object, path: string): unknown {
    if (!isJsonObject(value)) return value;
    const { all, bySpelling } = namesOf(shape);
    const sent = new Map<string, string>();
    const members: (readonly [string, Json])[] = [];
    for (const name of Object.keys(value)) {
      if (this.#isFull) return value;
      const member = value[name] ?? null;
      const known = Object.hasOwn(shape, name) ? name : bySpelling.get(normalized(name));
      const at = memberPath(path, shownName(name));
      if (known === undefined) {
        this.#ignore(at, member, refusalOf(name, member, all));
        continue;
      }
      const spelling = normalized(known);
      const other = sent.get(spelling);
      if (other !== undefined)
        this.#fields.report(at, `is another spelling of \`${shownName(other)}\`; send one of them`);
      sent.set(spelling, name);
      const inner = shape[known];
      const read = inner === undefined ? member : this.read(inner, member, memberPath(path, known));
      members.push([known, read as Json]);
    }
    return jsonObject(members);
  }

  #ignore(path: string, value: unknown, refusal: string | undefined): void {
    this.#ignored += 1;
    if (refusal === undefined) this.#search(path, value);
    else this.#fields.report(path, refusal);
    if (this.#ignored > IGNORED_MAX || this.#inside > INSIDE_MAX)
      this.#fields.report(this.#root, TOO_MANY_IGNORED);
  }

  /** Reports a restricting member inside an ignored value, such as `options.expires_at`. */
  #search(path: string, value: unknown): void {
    const isLeft = () => (this.#inside += 1) <= INSIDE_MAX;
    const inside = restrictionInside(value, isLeft);
    if (inside === undefined) return;
    const at = inside.reduce<string>(
      (place, each) => memberPath(place, typeof each === 'string' ? shownName(each) : each),
      path,
    );
    this.#fields.report(at, 'is not read here, and would restrict; leave it out');
  }
}

const TOO_MANY_IGNORED = `has more than ${String(IGNORED_MAX)} members that are not known, or more than ${String(INSIDE_MAX)} inside them`;

/**
 * A body with the names of its schema. A member is read in any spelling (camel case, upper case,
 * dashes), and unknown members are left out. Reports unknown members that seem to restrict, and a
 * member in two spellings.
 */
export function inKnownSpelling(
  schema: core.$ZodType,
  value: unknown,
  path: string,
  fields: FieldReporter,
): unknown {
  return new Reading(path, fields).read(schema, value, path);
}

/**
 * Reports members of a body that restrict something, although the operation does not read the body.
 */
export function reportRestricting(value: unknown, fields: FieldReporter): void {
  if (!isJsonObject(value)) return;
  const names = Object.keys(value);
  for (const name of names.slice(0, IGNORED_MAX))
    if (restrictionOf(name, value[name], []) !== undefined)
      fields.report(shownName(name), 'is not read by this operation, and would restrict; leave it out');
  if (names.length > IGNORED_MAX) fields.report('body', TOO_MANY_IGNORED);
}
