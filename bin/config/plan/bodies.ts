import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';

/*
 * Reads members of bodies whose schema is the service's.
 */

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** The members of an object that are there. */
export function picked(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
}

/** A text in a body; `undefined` for anything else. */
export function textIn(body: JsonObject, member: string): string | undefined {
  const value = body[member];
  return typeof value === 'string' ? value : undefined;
}

/** Returns an object in a body; an empty one for anything else. */
export function objectIn(body: JsonObject, member: string): JsonObject {
  const value = body[member] ?? null;
  return isJsonObject(value) ? value : {};
}

/** Returns the elements of a list; none for anything else. */
export const listOf = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);

/** Returns the objects in a list; none for anything else. */
export const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  listOf(value).filter(isJsonObject);

/** Returns the texts in a list; none for anything else. */
export const textsIn = (value: Json | undefined): readonly string[] =>
  listOf(value).filter((each) => typeof each === 'string');
