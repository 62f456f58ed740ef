import * as z from 'zod';
import type { ZodType } from 'zod';
import { NAME_MAX_LENGTH } from '../core/applications/application.ts';
import { isJsonObject, type Json } from '../core/shared/json.ts';

/*
 * Pieces of request schemas that several functions share. Messages are the service's own, so that none ever quotes a value. `override` is what
 * the OpenAPI document says of a schema that JSON Schema has no word for.
 */

/** A text. */
export const text = z.string({
  error: ({ input }) => (input === undefined ? 'is required' : 'must be a string'),
});

/** A member that may be left out; `null` counts as left out. */
export function optional<T extends ZodType>(schema: T) {
  return z.preprocess((value) => value ?? undefined, schema.optional());
}

/** A list. */
export function list<T extends ZodType>(element: T) {
  return z.array(element, { error: 'must be an array' });
}

/** One of a few names. */
export function oneOf<const Names extends readonly [string, ...string[]]>(names: Names, message: string) {
  return z.enum(names, {
    error: ({ input }) => (input === undefined || input === null ? 'is required' : message),
  });
}

/** The names of a readonly list as the non-empty tuple that a schema wants. */
export function names<Name extends string>(all: readonly Name[]): readonly [Name, ...Name[]] {
  return all as readonly [Name, ...Name[]];
}

/** An object body. Members that are not declared are ignored. */
export function body<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.object(shape, { error: 'must be a JSON object' });
}

/** JSON that came through the JSON parser: nothing is left to check but that it is there. */
export const json = z
  .custom<Json>((value) => value !== undefined, { error: 'is required' })
  .meta({ override: { description: 'Any JSON.' } });

/** A boolean. */
export const boolean = z.boolean({ error: 'must be true or false' });

/** An object of texts; zod's own record loses a member named `__proto__`. */
export function textMap<Value extends string | null>(isValue: (value: unknown) => value is Value) {
  return z
    .custom<Readonly<Record<string, Value>>>(isJsonObject, { error: 'must be an object of strings' })
    .meta({
      override: {
        type: 'object',
        additionalProperties: { type: isValue(null) ? ['string', 'null'] : 'string' },
      },
    })
    .superRefine((given: unknown, context) => {
      for (const [key, value] of Object.entries(isJsonObject(given) ? given : {}))
        if (!isValue(value)) context.addIssue({ code: 'custom', path: [key], message: 'must be a string' });
    });
}

/** A name. Half a surrogate pair is no text, and would not come back as it was sent. */
export const name = text
  .min(1, 'must not be empty')
  .max(NAME_MAX_LENGTH, `must be at most ${String(NAME_MAX_LENGTH)} characters`)
  .refine((given) => given.isWellFormed(), 'must be well-formed Unicode');
