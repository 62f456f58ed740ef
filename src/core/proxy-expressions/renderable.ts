import { ExpressionError } from '../expressions/expression-error.ts';
import {
  fillTokenTemplate,
  type Filling,
  parseTokenTemplate,
  referencesOf,
  type TokenReference,
  type TokenTemplate,
} from '../expressions/token-expression.ts';
import { textOf } from '../expressions/text-of.ts';
import type { TemplateFields } from '../expressions/template-fields.ts';
import type { Json } from '../shared/json.ts';
import { pathText, type LazyPath } from '../shared/member-path.ts';
import { utf8Body, type BodyBytes } from '../shared/utf8.ts';
import { mayBeJson } from './body-kind.ts';
import { nestedPlaces, type ValuePlace } from './nested-places.ts';
import { skeletonOf, type Skeleton } from './skeleton.ts';

/**
 * A piece of a request that knows its references to tokens, and how to render it with their values.
 */
export interface Renderable<T> {
  readonly references: readonly TokenReference[];
  render(filling: Filling): T;
}

/** A piece that is sent unchanged. */
export function verbatim<T>(value: T): Renderable<T> {
  return { references: [], render: () => value };
}

/**
 * Replacements in a text. Runs of unchanged text are stored as one piece, so that a body with a
 * million pieces is not a million objects.
 */
export class TextEdits {
  readonly #text: string;

  readonly #pieces: Renderable<string>[] = [];

  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Replaces `text[from..to)`; the ranges must be in ascending order. */
  replace(from: number, to: number, piece: Renderable<string>): void {
    this.#pieces.push(verbatim(this.#text.slice(this.#at, from)), piece);
    this.#at = to;
  }

  join(): Renderable<string> {
    return combine(this.#all(), (rendered) => rendered.join(''));
  }

  /** Writes UTF-8 directly, which costs less than joining the text first. */
  body(): Renderable<BodyBytes> {
    return combine(this.#all(), utf8Body);
  }

  #all(): readonly Renderable<string>[] {
    return [...this.#pieces, verbatim(this.#text.slice(this.#at))];
  }
}

/** Combines several pieces that are rendered together. */
export function combine<T, R>(
  pieces: readonly Renderable<T>[],
  join: (rendered: readonly T[]) => R,
): Renderable<R> {
  return {
    references: pieces.flatMap(({ references }) => references),
    render: (filling) => join(pieces.map((piece) => piece.render(filling))),
  };
}

/**
 * Runs a function that parses or fills an expression, and reports its error at the path. It runs
 * nothing once there are too many problems.
 */
function reportErrors<T>(fields: TemplateFields, path: LazyPath, run: () => T, instead: T): T {
  if (fields.isFull) return instead;
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    fields.report(pathText(path), error.message);
    return instead;
  }
}

function parseTemplate(text: string, path: LazyPath, fields: TemplateFields): TokenTemplate {
  const template = reportErrors(fields, path, () => parseTokenTemplate(text, fields.budget, path), []);
  fields.countExpressions(path, referencesOf(template).length);
  return template;
}

const EMPTY = { kind: 'text', text: '' } as const;
/** Steps of each further encoding of a value, for each character. */
const ENCODE = 8;

/** The text of one reference at its place, encoded for every grammar around it. */
function writeAt(part: TokenTemplate[number], place: ValuePlace | undefined, filling: Filling): string {
  const { isJson = false, refused, encodes = [] } = place ?? {};
  const encodeAll = (text: string): string =>
    encodes.reduce((inner, encode) => {
      filling.budget.charge(inner.length * ENCODE);
      return encode(inner);
    }, text);
  if (isJson) return encodeAll(JSON.stringify(fillTokenTemplate([part], filling)));
  const checkAndEncode = (text: string): string => {
    if (refused?.pattern.test(text) === true) throw new ExpressionError(refused.reason);
    return encodeAll(text);
  };
  return textOf(fillTokenTemplate([part, EMPTY], filling, checkAndEncode));
}

/**
 * A text whose references become text, each at its own place. `placesOf` returns one place for each
 * reference, in their order.
 */
export function placedTemplate(
  text: string,
  path: string,
  fields: TemplateFields,
  placesOf: (skeleton: Skeleton) => readonly ValuePlace[],
): Renderable<string> {
  return placed(parseTemplate(text, path, fields), path, fields, placesOf);
}

function placed(
  template: TokenTemplate,
  path: LazyPath,
  fields: TemplateFields,
  placesOf: (skeleton: Skeleton) => readonly ValuePlace[],
): Renderable<string> {
  const references = referencesOf(template);
  const places = references.length === 0 ? [] : placesOf(skeletonOf(template));
  const byPart = new Map<TokenTemplate[number], ValuePlace | undefined>(
    template.filter(({ kind }) => kind === 'token').map((part, index) => [part, places[index]]),
  );
  const write = (part: TokenTemplate[number], filling: Filling): string =>
    part.kind === 'text' ? part.text : writeAt(part, byPart.get(part), filling);
  return {
    references,
    render: (filling) =>
      reportErrors(fields, path, () => template.map((part) => write(part, filling)).join(''), ''),
  };
}

/** Whether a template may have a nested grammar. All others need no search for one. */
function mayNest(template: TokenTemplate): boolean {
  const [first] = template;
  return (
    template.length > 1 &&
    ((first?.kind === 'text' && mayBeJson(first.text)) ||
      template.some((part) => part.kind === 'text' && /=|[{[]\s*"/.test(part.text)))
  );
}

/** Encodes each value for the grammars inside the text. */
export function nestedTemplate(text: string, path: string, fields: TemplateFields): Renderable<string> {
  return placedTemplate(text, path, fields, nestedPlaces);
}

/**
 * A string of JSON, with the grammars inside it. A single reference returns its value with its JSON
 * type.
 */
export function jsonTemplate(text: string, path: LazyPath, fields: TemplateFields): Renderable<Json> {
  const template = parseTemplate(text, path, fields);
  if (mayNest(template)) return placed(template, path, fields, nestedPlaces);
  return {
    references: referencesOf(template),
    render: (filling) => reportErrors<Json>(fields, path, () => fillTokenTemplate(template, filling), null),
  };
}
