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
import { utf8Bytes } from '../shared/utf8.ts';

/** A piece of a request: its references to tokens, and how to render it with their values. */
export interface Renderable<T> {
  readonly references: readonly TokenReference[];
  render(filling: Filling): T;
}

/** A piece that is sent unchanged. */
export function verbatim<T>(value: T): Renderable<T> {
  return { references: [], render: () => value };
}

/**
 * Replacements in a text. Unchanged text is stored in runs, so that a body with a million pieces is
 * not a million objects.
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

  /** The whole text with its replacements. */
  join(): Renderable<string> {
    return combine(this.#all(), (rendered) => rendered.join(''));
  }

  /** The bytes of the whole text with its replacements. */
  bytes(): Renderable<Buffer> {
    return combine(this.#all(), utf8Bytes);
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
 * Runs a function that parses or fills an expression, and reports its error at the path. Runs
 * nothing once there are too many problems.
 */
function reportErrors<T>(fields: TemplateFields, path: string, run: () => T, instead: T): T {
  if (fields.isFull) return instead;
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    fields.report(path, error.message);
    return instead;
  }
}

function parseTemplate(text: string, path: string, fields: TemplateFields): TokenTemplate {
  const template = reportErrors(fields, path, () => parseTokenTemplate(text, fields.budget), []);
  fields.countExpressions(path, referencesOf(template).length);
  return template;
}

/**
 * A text whose references become text, each value encoded with `encode`. Errors are reported at
 * `path`.
 */
export function textTemplate(
  text: string,
  path: string,
  fields: TemplateFields,
  encode: (value: string) => string,
): Renderable<string> {
  const template = parseTemplate(text, path, fields);
  // A single reference would return its value with its JSON type; an added empty text makes the
  // result a text.
  const asText = template.length === 1 ? [...template, { kind: 'text' as const, text: '' }] : template;
  return {
    references: referencesOf(template),
    render: (filling) =>
      reportErrors(fields, path, () => textOf(fillTokenTemplate(asText, filling, encode)), ''),
  };
}

/** A text whose references become JSON: a single reference returns its value with its JSON type. */
export function jsonTemplate(text: string, path: string, fields: TemplateFields): Renderable<Json> {
  const template = parseTemplate(text, path, fields);
  return {
    references: referencesOf(template),
    render: (filling) => reportErrors<Json>(fields, path, () => fillTokenTemplate(template, filling), null),
  };
}
