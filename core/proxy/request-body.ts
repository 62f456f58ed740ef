import { isUtf8 } from 'node:buffer';
import type { FieldReporter } from '../shared/field-reporter.ts';
import { formText } from './form-text.ts';
import { jsonText } from './json-text.ts';
import { boundaryOf, multipartBody } from './multipart-body.ts';
import { textTemplate, untouched, type Renderable } from './text-template.ts';

const BINARY =
  /^(?:image|audio|video|font)\/(?!svg)|^application\/(?:octet-stream|pdf|zip|gzip|x-protobuf|protobuf|wasm)\b/;
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

/** The text of a body; `undefined` if it is not UTF-8. */
function textOf(body: Buffer): string | undefined {
  return isUtf8(body) ? body.toString('utf8') : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const bytes = (text: Renderable<string>): Renderable<Buffer> => ({
  references: text.references,
  render: (filling) => Buffer.from(text.render(filling)),
});

/**
 * The body of a proxied request by its content type: JSON string values, form fields, text fields of multipart, and any other text;
 * results are encoded for where they stand. What is binary, compressed, or holds no expression passes byte for byte (decisions.md, section 6).
 */
export function requestBody(
  body: Buffer,
  contentType: string,
  isEncoded: boolean,
  fields: FieldReporter,
): Renderable<Buffer> {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (isEncoded || BINARY.test(type) || (!body.includes('{{') && !/form-urlencoded$|json$/.test(type)))
    return untouched(body);
  const boundary = type === 'multipart/form-data' ? boundaryOf(contentType) : undefined;
  if (boundary !== undefined) return multipartBody(body, boundary, fields);
  const text = textOf(body);
  if (text === undefined) return untouched(body);
  if (type === 'application/x-www-form-urlencoded') return bytes(formText(text, 'body', fields));
  if (!JSON_TYPE.test(type))
    return bytes(textTemplate(text, 'body', fields, XML_TYPE.test(type) ? escapeXml : (filled) => filled));
  if (isJson(text)) return bytes(jsonText(text, fields));
  if (text.includes('{{')) fields.report('body', 'is not valid JSON');
  return untouched(body);
}
