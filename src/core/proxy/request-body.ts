import type { Content } from '../shared/content.ts';
import type { TemplateFields } from '../expressions/template-fields.ts';
import { utf8Bytes } from '../shared/utf8.ts';
import { bodyKind, claimsJson, mediaTypeOf } from './body-kind.ts';
import { formText } from './form-text.ts';
import { isJsonText, jsonRecords, jsonText, mayHoldExpression, type RecordSeparator } from './json-text.ts';
import { boundaryOf, multipartBody } from './multipart-body.ts';
import { textTemplate, untouched, type Renderable } from './text-template.ts';

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** `{{` in any spelling: as it is, in JSON, or in a form. */
const OPENING = /(?:\{|\\u007b|%7b){2}/i;

/** Multiparts in one another. More would cost as many looks at the same bytes. */
const DEPTH_MAX = 8;

/** A value inside XML or HTML, in text and in attributes alike. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? character);
}

const bytes = (text: Renderable<string>): Renderable<Buffer> => ({
  references: text.references,
  render: (filling) => utf8Bytes([text.render(filling)]),
});

/** A body, or a part of a multipart body. */
interface Place {
  readonly body: Content;
  readonly contentType: string;
  /** Names it in errors. */
  readonly path: string;
  /** In how many multipart bodies it stands. */
  readonly depth: number;
}

/** What claims to be JSON, and is not: an expression in it has no place that is known. */
function notJson({ body, path }: Place, fields: TemplateFields): Renderable<Buffer> {
  if (body.includes('{{')) fields.report(path, 'is not valid JSON');
  return untouched(body.bytes);
}

/** What is not looked into: an expression in it has no place that is known. */
function message({ body, path }: Place, fields: TemplateFields): Renderable<Buffer> {
  if (body.includes('{{')) fields.report(path, 'has an expression in a message with headers of its own');
  return untouched(body.bytes);
}

/** What may be read by several types: an expression would be encoded for one of them. */
function ambiguous({ body, path }: Place, fields: TemplateFields): Renderable<Buffer> {
  if (OPENING.test(body.text ?? body.bytes.toString('latin1')))
    fields.report(path, 'has an expression, and its Content-Type joins several types or has one itself');
  return untouched(body.bytes);
}

function records(place: Place, separator: RecordSeparator, fields: TemplateFields): Renderable<Buffer> {
  const { body, path } = place;
  const { text } = body;
  if (text === undefined) return notJson(place, fields);
  const filled = jsonRecords(text, separator, path, fields);
  if (filled !== undefined) return filled;
  // One JSON text over several lines is JSON, whatever its type says.
  return isJsonText(text) ? jsonText(text, path, fields) : notJson(place, fields);
}

/**
 * A body whose type leaves open what it is: JSON if it parses as JSON, else text, in which values
 * stand as they are.
 */
function byContent(place: Place, fields: TemplateFields): Renderable<Buffer> {
  const { body, contentType, path } = place;
  const { text } = body;
  if (text !== undefined && isJsonText(text)) return jsonText(text, path, fields);
  if (claimsJson(mediaTypeOf(contentType), text ?? body.bytes.toString('latin1')))
    return notJson(place, fields);
  if (text === undefined || !text.includes('{{')) return untouched(body.bytes);
  return bytes(textTemplate(text, path, fields, (filled) => filled));
}

function multipart(place: Place, fields: TemplateFields): Renderable<Buffer> {
  const { body, contentType, path, depth } = place;
  const boundary = boundaryOf(contentType);
  if (boundary === undefined || depth === DEPTH_MAX) {
    const problem = boundary === undefined ? 'has no valid boundary' : 'is nested too deeply';
    if (body.includes('{{')) fields.report(path, `is multipart, has an expression, and ${problem}`);
    return untouched(body.bytes);
  }
  const type = mediaTypeOf(contentType);
  const isForm = type === 'multipart/form-data';
  // RFC 2046, sections 5.1 and 5.1.5.
  const partType = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  return multipartBody({ body: body.bytes, boundary, path, isForm, partType }, fields, (part) =>
    filledIn({ ...part, depth: depth + 1 }, fields),
  );
}

function filledIn(place: Place, fields: TemplateFields): Renderable<Buffer> {
  const { body, contentType, path } = place;
  const kind = bodyKind(contentType);
  if (kind === 'binary') return untouched(body.bytes);
  if (kind === 'ambiguous') return ambiguous(place, fields);
  // A form may spell its braces in percent-encoding; it looks for them itself.
  if (kind !== 'form' && !mayHoldExpression(body)) return untouched(body.bytes);
  if (kind === 'multipart') return multipart(place, fields);
  if (kind === 'message') return message(place, fields);
  if (kind === 'json-lines') return records(place, '\n', fields);
  if (kind === 'json-sequence') return records(place, '\u001e', fields);
  if (kind === 'other') return byContent(place, fields);
  const { text } = body;
  if (text === undefined) return untouched(body.bytes);
  return bytes(kind === 'form' ? formText(text, path, fields) : textTemplate(text, path, fields, escapeXml));
}

/**
 * The body of a proxied request with its expressions filled in: JSON string values, records of
 * JSON, form fields, parts of multipart, XML, and any other text; results are encoded for where
 * they stand. What is binary, compressed, or holds no expression passes byte for byte
 * (docs/contract.md#what-is-forwarded).
 */
export function requestBody(
  body: Content,
  contentType: string,
  isEncoded: boolean,
  fields: TemplateFields,
): Renderable<Buffer> {
  if (isEncoded) return untouched(body.bytes);
  return filledIn({ body, contentType, path: 'body', depth: 0 }, fields);
}
