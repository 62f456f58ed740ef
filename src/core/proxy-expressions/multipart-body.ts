import { contentOfBytes, type Content } from '../shared/content.ts';
import type { TemplateFields } from '../expressions/template-fields.ts';
import { utf8Bytes, utf8Text } from '../shared/utf8.ts';
import { mayHoldExpression } from './json-text.ts';
import { preserveDelimiters } from './preserve-delimiters.ts';
import { contentTypeOf, hasPlainEncoding, isFile } from './part-headers.ts';
import type { ValuePlace } from './nested-places.ts';
import { combine, placedTemplate, verbatim, type Renderable } from './renderable.ts';
import type { Skeleton } from './skeleton.ts';

const PARAMETER = /;[ \t]*(?:([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;",]*)))?[ \t]*/y;
/**
 * The characters of a boundary (RFC 2046, section 5.1.1), and others that clients use. It has no
 * braces, and may be longer than 70 characters.
 */
const BOUNDARY = /^(?! )[\w !#$%&'()*+,./:=?@^`|~-]{1,200}(?<! )$/;
/** More parts than any real request has. A body of dashes could appear to have as many. */
const PARTS_MAX = 100_000;
/** Bytes of a part's headers that are read. */
const HEADERS_MAX_BYTES = 16_384;

/**
 * The boundary of a multipart content type; `undefined` if it has none, more than one, or one that
 * receivers may read differently than the proxy.
 */
export function boundaryOf(contentType: string): string | undefined {
  const [boundary, second] = boundaryParameters(contentType) ?? [];
  return second === undefined && boundary !== undefined && BOUNDARY.test(boundary) ? boundary : undefined;
}

/** The values of all boundary parameters; `undefined` if receivers may read them differently. */
function boundaryParameters(contentType: string): readonly string[] | undefined {
  const found: string[] = [];
  PARAMETER.lastIndex = contentType.indexOf(';');
  if (PARAMETER.lastIndex === -1) return undefined;
  while (PARAMETER.lastIndex < contentType.length) {
    const match = PARAMETER.exec(contentType);
    if (match === null) return undefined;
    const [, name = '', quoted, bare = ''] = match;
    // Some receivers do not read the forms of RFC 2231.
    if (/^boundary\*/i.test(name)) return undefined;
    if (/^boundary$/i.test(name)) found.push(quoted?.replace(/\\(.)/g, '$1') ?? bare);
  }
  return found;
}

/** A range of bytes in a body; `to` is the first byte after it. */
interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The ranges of the parts between the delimiters of a body, headers included. */
function* partsOf(body: Buffer, delimiter: Buffer): Generator<ByteRange> {
  for (let at = body.indexOf(delimiter); at !== -1;) {
    const from = at + delimiter.length;
    const next = body.indexOf(delimiter, from);
    if (next === -1) break;
    yield { from, to: next };
    at = next;
  }
}

/**
 * The range of a part's content; `undefined` if no blank line ends its headers. Lines may end
 * without a carriage return.
 */
function contentOf(body: Buffer, { from, to }: ByteRange): ByteRange | undefined {
  const part = body.subarray(from, to);
  const blanks = ['\r\n\r\n', '\n\n'].flatMap((blank) => {
    const at = part.indexOf(blank);
    return at === -1 ? [] : [{ at, end: from + at + blank.length }];
  });
  const [first] = blanks.toSorted((a, b) => a.at - b.at);
  if (first === undefined) return undefined;
  // The line break before a delimiter belongs to the delimiter (RFC 2046, section 5.1.1).
  const lineBreak = /\r?\n$/.exec(body.toString('latin1', Math.max(first.end, to - 2), to))?.[0] ?? '';
  return { from: first.end, to: to - lineBreak.length };
}

const IN_HEADER: ValuePlace = {
  refused: {
    pattern: /[\p{Cc}"\\]/u,
    reason: 'puts a control character, a double quote or a backslash into a part header',
  },
  encodes: [],
};
/** Rejects a value next to other text that could add a member or a parameter. */
const IN_PART_OF_HEADER: ValuePlace = {
  refused: {
    pattern: /[\p{Cc}"\\,;]/u,
    reason:
      'puts a control character, a double quote, a backslash, a comma or a semicolon into a part header',
  },
  encodes: [],
};

/** Whether an expression is the whole value of its header. */
function isWhole(text: string, position: number): boolean {
  const before = text.slice(0, position).trimEnd();
  const after = /^[ \t]*(?:[\r\n]|$)/.test(text.slice(position + 1));
  return before.endsWith(':') && after;
}

const headerPlaces = ({ text, at }: Skeleton): readonly ValuePlace[] =>
  at.map((position) => (isWhole(text, position) ? IN_HEADER : IN_PART_OF_HEADER));

/**
 * The bytes between the contents of two parts. A value there must stay inside its line, and inside
 * its quotes.
 */
function betweenParts(range: Buffer, path: string, fields: TemplateFields): Renderable<Buffer> {
  if (!range.includes('{{')) return verbatim(range);
  const text = utf8Text(range);
  if (text === undefined) {
    fields.report(path, 'has a part header with an expression that is not UTF-8');
    return verbatim(range);
  }
  const template = placedTemplate(text, path, fields, headerPlaces);
  return {
    references: template.references,
    render: (filling) => utf8Bytes([template.render(filling)]),
  };
}

interface MultipartBody {
  readonly body: Buffer;
  readonly boundary: string;
  /** The name of the body in errors. */
  readonly path: string;
  /** True for `multipart/form-data`, in which files and headers are sent unchanged. */
  readonly isForm: boolean;
  /** The type of parts that name none. */
  readonly partType: string;
}

interface Part {
  readonly body: Content;
  readonly contentType: string;
  readonly path: string;
}

type FillPart = (part: Part) => Renderable<Buffer>;

/** A part before its type and encoding are checked. */
interface FoundPart {
  readonly bytes: Buffer;
  readonly headers: string;
  /** True if the headers have more bytes than the proxy reads. */
  readonly isCut: boolean;
}

/** Fills in a part that may hold an expression, and reports what prevents that. */
function filledPart(
  { bytes, headers, isCut }: FoundPart,
  { path, isForm, partType }: MultipartBody,
  fields: TemplateFields,
  fill: FillPart,
): Renderable<Buffer> {
  if (isCut) fields.report(path, 'has a part with too many headers');
  const name = /;\s*name="([^"]*)"/i.exec(headers)?.[1] ?? 'part';
  const partPath = isForm ? `${path}.${name}` : path;
  if (isForm && bytes.includes('{{') && utf8Text(bytes) === undefined)
    fields.report(path, 'has a text field that is not UTF-8');
  const contentType = contentTypeOf(headers) ?? partType;
  const filled = fill({ body: contentOfBytes(bytes), contentType, path: partPath });
  if (filled.references.length > 0 && !hasPlainEncoding(headers))
    fields.report(
      partPath,
      'has an expression in a part whose Content-Transfer-Encoding is not 7bit, 8bit or binary',
    );
  return filled;
}

/** A multipart body in which `fill` fills in the content of each part by its own type. */
export function multipartBody(
  multipart: MultipartBody,
  fields: TemplateFields,
  fill: FillPart,
): Renderable<Buffer> {
  const { body, boundary, path, isForm } = multipart;
  const pieces: Renderable<Buffer>[] = [];
  const declaring: Buffer[] = [];
  const between = (from: number, to: number) => {
    const range = body.subarray(from, to);
    return isForm ? verbatim(range) : betweenParts(range, path, fields);
  };
  let at = 0;
  let count = 0;
  for (const part of partsOf(body, Buffer.from(`--${boundary}`, 'latin1'))) {
    count += 1;
    if (count > PARTS_MAX) fields.report(path, 'has too many parts');
    if (fields.isFull || count > PARTS_MAX) break;
    const content = contentOf(body, part);
    if (content === undefined) continue;
    const bytes = body.subarray(content.from, content.to);
    const headers = body.toString('latin1', part.from, Math.min(content.from, part.from + HEADERS_MAX_BYTES));
    const holdsNone = !mayHoldExpression(bytes);
    if (isFile(headers) && (isForm || holdsNone)) continue;
    declaring.push(body.subarray(part.from, content.to));
    if (holdsNone) continue;
    const isCut = content.from - part.from > HEADERS_MAX_BYTES;
    const filled = filledPart({ bytes, headers, isCut }, multipart, fields, fill);
    pieces.push(between(at, content.from), filled);
    at = content.to;
  }
  pieces.push(between(at, body.length));
  const whole = combine(pieces, (rendered) => Buffer.concat(rendered));
  return preserveDelimiters({ body, boundary, declaring, path }, whole, fields);
}
