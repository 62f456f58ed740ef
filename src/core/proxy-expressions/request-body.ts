import type { Content } from '../shared/content.ts';
import type { TemplateFields } from '../expressions/template-fields.ts';
import { textPosition } from '../shared/text-position.ts';
import { bytesOfBody, utf8Bytes, type BodyBytes } from '../shared/utf8.ts';
import { bodyKind, claimsJson, mediaTypeOf, type BodyKind } from './body-kind.ts';
import { charsetsOf, checkCharset } from './charset.ts';
import { formText } from './form-text.ts';
import { jsonErrorAt } from './is-json.ts';
import { isJsonText, jsonRecords, jsonText, mayHoldExpression, type RecordSeparator } from './json-text.ts';
import { boundaryOf, multipartBody } from './multipart-body.ts';
import { nestedTemplate, verbatim, type Renderable } from './renderable.ts';
import { xmlText } from './xml-text.ts';

/** `{{` in any spelling: as plain text, in JSON, or in a form. */
const OPENING = /(?:\{|\\u007b|%7b){2}/i;

/** Deepest nesting of multiparts. Each level reads the same bytes again. */
const DEPTH_MAX = 8;

const bytes = (text: Renderable<string>): Renderable<BodyBytes> => ({
  references: text.references,
  render: (filling) => utf8Bytes([text.render(filling)]),
});

const asBytes = (body: Renderable<BodyBytes>): Renderable<Buffer> => ({
  references: body.references,
  render: (filling) => bytesOfBody(body.render(filling)),
});

/** A whole body, or the content of one part of a multipart body. */
interface BodyPlace {
  readonly body: Content;
  readonly contentType: string;
  /** The name of the body in errors. */
  readonly path: string;
  /** The number of multipart bodies that contain it. */
  readonly depth: number;
  /** The charsets that the types of these multipart bodies declare. */
  readonly charsets: readonly string[];
}

/** Describes where one of the JSON texts of a body, between separators, is not JSON. */
function jsonProblem(body: string, separator?: RecordSeparator): string {
  const text = body.replace(/^\ufeff/, '');
  let from = 0;
  for (const part of separator === undefined ? [text] : text.split(separator)) {
    const error = part.includes('{{') ? jsonErrorAt(part) : undefined;
    if (error !== undefined) {
      const at = from + error;
      // The first of two braces opens an object, and the second is the error.
      const bare = [at - 1, at].find((start) => text.startsWith('{{', start));
      const hint = bare === undefined ? '' : '; an expression is written in quotation marks';
      return `is not valid JSON at ${textPosition(text, bare ?? at)}${hint}`;
    }
    from += part.length + 1;
  }
  return 'is not valid JSON';
}

/** Rejects expressions in a body that claims to be JSON but is not: their context is unknown. */
function notJson(
  { body, path }: BodyPlace,
  fields: TemplateFields,
  separator?: RecordSeparator,
): Renderable<BodyBytes> {
  if (body.includes('{{')) fields.report(path, jsonProblem(body.text ?? '', separator));
  return verbatim(body.bytes);
}

/** Rejects expressions in a message. It is not parsed, so their context is unknown. */
function message({ body, path }: BodyPlace, fields: TemplateFields): Renderable<BodyBytes> {
  if (body.includes('{{')) fields.report(path, 'has an expression in a message that has its own headers');
  return verbatim(body.bytes);
}

/**
 * Rejects expressions in a body that several types may apply to: they would be encoded for one
 * only.
 */
function ambiguous({ body, path }: BodyPlace, fields: TemplateFields): Renderable<BodyBytes> {
  if (OPENING.test(body.text ?? body.bytes.toString('latin1')))
    fields.report(path, 'has an expression, and its Content-Type joins several types or has one itself');
  return verbatim(body.bytes);
}

function records(
  place: BodyPlace,
  separator: RecordSeparator,
  fields: TemplateFields,
): Renderable<BodyBytes> {
  const { body, path } = place;
  const { text } = body;
  if (text === undefined) return notJson(place, fields);
  const filled = jsonRecords(text, separator, path, fields);
  if (filled !== undefined) return filled;
  // A JSON text over several lines is JSON, whatever its type.
  return isJsonText(text) ? jsonText(text, path, fields) : notJson(place, fields, separator);
}

/** Reads a body of an inconclusive type as JSON if it parses, else as text, which may be a form. */
function byContent(place: BodyPlace, fields: TemplateFields): Renderable<BodyBytes> {
  const { body, contentType, path } = place;
  const { text } = body;
  if (text !== undefined && isJsonText(text)) return jsonText(text, path, fields);
  if (claimsJson(mediaTypeOf(contentType), text ?? body.bytes.toString('latin1')))
    return notJson(place, fields);
  if (text === undefined || !text.includes('{{')) return verbatim(body.bytes);
  return bytes(nestedTemplate(text, path, fields));
}

/** The charsets that the receiver may read a body in. XML and HTML declare one in their text. */
function charsetsOfPlace({ body, contentType, charsets }: BodyPlace, kind: BodyKind): readonly string[] {
  return [...charsets, ...charsetsOf(contentType, kind === 'xml' ? (body.text ?? '') : '')];
}

function multipart(place: BodyPlace, fields: TemplateFields): Renderable<BodyBytes> {
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
  // RFC 2046, sections 5.1 and 5.1.5, sets the type of parts that name none.
  const partType = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  return multipartBody({ body: body.bytes, boundary, path, isForm, partType }, fields, (part) =>
    asBytes(filledIn({ ...part, depth: depth + 1, charsets }, fields)),
  );
}

function byKind(place: BodyPlace, kind: BodyKind, fields: TemplateFields): Renderable<BodyBytes> {
  const { body, path } = place;
  if (kind === 'multipart') return multipart(place, fields);
  if (kind === 'message') return message(place, fields);
  if (kind === 'json-lines') return records(place, '\n', fields);
  if (kind === 'json-sequence') return records(place, '\u001e', fields);
  if (kind === 'other') return byContent(place, fields);
  const { text } = body;
  if (text === undefined) return verbatim(body.bytes);
  // Many clients send any body as octet-stream, so what parses as JSON is JSON.
  if (kind === 'binary') return isJsonText(text) ? jsonText(text, path, fields) : verbatim(body.bytes);
  return bytes(kind === 'form' ? formText(text, path, fields) : xmlText(text, path, fields));
}

function filledIn(place: BodyPlace, fields: TemplateFields): Renderable<BodyBytes> {
  const { body, contentType, path } = place;
  const kind = bodyKind(contentType);
  if (kind === 'ambiguous') return ambiguous(place, fields);
  // A form may percent-encode its braces; it searches for them itself.
  if (kind !== 'form' && !mayHoldExpression(body)) return verbatim(body.bytes);
  const filled = byKind(place, kind, fields);
  // A file in a multipart may have any bytes, so each of its parts is checked on its own.
  return kind === 'multipart' ? filled : checkCharset(filled, charsetsOfPlace(place, kind), path, fields);
}

/**
 * Fills in the body of a proxied request, and encodes each result for its context. A body that is
 * binary or compressed, or has no expression, is sent unchanged
 * (docs/contract.md#what-is-forwarded).
 */
export function requestBody(
  body: Content,
  contentType: string,
  isEncoded: boolean,
  fields: TemplateFields,
): Renderable<BodyBytes> {
  if (isEncoded) return verbatim(body.bytes);
  return filledIn({ body, contentType, path: 'body', depth: 0, charsets: [] }, fields);
}
