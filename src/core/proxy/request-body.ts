import type { Content } from '../shared/content.ts';
import type { TemplateFields } from '../expressions/template-fields.ts';
import { utf8Bytes } from '../shared/utf8.ts';
import { bodyKind, claimsJson, mediaTypeOf, type BodyKind } from './body-kind.ts';
import { charsetsOf, checkCharset } from './charset.ts';
import { formText } from './form-text.ts';
import { isJsonText, jsonRecords, jsonText, mayHoldExpression, type RecordSeparator } from './json-text.ts';
import { boundaryOf, multipartBody } from './multipart-body.ts';
import { nestedTemplate, verbatim, type Renderable } from './renderable.ts';
import { xmlText } from './xml-text.ts';

/** `{{` in any spelling: plain, in JSON, or in a form. */
const OPENING = /(?:\{|\\u007b|%7b){2}/i;

/** Deepest nesting of multiparts. Each level reads the same bytes again. */
const DEPTH_MAX = 8;

const bytes = (text: Renderable<string>): Renderable<Buffer> => ({
  references: text.references,
  render: (filling) => utf8Bytes([text.render(filling)]),
});

/** A body, or a part of a multipart body. */
interface Place {
  readonly body: Content;
  readonly contentType: string;
  /** Names the body in errors. */
  readonly path: string;
  /** The number of multipart bodies around it. */
  readonly depth: number;
  /** The charsets that the types of these multipart bodies declare. */
  readonly charsets: readonly string[];
}

/** A body that claims to be JSON but is not: the context of an expression in it is unknown. */
function notJson({ body, path }: Place, fields: TemplateFields): Renderable<Buffer> {
  if (body.includes('{{')) fields.report(path, 'is not valid JSON');
  return verbatim(body.bytes);
}

/** A message is not parsed: the context of an expression in it is unknown. */
function message({ body, path }: Place, fields: TemplateFields): Renderable<Buffer> {
  if (body.includes('{{')) fields.report(path, 'has an expression in a message that has its own headers');
  return verbatim(body.bytes);
}

/** A body that several types may apply to: an expression would be encoded for only one of them. */
function ambiguous({ body, path }: Place, fields: TemplateFields): Renderable<Buffer> {
  if (OPENING.test(body.text ?? body.bytes.toString('latin1')))
    fields.report(path, 'has an expression, and its Content-Type joins several types or has one itself');
  return verbatim(body.bytes);
}

function records(place: Place, separator: RecordSeparator, fields: TemplateFields): Renderable<Buffer> {
  const { body, path } = place;
  const { text } = body;
  if (text === undefined) return notJson(place, fields);
  const filled = jsonRecords(text, separator, path, fields);
  if (filled !== undefined) return filled;
  // One JSON text over several lines is JSON, whatever its type.
  return isJsonText(text) ? jsonText(text, path, fields) : notJson(place, fields);
}

/**
 * A body whose type is inconclusive: JSON if it parses as JSON, else text, which may be a form.
 */
function byContent(place: Place, fields: TemplateFields): Renderable<Buffer> {
  const { body, contentType, path } = place;
  const { text } = body;
  if (text !== undefined && isJsonText(text)) return jsonText(text, path, fields);
  if (claimsJson(mediaTypeOf(contentType), text ?? body.bytes.toString('latin1')))
    return notJson(place, fields);
  if (text === undefined || !text.includes('{{')) return verbatim(body.bytes);
  return bytes(nestedTemplate(text, path, fields));
}

/** The charsets that the receiver may read a body in. XML and HTML declare one in their text. */
function charsetsOfPlace({ body, contentType, charsets }: Place, kind: BodyKind): readonly string[] {
  return [...charsets, ...charsetsOf(contentType, kind === 'xml' ? (body.text ?? '') : '')];
}

function multipart(place: Place, fields: TemplateFields): Renderable<Buffer> {
  const { body, contentType, path, depth } = place;
  const boundary = boundaryOf(contentType);
  if (boundary === undefined || depth === DEPTH_MAX) {
    const problem = boundary === undefined ? 'has no valid boundary' : 'is nested too deeply';
    if (body.includes('{{')) fields.report(path, `is multipart, has an expression, and ${problem}`);
    return verbatim(body.bytes);
  }
  const type = mediaTypeOf(contentType);
  const isForm = type === 'multipart/form-data';
  const charsets = charsetsOfPlace(place, 'multipart');
  // RFC 2046, sections 5.1 and 5.1.5.
  const partType = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  return multipartBody({ body: body.bytes, boundary, path, isForm, partType }, fields, (part) =>
    filledIn({ ...part, depth: depth + 1, charsets }, fields),
  );
}

function byKind(place: Place, kind: BodyKind, fields: TemplateFields): Renderable<Buffer> {
  const { body, path } = place;
  if (kind === 'multipart') return multipart(place, fields);
  if (kind === 'message') return message(place, fields);
  if (kind === 'json-lines') return records(place, '\n', fields);
  if (kind === 'json-sequence') return records(place, '\u001e', fields);
  if (kind === 'other') return byContent(place, fields);
  const { text } = body;
  if (text === undefined) return verbatim(body.bytes);
  // Many clients send any body as octet-stream: what parses as JSON is JSON.
  if (kind === 'binary') return isJsonText(text) ? jsonText(text, path, fields) : verbatim(body.bytes);
  return bytes(kind === 'form' ? formText(text, path, fields) : xmlText(text, path, fields));
}

function filledIn(place: Place, fields: TemplateFields): Renderable<Buffer> {
  const { body, contentType, path } = place;
  const kind = bodyKind(contentType);
  if (kind === 'ambiguous') return ambiguous(place, fields);
  // A form may percent-encode its braces; it searches for them itself.
  if (kind !== 'form' && !mayHoldExpression(body)) return verbatim(body.bytes);
  const filled = byKind(place, kind, fields);
  // A file in a multipart may have any bytes: each of its parts is checked on its own.
  return kind === 'multipart' ? filled : checkCharset(filled, charsetsOfPlace(place, kind), path, fields);
}

/**
 * The body of a proxied request, each result encoded for its context. Binary or compressed bodies,
 * or those without expressions, are sent unchanged (docs/contract.md#what-is-forwarded).
 */
export function requestBody(
  body: Content,
  contentType: string,
  isEncoded: boolean,
  fields: TemplateFields,
): Renderable<Buffer> {
  if (isEncoded) return verbatim(body.bytes);
  return filledIn({ body, contentType, path: 'body', depth: 0, charsets: [] }, fields);
}
