import type { TemplateFields } from '../expressions/template-fields.ts';
import type { Renderable } from './renderable.ts';

/**
 * Most boundaries that parts may declare for inner multiparts. The whole body is searched for each.
 */
const INNER_MAX = 20;
/**
 * Most delimiters of one boundary. No request has as many parts, but a body of dashes could appear
 * to have them.
 */
const DELIMITERS_MAX = 100_000;
const DECLARATION = /boundary\s{0,20}=\s{0,20}(?:"([^"\r\n]{1,200})"|([^\s;",]{1,200}))/gi;

const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;
const SPACES: ReadonlySet<number | undefined> = new Set([undefined, 0x09, LF, CR, 0x20]);

interface MultipartText {
  readonly body: Buffer;
  readonly boundary: string;
  /**
   * The parts that may be or contain multiparts, including their headers. Files never do: they are
   * sent unchanged.
   */
  readonly declaring: readonly Buffer[];
  /** The name of the body in errors. */
  readonly path: string;
}

/**
 * The boundary of a body, and the boundaries that its parts declare in their headers or in a
 * message inside.
 */
function boundariesOf({ boundary, declaring }: MultipartText): readonly string[] {
  const boundaries = new Set([boundary]);
  for (const part of declaring)
    for (const [, quoted, bare] of part.toString('latin1').matchAll(DECLARATION)) {
      const inner = (quoted ?? bare ?? '').trim();
      if (inner !== '') boundaries.add(inner);
      if (boundaries.size > INNER_MAX + 1) return [...boundaries];
    }
  return [...boundaries];
}

/**
 * How readers classify a delimiter: whether it starts a line, and whether it is closing, alone in
 * its line, or neither.
 */
function formOf(body: Buffer, from: number, to: number): string {
  const isLine = from === 0 || body[from - 1] === LF || body[from - 1] === CR;
  const isClosing = body[to] === DASH && body[to + 1] === DASH;
  return `${isLine ? 'line' : 'text'} ${isClosing ? 'closing' : SPACES.has(body[to]) ? 'alone' : 'other'}`;
}

/**
 * Counts the delimiters of a boundary in each form, including texts that only look like one;
 * `undefined` if there are too many.
 */
function delimitersOf(body: Buffer, boundary: string): string | undefined {
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  const counts = new Map<string, number>();
  let total = 0;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + 1)) {
    total += 1;
    if (total > DELIMITERS_MAX) return undefined;
    const form = formOf(body, at, at + delimiter.length);
    counts.set(form, (counts.get(form) ?? 0) + 1);
  }
  return JSON.stringify([...counts].toSorted());
}

/**
 * Reports an error unless the filled-in body has exactly its old delimiters. It compares the whole
 * body: a value could create a delimiter with its neighboring text, or one of an inner multipart.
 */
export function preserveDelimiters(
  text: MultipartText,
  whole: Renderable<Buffer>,
  fields: TemplateFields,
): Renderable<Buffer> {
  if (whole.references.length === 0) return whole;
  const { body, path } = text;
  const before = boundariesOf(text).map((boundary) => ({
    boundary,
    delimiters: delimitersOf(body, boundary),
  }));
  if (before.length > INNER_MAX + 1 || before.some(({ delimiters }) => delimiters === undefined))
    fields.report(path, 'is a multipart with too many boundaries');
  return {
    references: whole.references,
    render: (filling) => {
      const rendered = whole.render(filling);
      if (before.some((each) => delimitersOf(rendered, each.boundary) !== each.delimiters))
        fields.report(path, 'becomes a multipart with another boundary in it');
      return rendered;
    },
  };
}
