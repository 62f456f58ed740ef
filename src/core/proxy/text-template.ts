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

/** A piece of a request with references to tokens: what it refers to, and what it becomes. */
export interface Renderable<T> {
  readonly references: readonly TokenReference[];
  render(filling: Filling): T;
}

/** Something that is sent as it came. */
export function untouched<T>(value: T): Renderable<T> {
  return { references: [], render: () => value };
}

/**
 * Pieces in their order; what is sent as it came is kept in runs, so that a body of a million of
 * them is not a million objects.
 */
export class Pieces {
  readonly #text: string;

  readonly #pieces: Renderable<string>[] = [];

  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Puts something in the place of `text[from..to)`; places come in their order. */
  replace(from: number, to: number, piece: Renderable<string>): void {
    this.#pieces.push(untouched(this.#text.slice(this.#at, from)), piece);
    this.#at = to;
  }

  /** The whole text with its replacements. */
  join(): Renderable<string> {
    return together(this.#all(), (rendered) => rendered.join(''));
  }

  /** The bytes of the whole text with its replacements. */
  bytes(): Renderable<Buffer> {
    return together(this.#all(), utf8Bytes);
  }

  #all(): readonly Renderable<string>[] {
    return [...this.#pieces, untouched(this.#text.slice(this.#at))];
  }
}

/** Several pieces that are rendered together. */
export function together<T, R>(
  pieces: readonly Renderable<T>[],
  join: (rendered: readonly T[]) => R,
): Renderable<R> {
  return {
    references: pieces.flatMap(({ references }) => references),
    render: (filling) => join(pieces.map((piece) => piece.render(filling))),
  };
}

/**
 * Runs something that may find an expression wrong, and reports it at its path; once enough is
 * wrong, nothing more is run.
 */
function reporting<T>(fields: TemplateFields, path: string, run: () => T, instead: T): T {
  if (fields.isFull) return instead;
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    fields.report(path, error.message);
    return instead;
  }
}

function parsed(text: string, path: string, fields: TemplateFields): TokenTemplate {
  const template = reporting(fields, path, () => parseTokenTemplate(text, fields.budget), []);
  fields.countExpressions(path, referencesOf(template).length);
  return template;
}

/**
 * A text whose references become text, each value passed through `encode`. What is wrong with it is
 * reported at `path`.
 */
export function textTemplate(
  text: string,
  path: string,
  fields: TemplateFields,
  encode: (value: string) => string,
): Renderable<string> {
  const template = parsed(text, path, fields);
  // A reference alone would keep its JSON type; an empty text beside it makes text of it like of
  // any other.
  const asText = template.length === 1 ? [...template, { kind: 'text' as const, text: '' }] : template;
  return {
    references: referencesOf(template),
    render: (filling) =>
      reporting(fields, path, () => textOf(fillTokenTemplate(asText, filling, encode)), ''),
  };
}

/** A text whose references become JSON: one that is a reference alone keeps its JSON type. */
export function jsonTemplate(text: string, path: string, fields: TemplateFields): Renderable<Json> {
  const template = parsed(text, path, fields);
  return {
    references: referencesOf(template),
    render: (filling) => reporting<Json>(fields, path, () => fillTokenTemplate(template, filling), null),
  };
}
