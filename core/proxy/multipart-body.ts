import type { FieldReporter } from '../shared/field-reporter.ts';
import { utf8Text } from '../shared/utf8.ts';
import { textTemplate, together, untouched, type Renderable } from './text-template.ts';

const BLANK_LINE = Buffer.from('\r\n\r\n');

/** The boundary of a `multipart/form-data` content type (RFC 7578). */
export function boundaryOf(contentType: string): string | undefined {
  const match = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType);
  return match?.[1] ?? match?.[2];
}

/** Where the parts of a body lie between its delimiters. */
function* partsOf(
  body: Buffer,
  delimiter: Buffer,
): Generator<{ readonly from: number; readonly to: number }> {
  for (let at = body.indexOf(delimiter); at !== -1;) {
    const from = at + delimiter.length;
    const next = body.indexOf(delimiter, from);
    if (next === -1) break;
    yield { from, to: next };
    at = next;
  }
}

/** Whether a part is a file, which passes untouched: it has a file name (RFC 7578, section 4.2). */
function isFile(headers: string): boolean {
  return /^content-disposition:(?:[^"\r\n]|"[^"\r\n]*")*;\s*filename\*?\s*=/im.test(headers);
}

/** A text field's content, filled in. */
function textField(
  headers: string,
  content: Buffer,
  boundary: string,
  fields: FieldReporter,
): Renderable<Buffer> {
  const given = utf8Text(content);
  if (given === undefined) {
    fields.report('body', 'has a text field that is not UTF-8');
    return untouched(content);
  }
  const name = /;\s*name="([^"]*)"/i.exec(headers)?.[1] ?? 'part';
  const path = `body.${name}`;
  const template = textTemplate(given, path, fields, (filled) => filled);
  return {
    references: template.references,
    render: (filling) => {
      const text = template.render(filling);
      if (text.includes(`--${boundary}`))
        fields.report(path, 'becomes a text with the boundary of the body in it');
      return Buffer.from(text);
    },
  };
}

/** A multipart body: its text fields filled in, its files and everything else byte for byte as they came. */
export function multipartBody(body: Buffer, boundary: string, fields: FieldReporter): Renderable<Buffer> {
  const pieces: Renderable<Buffer>[] = [];
  let at = 0;
  for (const { from, to } of partsOf(body, Buffer.from(`--${boundary}`))) {
    if (fields.isFull) break;
    const headersEnd = body.subarray(from, to).indexOf(BLANK_LINE);
    if (headersEnd === -1) continue;
    const contentFrom = from + headersEnd + BLANK_LINE.length;
    // The line break before a delimiter belongs to the delimiter (RFC 2046, section 5.1.1).
    const contentTo = body.subarray(to - 2, to).equals(Buffer.from('\r\n')) ? to - 2 : to;
    if (contentTo < contentFrom) continue;
    const content = body.subarray(contentFrom, contentTo);
    const headers = body.toString('latin1', from, contentFrom);
    if (!content.includes('{{') || isFile(headers)) continue;
    pieces.push(untouched(body.subarray(at, contentFrom)), textField(headers, content, boundary, fields));
    at = contentTo;
  }
  pieces.push(untouched(body.subarray(at)));
  return together(pieces, (rendered) => Buffer.concat(rendered));
}
