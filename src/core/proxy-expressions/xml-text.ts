import { ExpressionError } from '../expressions/expression-error.ts';
import type { TemplateFields } from '../expressions/template-fields.ts';
import type { Encode } from './inner-grammar.ts';
import { LEVELS_MAX, nestedPlaces, type ValuePlace } from './nested-places.ts';
import { placedTemplate, type Renderable } from './renderable.ts';
import { decodedRange, rangeOf, type Range, type Skeleton } from './skeleton.ts';
import { xmlStretches, type XmlStretch } from './xml-stretches.ts';

/** The reference that replaces each character. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** References of XML, and those of HTML for characters that nested grammars use. */
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ...([
    ['&amp;', '&'],
    ['&lt;', '<'],
    ['&gt;', '>'],
    ['&quot;', '"'],
    ['&apos;', "'"],
  ] as const),
  ...([
    ['&lcub;', '{'],
    ['&lbrace;', '{'],
    ['&rcub;', '}'],
    ['&rbrace;', '}'],
  ] as const),
  ...([
    ['&lsqb;', '['],
    ['&lbrack;', '['],
    ['&rsqb;', ']'],
    ['&rbrack;', ']'],
  ] as const),
  ...([
    ['&bsol;', '\\'],
    ['&colon;', ':'],
    ['&comma;', ','],
    ['&equals;', '='],
  ] as const),
  ...([
    ['&num;', '#'],
    ['&percnt;', '%'],
    ['&plus;', '+'],
    ['&Tab;', '\t'],
    ['&NewLine;', '\n'],
  ] as const),
]);
const REFERENCE = /&#?\w{1,31};/g;
const CODE_POINT_MAX = 0x10_ff_ff;

/** Escapes a value so that it is safe both in text and in attributes. */
const escapeXml: Encode = (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** The character that a reference means; the reference itself if it names none. */
function characterOf(reference: string): string {
  const named = CHARACTERS.get(reference);
  if (named !== undefined || reference[1] !== '#') return named ?? reference;
  const digits = reference.slice(2, -1);
  const code = /^x[\da-f]+$/i.test(digits) ? parseInt(digits.slice(1), 16) : Number(digits);
  return code <= CODE_POINT_MAX ? String.fromCodePoint(code) : reference;
}

const unescapeXml = (text: string): string => text.replace(REFERENCE, characterOf);

/** A CDATA section has no escapes, so some values are rejected. */
const inCdata: Encode = (text) => {
  if (/[<>]/.test(text)) throw new ExpressionError('puts < or > into a CDATA section');
  return text;
};

const ENCODINGS = {
  text: { decode: unescapeXml, encode: escapeXml },
  attribute: { decode: unescapeXml, encode: escapeXml },
  cdata: { decode: (text: string) => text, encode: inCdata },
} as const;

const CONTINUED = {
  pattern: /^/,
  reason: 'has an expression after an unescaped &, or before the rest of ]]> in a CDATA section',
};

/** Whether a value could be part of a character reference, or of the end of a CDATA section. */
function isContinued(text: string, position: number, kind: keyof typeof ENCODINGS): boolean {
  if (kind === 'cdata') return /^\]?>/.test(text.slice(position + 1, position + 3));
  return /&#?\w{0,40}$/.test(text.slice(Math.max(0, position - 42), position));
}

/**
 * Rejects values that could add an attribute or end this one, because no quotes surround them. Even
 * an empty value could.
 */
const UNQUOTED: ValuePlace = {
  refused: {
    pattern: /^$|["'`\\{}[\]&%+#=<>\s]/,
    reason:
      'puts white space, a quote, nothing, or one of ` \\ { } [ ] & % + # = < > into an unquoted attribute',
  },
  encodes: [],
};
const IN_TAG: ValuePlace = {
  refused: {
    pattern: /^/,
    reason: 'has an expression in the name of a tag or attribute, or in a declaration',
  },
  encodes: [],
};
/** A comment about whose end XML and HTML disagree, and so about everything after it. */
const AMBIGUOUS_COMMENT = /<!---?>|--!>/;
const AFTER_AMBIGUOUS: ValuePlace = {
  refused: { pattern: /^/, reason: 'has an expression in a text with <!-->, <!---> or --!>' },
  encodes: [],
};
/** Characters before an expression that decide what it is part of. */
const BEFORE = 1_000;

/** The place of an expression outside of the quotes of a tag. It is a value only after `=`. */
function placeInTag(text: string, position: number): ValuePlace {
  return /=[^\s"'<>=]*$/.test(text.slice(Math.max(0, position - BEFORE), position)) ? UNQUOTED : IN_TAG;
}

interface Piece {
  readonly kind: keyof typeof ENCODINGS;
  readonly range: Range;
}

/** The places of a text whose pieces are separated by markup, such as a comment. */
function placesOfText(skeleton: Skeleton, pieces: readonly Piece[]): readonly ValuePlace[] {
  const at: number[] = [];
  const encodes: Encode[] = [];
  const continued = new Set<number>();
  let text = '';
  for (const { kind, range } of pieces) {
    const { decode, encode } = ENCODINGS[kind];
    const decoded = decodedRange(skeleton, range, decode);
    for (const position of decoded.at) {
      at.push(text.length + position);
      encodes.push(encode);
    }
    for (const [index, position] of skeleton.at.slice(range.firstAt, range.endAt).entries())
      if (isContinued(skeleton.text, position, kind)) continued.add(text.length + (decoded.at[index] ?? 0));
    text += decoded.text;
  }
  return nestedPlaces({ text, at, first: 0 }).map((place, index) => ({
    ...place,
    ...(continued.has(at[index] ?? -1) && { refused: CONTINUED }),
    encodes: [...place.encodes, encodes[index] ?? escapeXml],
  }));
}

/** More pieces than any real text has. Each one is an object until the text ends. */
const PIECES_MAX = 10_000;
const IN_PIECES: ValuePlace = {
  refused: {
    pattern: /^/,
    reason: 'has an expression in a text that comments or sections separate too often',
  },
  encodes: [],
};

/** Collects the places of XML or HTML, in the order of the references. */
class XmlPlaces {
  readonly #skeleton: Skeleton;

  readonly #places: ValuePlace[] = [];

  /** The pieces of the text that the current stretch may continue. */
  #pieces: Piece[] = [];

  #hasAllPieces = true;

  #next = 0;

  constructor(skeleton: Skeleton) {
    this.#skeleton = skeleton;
  }

  all(): readonly ValuePlace[] {
    const { text, at } = this.#skeleton;
    if (AMBIGUOUS_COMMENT.test(text)) return at.map(() => AFTER_AMBIGUOUS);
    for (const stretch of xmlStretches(this.#skeleton.text)) {
      this.#add(stretch);
      if (this.#next === this.#skeleton.at.length && this.#pieces.length === 0) break;
    }
    this.#endText();
    return this.#places;
  }

  #add({ kind, from, to }: XmlStretch): void {
    if (kind === 'tag' || kind === 'attribute') this.#endText();
    const range = rangeOf(this.#skeleton, from, to, this.#next);
    this.#next = range.endAt;
    if (kind === 'text' || kind === 'cdata') this.#addPiece({ kind, range });
    else if (range.firstAt < range.endAt) this.#put(range, this.#placesIn(kind, range));
  }

  #addPiece(piece: Piece): void {
    const isWanted = this.#pieces.length < PIECES_MAX || piece.range.firstAt < piece.range.endAt;
    if (isWanted) this.#pieces.push(piece);
    else this.#hasAllPieces = false;
  }

  #placesIn(kind: Exclude<XmlStretch['kind'], 'text' | 'cdata'>, range: Range): readonly ValuePlace[] {
    if (kind === 'attribute') return placesOfText(this.#skeleton, [{ kind, range }]);
    const inside = decodedRange(this.#skeleton, range, (text) => text);
    if (kind === 'tag') return inside.at.map((position) => placeInTag(inside.text, position));
    // Comments and scripts have no escapes, and their grammar is unknown.
    return nestedPlaces(inside, [escapeXml], LEVELS_MAX + 1);
  }

  #endText(): void {
    const references = this.#pieces.filter(({ range }) => range.firstAt < range.endAt);
    if (references.length > 0) {
      const places = this.#hasAllPieces ? placesOfText(this.#skeleton, this.#pieces) : [];
      let done = 0;
      for (const { range } of references) {
        const count = range.endAt - range.firstAt;
        for (let index = 0; index < count; index += 1)
          this.#places[range.firstAt + index] = places[done + index] ?? IN_PIECES;
        done += count;
      }
    }
    this.#pieces = [];
    this.#hasAllPieces = true;
  }

  #put({ firstAt }: Range, places: readonly ValuePlace[]): void {
    for (const [index, place] of places.entries()) this.#places[firstAt + index] = place;
  }
}

/**
 * Fills in XML or HTML. Each value is encoded for the grammar inside the text, and then escaped for
 * its place.
 */
export function xmlText(text: string, path: string, fields: TemplateFields): Renderable<string> {
  return placedTemplate(text, path, fields, (skeleton) => new XmlPlaces(skeleton).all());
}
