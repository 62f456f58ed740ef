import type { core } from 'zod/mini';
import type { FieldReporter } from '../core/shared/field-reporter.ts';
import { isJsonObject, jsonObject, type Json } from '../core/shared/json.ts';
import { nearestName, normalized, shownName } from '../core/shared/known-names.ts';
import { memberPath } from '../core/shared/member-path.ts';
import { innerSchemas, type InnerSchemas } from './inner-schemas.ts';

/*
 * How `clientCompatibility: lenient` reads the members of a body (docs/lenient.md#spelling). It may
 * ignore members, but never one that restricts: such a member is read in any spelling, or refused.
 */

/** Members that narrow a right or a life. A similar name that is no member is refused. */
export const RESTRICTING: ReadonlySet<string> = new Set([
  'attribute',
  'conditions',
  'container',
  'containers',
  'deduplicate_token',
  'deduplicate_tokens',
  'expires_at',
  'mask',
  'operator',
  'permissions',
  'priority',
  'query',
  'rules',
  'settings',
  'timeout_ms',
  'transform',
  'value',
]);

/**
 * Names that restrict wherever they are sent: where an operation has no such member, or only one of
 * another name, they are refused. The others above are ordinary words.
 */
const REFUSED_NAMES = [
  ...['conditions', 'container', 'containers', 'deduplicate_token', 'deduplicate_tokens', 'expires_at'],
  ...['mask', 'permissions', 'rules', 'transform'],
  // Of other services.
  ...['expiration', 'expires', 'expires_in', 'expiry', 'impact_level', 'privacy', 'restriction_policy'],
  ...['time_to_live', 'transforms', 'ttl', 'valid_until'],
];
const REFUSED: ReadonlySet<string> = new Set(REFUSED_NAMES.map(normalized));

/** Longest name that is compared: a longer one is no spelling of a member. */
const COMPARED_MAX_LENGTH = 64;
/** Most ignored members of a body: each is compared with all names. */
export const IGNORED_MAX = 100;

const spellingOf = (name: string): string => (name.length > COMPARED_MAX_LENGTH ? name : normalized(name));

/** The message about a name that is no member; `undefined` if the member may be ignored. */
function refusalOf(name: string, value: unknown, known: readonly string[]): string | undefined {
  const near = nearestName(name, known);
  if (near !== undefined && RESTRICTING.has(near)) return `is not known; did you mean \`${near}\`?`;
  // Without a value it restricts nothing.
  if (value === null || !REFUSED.has(spellingOf(name))) return undefined;
  return 'is not read here, and would restrict; leave it out';
}

/** Reads one body, and counts the members that it ignores. */
class Reading {
  readonly #root: string;

  readonly #fields: FieldReporter;

  #ignored = 0;

  constructor(root: string, fields: FieldReporter) {
    this.#root = root === '' ? 'body' : root;
    this.#fields = fields;
  }

  get #isFull(): boolean {
    return !this.#fields.hasRoom || this.#ignored > IGNORED_MAX;
  }

  /** The value with the names of the schema. */
  read(schema: core.$ZodType, value: unknown, path: string): unknown {
    if (typeof value !== 'object' || value === null || this.#isFull) return value;
    const inner = innerSchemas(schema);
    switch (inner.kind) {
      case 'leaf':
        return value;
      case 'same':
        return inner.schemas.reduce<unknown>((each, part) => this.read(part, each, path), value);
      case 'array':
        return this.#readArray(inner.element, value, path);
      case 'object':
        return this.#readObject(inner.shape, value, path);
    }
  }

  #readArray(element: core.$ZodType, value: object, path: string): unknown {
    if (!Array.isArray(value)) return value;
    return (value as readonly unknown[]).map((each, index) =>
      this.read(element, each, memberPath(path, index)),
    );
  }

  #readObject(
    shape: Extract<InnerSchemas, { kind: 'object' }>['shape'],
    value: object,
    path: string,
  ): unknown {
    if (!isJsonObject(value)) return value;
    const names = Object.keys(shape);
    const bySpelling = new Map(names.toReversed().map((name) => [normalized(name), name]));
    const sent = new Map<string, string>();
    const members: (readonly [string, Json])[] = [];
    for (const name of Object.keys(value)) {
      if (this.#isFull) return value;
      const member = value[name] ?? null;
      const known = Object.hasOwn(shape, name) ? name : bySpelling.get(spellingOf(name));
      const at = memberPath(path, shownName(name));
      if (known === undefined) {
        this.#ignore(at, refusalOf(name, member, names));
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

  #ignore(path: string, refusal: string | undefined): void {
    this.#ignored += 1;
    if (refusal !== undefined) this.#fields.report(path, refusal);
    if (this.#ignored > IGNORED_MAX) this.#fields.report(this.#root, TOO_MANY_IGNORED);
  }
}

const TOO_MANY_IGNORED = `has more than ${String(IGNORED_MAX)} members that are not known`;

/**
 * A body with the names of its schema: a member is read in any spelling (camel case, upper case,
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

/** Reports members that restrict in a body that the operation does not read. */
export function reportRestricting(value: unknown, fields: FieldReporter): void {
  if (!isJsonObject(value)) return;
  const names = Object.keys(value);
  for (const name of names.slice(0, IGNORED_MAX))
    if (value[name] !== null && nearestName(name, REFUSED_NAMES) !== undefined)
      fields.report(shownName(name), 'is not read by this operation, and would restrict; leave it out');
  if (names.length > IGNORED_MAX) fields.report('body', TOO_MANY_IGNORED);
}
