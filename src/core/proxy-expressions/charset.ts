import { isAscii } from 'node:buffer';
import type { TemplateFields } from '../expressions/template-fields.ts';
import { bytesOfBody, type BodyBytes } from '../shared/utf8.ts';
import type { Renderable } from './renderable.ts';

const PARAMETER = /;\s*charset\s*=\s*["']?([^\s"';,]*)/gi;
/** XML, HTML and style sheets declare their charset in their first characters. */
const DECLARATION = /\b(?:encoding|charset)\s{0,20}=\s{0,20}["']?([\w.:-]+)/gi;
const DECLARED_WITHIN = 1_024;

const UNICODE = /^(?:utf-?8|us-ascii|ascii)?$/i;
/** Charsets in which each byte is a character, and those of ASCII are the same. */
const ONE_BYTE = /^(?:iso[-_]?8859-?\d{1,2}|latin-?\d|windows-125\d|cp125\d|koi8-[ru])$/i;
/** Charsets in which an ASCII byte after an ASCII byte always is that ASCII character. */
const SEVERAL_BYTES = /^(?:gbk|gb2312|gb18030|big5|shift[-_]jis|sjis|euc-(?:jp|kr))$/i;

/** How digits are written in a charset: as in ASCII, or also in full width in two bytes. */
export type DigitBytes = 'ascii' | 'full_width' | 'unknown';

export function digitBytesOf(charset: string): DigitBytes {
  if (UNICODE.test(charset) || ONE_BYTE.test(charset)) return 'ascii';
  return SEVERAL_BYTES.test(charset) ? 'full_width' : 'unknown';
}

/** A percent-encoded byte that is not ASCII, even if its `%` is encoded again. */
const ENCODED_BYTE = /%(?:25)*[89a-f][\da-f]/i;

/** The charsets that a type, or the start of a text, declares. */
export function charsetsOf(contentType: string, text: string): readonly string[] {
  return [
    ...[...contentType.matchAll(PARAMETER)].map(([, name = '']) => name),
    ...[...text.slice(0, DECLARED_WITHIN).matchAll(DECLARATION)].map(([, name = '']) => name),
  ];
}

/**
 * Accepts only ASCII in a body with references that its receiver does not read as UTF-8. In a
 * charset of several bytes, a byte of a value could hide the character after it.
 */
export function checkCharset(
  body: Renderable<BodyBytes>,
  charsets: readonly string[],
  path: string,
  fields: TemplateFields,
): Renderable<BodyBytes> {
  const others = charsets.filter((name) => !UNICODE.test(name));
  if (others.length === 0 || body.references.length === 0) return body;
  if (others.some((name) => digitBytesOf(name) === 'unknown'))
    fields.report(path, 'has an expression and a charset that is not based on ASCII');
  return {
    references: body.references,
    render: (filling) => {
      const rendered = bytesOfBody(body.render(filling));
      if (!isAscii(rendered) || ENCODED_BYTE.test(rendered.toString('latin1')))
        fields.report(path, 'becomes a body with other characters than ASCII, in a charset other than UTF-8');
      return rendered;
    },
  };
}
