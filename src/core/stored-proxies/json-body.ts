import { losesPrecision } from '../shared/decimal.ts';
import type { Json } from '../shared/json.ts';
import { parseJson } from '../shared/parse-json.ts';
import { JsonExtentError, membersOf } from '../shared/json-extent.ts';
import { JsonSyntaxError, type JsonVisitor } from '../shared/walk-json.ts';
import { parseLocation, parsePattern, type JsonLocation } from './json-location.ts';
import { replaceAt, setAt, valuesAt, type FoundPlace, type JsonEdit } from './json-places.ts';
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

/** Counts the elements of a JSON text, and lets a visitor see it. Throws {@link TransformError}. */
function countedWalk(text: string, { read }: TransformBudget, also: JsonVisitor): void {
  try {
    read(text.length + ELEMENT_BYTES * membersOf(text, { also }));
  } catch (error) {
    if (error instanceof JsonExtentError)
      throw new TransformError(`the body exceeds the ${error.exceeds} of JSON`);
    throw error;
  }
}

/**
 * Parses a part of a JSON text, and counts it. Throws {@link TransformError} for a number that
 * would become another one, for members with the same name, and for more members than a request
 * may have.
 */
function exactJson(text: string, budget: TransformBudget): Json {
  countedWalk(text, budget, new ExactnessCheck(text));
  return parseJson(text);
}

const DIGITS = /^\d+$/;

/** Finds numbers made of digits that are meant as text: as a card number, with all of them. */
class DigitFinder extends ExactnessCheck {
  readonly edits: JsonEdit[] = [];

  readonly #text: string;

  readonly #isText: (name: string) => boolean;

  #depth = 0;

  #name = '';

  constructor(text: string, isText: (name: string) => boolean) {
    super(text);
    this.#text = text;
    this.#isText = isText;
  }

  override open(): void {
    super.open();
    this.#depth += 1;
  }

  override close(): void {
    super.close();
    this.#depth -= 1;
  }

  override name(start: number, end: number, isEscaped: boolean): void {
    super.name(start, end, isEscaped);
    this.#name = this.#text.slice(start + 1, end - 1);
  }

  override scalar(start: number, end: number): void {
    const written = this.#text.slice(start, end);
    if (!DIGITS.test(written)) super.scalar(start, end);
    else if (this.#isAsked() || losesPrecision(written))
      this.edits.push({ start, end, json: `"${written}"` });
  }

  #isAsked(): boolean {
    if (this.#depth === 0) return this.#isText('');
    return this.#depth === 1 && this.#isText(this.#name);
  }
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

/** A value of a body that a pattern finds. */
export interface FoundValue extends FoundPlace {
  readonly value: Json;
}

/**
 * The values that become tokens, at the places of a pattern, in order. A number made of digits
 * becomes text where `isText` says so, by the name of a member or by an empty one for the value
 * itself, and where a number would not have all of them. Throws {@link TransformError} for more
 * values than a call may make tokens of, and for a place with several.
 */
export function valuesOfBody(
  message: Message,
  pattern: string,
  budget: TransformBudget,
  isText: (name: string) => boolean,
): readonly FoundValue[] {
  const parsed = parsePattern(pattern);
  if ('problem' in parsed) throw new TransformError('its location cannot be read');
  return onJson(message, (text) => {
    const places = valuesAt(text, parsed, countingPlaces(budget));
    budget.tokens(places.length);
    const different = new Set(places.map(({ location }) => JSON.stringify(location)));
    if (different.size < places.length)
      throw new TransformError('the body has several values at its location');
    return places.map((place) => {
      const json = text.slice(place.start, place.end);
      const digits = new DigitFinder(json, isText);
      countedWalk(json, budget, digits);
      return { ...place, value: parseJson(replaceAt(json, digits.edits)) };
    });
  });
}

/** Puts the JSON of other values into places that {@link valuesOfBody} has found. */
export const withValuesAt = (
  message: Message,
  edits: readonly { readonly place: FoundPlace; readonly value: Json }[],
): Message =>
  onJson(message, (text) => {
    const changed = edits.map(({ place: { start, end }, value }) => ({
      start,
      end,
      json: JSON.stringify(value),
    }));
    return withBody(message, Buffer.from(replaceAt(text, changed)));
  });

/** Whether a value has something at a location below it. */
export function hasValueAt(value: Json, [first, ...others]: JsonLocation): boolean {
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
          found.map((range) => ({ ...range, json })),
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
