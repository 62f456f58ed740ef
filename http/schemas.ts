import { z, type ZodType } from 'zod';

/*
 * Pieces of request schemas that several functions share. Messages are the service's own, so that none ever quotes a value.
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
