import type { Content } from '../shared/content.ts';
import type { FieldReporter } from '../shared/field-reporter.ts';
import { utf8Bytes } from '../shared/utf8.ts';
import { formText } from './form-text.ts';
import { isJson } from './is-json.ts';
import { jsonText, mayHoldExpression } from './json-text.ts';
import { boundaryOf, multipartBody } from './multipart-body.ts';
import { textTemplate, untouched, type Renderable } from './text-template.ts';

const BINARY =
  /^(?:image|audio|video|font)\/(?!svg)|^application\/(?:octet-stream|pdf|zip|gzip|x-protobuf|protobuf|wasm)\b/;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const JSON_TYPE = /^[^/]+\/(?:[^/]+\+)?json$/;
const XML_TYPE = /^(?:text|application)\/(?:xml|html|xhtml\+xml)$|\+xml$/;

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A value inside XML or HTML, in text and in attributes alike. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? character);
}

const bytes = (text: Renderable<string>): Renderable<Buffer> => ({
  references: text.references,
  render: (filling) => utf8Bytes([text.render(filling)]),
});

/** Whether an expression may stand in a body of the type, in any of the spellings that the type has for braces. */
function mayHoldAny(body: Content, type: string): boolean {
  if (type === FORM_TYPE) return true;
  return JSON_TYPE.test(type) ? mayHoldExpression(body) : body.includes('{{');
}

/**
 * The body of a proxied request by its content type: JSON string values, form fields, text fields of multipart, and any other text;
 * results are encoded for where they stand. What is binary, compressed, or holds no expression passes byte for byte (decisions.md, section 6).
 */
export function requestBody(
  body: Content,
  contentType: string,
  isEncoded: boolean,
  fields: FieldReporter,
): Renderable<Buffer> {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (isEncoded || BINARY.test(type) || !mayHoldAny(body, type)) return untouched(body.bytes);
  const boundary = type === 'multipart/form-data' ? boundaryOf(contentType) : undefined;
  if (boundary !== undefined) return multipartBody(body.bytes, boundary, fields);
  const { text } = body;
  if (JSON_TYPE.test(type)) {
    if (text !== undefined && isJson(text)) return jsonText(text, fields);
    if (body.includes('{{')) fields.report('body', 'is not valid JSON');
    return untouched(body.bytes);
  }
  if (text === undefined) return untouched(body.bytes);
  if (type === FORM_TYPE) return bytes(formText(text, 'body', fields));
  return bytes(textTemplate(text, 'body', fields, XML_TYPE.test(type) ? escapeXml : (filled) => filled));
}
