import * as z from 'zod/mini';
import type { ZodMiniType } from 'zod/mini';
import { NAME_MAX_LENGTH } from '../core/applications/application.ts';
import { defined, type Defined } from '../core/shared/defined.ts';
import { notOneOf } from '../core/shared/known-names.ts';
import { isJsonObject, jsonObject, type Json, type JsonObject } from '../core/shared/json.ts';

/*
 * Parts of schemas that several resources share. The messages of requests are the service's own, so
 * none quotes a value. `override` replaces the JSON Schema of a part in the OpenAPI document.
 */

export const text = z.string({
  error: ({ input }) => (input === undefined ? 'is required' : 'must be a string'),
});

/** An optional member; `null` counts as absent. */
export function optional<T extends ZodMiniType>(
  schema: T,
): z.ZodMiniPipe<z.ZodMiniTransform, z.ZodMiniOptional<T>> {
  return z.pipe(
    z.transform((value: unknown): unknown => value ?? undefined),
    z.optional(schema),
  );
}

/** The limit of a list whose member has no smaller one. */
export const LIST_MAX = 100;

/** A list of at most `most` elements; a longer one is rejected before its elements are checked. */
export function list<T extends ZodMiniType>(element: T, most: number = LIST_MAX) {
  return z
    .array(element, {
      error: ({ input }) => (input === undefined ? 'is required' : 'must be an array'),
    })
    .check(z.maxLength(most, `must be at most ${String(most)}`));
}

/** One of several names. */
export function oneOf<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.enum(names, {
    error: ({ input }) => (input === undefined || input === null ? 'is required' : notOneOf(input, names)),
  });
}

/** The names of a readonly list as the non-empty tuple that a schema needs. */
export function names<Name extends string>(all: readonly Name[]): readonly [Name, ...Name[]] {
  return all as readonly [Name, ...Name[]];
}

/** An object body. report-unknown-members.ts reports members that are not declared. */
export function body<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.object(shape, { error: 'must be a JSON object' });
}

/** Any JSON value. The parser has checked it, so only its presence counts. */
export const json = z
  .custom<Json>((value: unknown) => value !== undefined, { error: 'is required' })
  .check(z.meta({ override: { description: 'Any JSON.' } }));

export const boolean = z.boolean({ error: 'must be true or false' });

/** Most reported invalid entries. */
const WRONG_ENTRIES_MAX = 100;

/** An object of strings. Zod's own record loses a member named `__proto__`. */
export function textMap<Value extends string | null>(isValue: (value: unknown) => value is Value) {
  return z
    .custom<Readonly<Record<string, Value>>>(isJsonObject, { error: 'must be an object of strings' })
    .check(
      z.meta({
        override: {
          type: 'object',
          additionalProperties: { type: isValue(null) ? ['string', 'null'] : 'string' },
        },
      }),
      z.superRefine((raw: unknown, context) => {
        let wrong = 0;
        for (const [key, value] of Object.entries(isJsonObject(raw) ? raw : {})) {
          if (isValue(value)) continue;
          context.addIssue({ code: 'custom', path: [key], message: 'must be a string' });
          wrong += 1;
          if (wrong === WRONG_ENTRIES_MAX) return;
        }
      }),
    );
}

/** Members of every stored resource that no update changes. */
export const RECORD_MEMBERS = [
  'id',
  'tenant_id',
  'created_by',
  'created_at',
  'modified_by',
  'modified_at',
] as const;

/**
 * Members of a resource that an update cannot change. A body may contain them with their current
 * values, so that a client can send back what it read.
 */
export function unchangeable<const Name extends string>(all: readonly Name[]) {
  const member = z.optional(
    z.unknown().check(
      z.meta({
        override: { description: 'Cannot change: only its current value is accepted.', readOnly: true },
      }),
    ),
  );
  return Object.fromEntries(all.map((each) => [each, member])) as Record<Name, typeof member>;
}

/** The members of {@link unchangeable} that a body contains. */
export function unchangedOf<Name extends string>(
  raw: Readonly<Partial<Record<Name, unknown>>>,
  all: readonly Name[],
): JsonObject {
  return jsonObject(
    all.flatMap((each) => (raw[each] === undefined ? [] : [[each, raw[each] as Json] as const])),
  );
}

/** Checks that a string is not empty and not too long. */
export function lengthTo(most: number) {
  const tooLong = `must be at most ${String(most)} characters`;
  return [z.minLength(1, 'must not be empty'), z.maxLength(most, tooLong)] as const;
}

/**
 * Checks that a string is well-formed, because a lone surrogate would not be returned unchanged.
 */
export const wellFormed = z.refine<string>((raw) => raw.isWellFormed(), 'must be well-formed Unicode');

export const name = text.check(...lengthTo(NAME_MAX_LENGTH), wellFormed);

/** A readonly shape of a response, in which an absent member is never `undefined`. */
type ResponseShape<T> = T extends readonly (infer Element)[]
  ? readonly ResponseShape<Element>[]
  : T extends object
    ? { readonly [Member in keyof T]: ResponseShape<Exclude<T[Member], undefined>> }
    : T;

/**
 * The type of a response, derived from the function that makes its schema. The service sends what
 * presenters of this type return, without a second check; tests check it against the document.
 */
export type Response<Schema extends () => ZodMiniType> = ResponseShape<z.output<ReturnType<Schema>>>;

/** The members of a JSON object under the names that core has for them. */
type Renamed<Source, Names extends Readonly<Record<string, keyof Source>>> = {
  readonly [Name in keyof Names]: Source[Names[Name]];
};

/**
 * Renames the members of a request as core has them. `names` has the name in the request for each.
 */
export function renamed<Source extends object, const Names extends Readonly<Record<string, keyof Source>>>(
  source: Source,
  names: Names,
): Renamed<Source, Names> {
  return Object.fromEntries(Object.entries(names).map(([name, onWire]) => [name, source[onWire]])) as Renamed<
    Source,
    Names
  >;
}

/**
 * The members of an object by a list, without those that are `undefined`. A list that lacks one of
 * its members does not compile.
 */
export function picked<Source extends object, const Name extends keyof Source>(
  source: Source,
  names: readonly Name[],
  ..._missing: Exclude<keyof Source, Name> extends never ? [] : [member: Exclude<keyof Source, Name>]
): Defined<Pick<Source, Name>> {
  return defined(Object.fromEntries(names.map((name) => [name, source[name]])) as Pick<Source, Name>);
}

export const uuid = () => z.string().check(z.meta({ format: 'uuid' }));

/** A time as responses have it: ISO 8601 with an offset. */
export const time = () => z.string().check(z.meta({ format: 'date-time' }));

/** Adds the words that the OpenAPI document has for a member. */
export function described<T extends ZodMiniType>(schema: T, description: string): T {
  return schema.check(z.meta({ description }));
}

/** Leaves a member out of the OpenAPI document, because only a lenient deployment accepts it. */
export const undocumented = <T extends ZodMiniType>(schema: T): T =>
  schema.check(z.meta({ undocumented: true }));

export const anyJson = (description = 'Any JSON.') =>
  z.custom<Json>().check(z.meta({ override: { description } }));
