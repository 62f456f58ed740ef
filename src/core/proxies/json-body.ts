import { losesPrecision } from '../shared/decimal.ts';
import type { Json } from '../shared/json.ts';
import { parseJson } from '../shared/parse-json.ts';
import { JsonExtentError, membersOf } from '../shared/json-extent.ts';
import { JsonSyntaxError, type JsonVisitor } from '../shared/walk-json.ts';
import { parseLocation, replaceAt, setAt, valuesAt, type JsonLocation } from './json-location.ts';
import { textOfBody, withBody, type Message } from './message.ts';
import type { TransformBudget } from './transform-budget.ts';
import { TransformError } from './transform-failure.ts';

/** Runs `act` on the text of a body. Throws {@link TransformError} unless it is JSON. */
function onJson<T>(message: Message, act: (text: string) => T): T {
  const text = textOfBody(message);
  try {
    if (text !== undefined) return act(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  throw new TransformError('the body is not JSON');
}

/** A location that was checked when the proxy was written. */
function locationOf(text: string): JsonLocation {
  const location = parseLocation(text);
  if ('problem' in location) throw new TransformError('its location cannot be read');
  return location;
}

/** Throws {@link TransformError} where parsing loses something that another reader may see. */
class ExactnessCheck implements JsonVisitor {
  readonly #text: string;

  /** The names of the open objects so far; an array has none. */
  readonly #names: Set<Json>[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  open(): void {
    this.#names.push(new Set());
  }

  close(): void {
    this.#names.pop();
  }

  name(start: number, end: number, isEscaped: boolean): void {
    const quoted = this.#text.slice(start, end);
    const name = isEscaped ? parseJson(quoted) : quoted.slice(1, -1);
    const names = this.#names.at(-1);
    // Readers of JSON take the first, the last or all.
    if (names?.has(name) === true) throw new TransformError('the body has two members with the same name');
    names?.add(name);
  }

  scalar(start: number, end: number): void {
    if (this.#text[start] !== '"' && losesPrecision(this.#text.slice(start, end)))
      throw new TransformError('the body has a number that cannot be stored exactly');
  }
}

/** An element or member costs as much time as so many bytes. */
const ELEMENT_BYTES = 50;

/**
 * Parses a part of a JSON text, and counts it. Throws {@link TransformError} for a number that
 * would become another one, for members with the same name, and for more members than a request
 * may have.
 */
function exactJson(text: string, { read }: TransformBudget): Json {
  try {
    const elements = membersOf(text, { also: new ExactnessCheck(text) });
    read(text.length + ELEMENT_BYTES * elements);
  } catch (error) {
    if (error instanceof JsonExtentError)
      throw new TransformError(`the body exceeds the ${error.exceeds} of JSON`);
    throw error;
  }
  return parseJson(text);
}

/** Counts a place at a location. Members with the same name make many. */
const countingPlaces =
  ({ read }: TransformBudget) =>
  (): void => {
    read(ELEMENT_BYTES);
  };

/** Sets the value at a location; adds the member, but never its parent. */
export function withJsonAt(
  message: Message,
  location: string,
  value: Json,
  budget: TransformBudget,
): Message {
  const changed = onJson(message, (text) =>
    setAt(text, locationOf(location), JSON.stringify(value), countingPlaces(budget)),
  );
  if (changed === undefined) throw new TransformError('the body has no place for its location');
  return withBody(message, Buffer.from(changed));
}

/** The value at a location. Throws {@link TransformError} if there is none, or more than one. */
export function jsonAt(message: Message, location: string, budget: TransformBudget): Json {
  const found = onJson(message, (text) => {
    const [first, second] = valuesAt(text, locationOf(location));
    if (second !== undefined) throw new TransformError('the body has several values at its location');
    return first && text.slice(first.start, first.end);
  });
  if (found === undefined) throw new TransformError('the body has no value at its location');
  return exactJson(found, budget);
}

/**
 * Finds out which places a body has, of which all are below one location: one walk and one parse of
 * what is there, however many places are asked for.
 */
export function placesBelow(message: Message, location: string): (place: string) => boolean {
  const parsed = parseLocation(location);
  const found =
    'problem' in parsed
      ? undefined
      : onJson(message, (text) => valuesAt(text, parsed).map((at) => text.slice(at.start, at.end)));
  const [json] = found ?? [];
  if (json === undefined || 'problem' in parsed) return () => false;
  const value = parseJson(json);
  return (place) => {
    const wanted = parseLocation(place);
    if ('problem' in wanted || !place.startsWith(location)) return false;
    return hasValueAt(value, wanted.slice(parsed.length));
  };
}

function hasValueAt(value: Json, [first, ...others]: JsonLocation): boolean {
  if (first === undefined) return true;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return false;
  return hasValueAt((value as Readonly<Record<string | number, Json>>)[first] ?? null, others);
}

/** Replaces the value at a location, if there is one. An empty body has none. */
export function withValueReplaced(
  message: Message,
  location: string,
  value: Json,
  budget: TransformBudget,
): Message {
  if (message.body.length === 0) return message;
  const json = JSON.stringify(value);
  const changed = onJson(message, (text) => {
    const found = valuesAt(text, locationOf(location), countingPlaces(budget));
    return found.length === 0
      ? undefined
      : replaceAt(
          text,
          found.map((stretch) => ({ ...stretch, json })),
        );
  });
  return changed === undefined ? message : withBody(message, Buffer.from(changed));
}

/** The whole body as JSON where it is JSON, otherwise as text; `undefined` if it is no text. */
export function valueOfBody(
  message: Message,
  budget: TransformBudget,
): { readonly value: Json; readonly isJson: boolean } | undefined {
  const text = textOfBody(message);
  if (text === undefined) return undefined;
  try {
    if (text !== '') return { value: exactJson(text, budget), isJson: true };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  return { value: text, isJson: false };
}
