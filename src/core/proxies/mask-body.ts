import { isUtf8 } from 'node:buffer';
import { encodeFormValue } from '../proxy/form-encoding.ts';
import { asFieldValue } from '../proxy/request-headers.ts';
import { bodyKind } from '../proxy/body-kind.ts';
import { JsonSyntaxError } from '../shared/walk-json.ts';
import { maskCardNumbers, maskCardNumbersInJson } from './card-numbers.ts';
import { replaceAt, TEXT_MAX_LENGTH, TextLengthError, type JsonEdit } from './json-location.ts';
import { withValueReplaced } from './json-body.ts';
import { withBody, type Message } from './message.ts';
import type { MaskValue } from './stored-proxy.ts';
import type { TransformBudget } from './transform-budget.ts';
import { TransformError } from './transform-failure.ts';

const contentType = ({ headers }: Message): string =>
  headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';

/** Types without text. */
const MEDIA = /^\s*(?:image|audio|video|font)\/(?!svg)/i;

/** Charsets and marks of UTF-16 and UTF-32, whose digits are not bytes of ASCII. */
const WIDE_CHARSET = /charset\s*=\s*["']?(?:utf-?(?:16|32)|ucs-?[24])/i;
// oxlint-disable-next-line no-control-regex -- marks have bytes of control characters.
const WIDE_MARK = /^(?:\u00ff\u00fe|\u00fe\u00ff|\u0000\u0000\u00fe\u00ff)/;

/**
 * Changes a body as text. Bytes that are not UTF-8 are read as Latin-1, in which each is one
 * character, so that all others stay as they are.
 */
function changedText(message: Message, change: (text: string) => string): Message {
  const { body } = message;
  const encoding = isUtf8(body) ? 'utf8' : 'latin1';
  const text = body.toString(encoding);
  const isWide = WIDE_CHARSET.test(contentType(message)) || WIDE_MARK.test(body.toString('latin1', 0, 4));
  // Text of two or four bytes for each character has zeros.
  if (isWide || text.includes('\u0000'))
    throw new TransformError('the body has a charset whose digits are not ASCII');
  const changed = change(text);
  return changed === text ? message : withBody(message, Buffer.from(changed, encoding));
}

/** Masks the card numbers in the names and values of a form. */
function maskForm(text: string, replacement: string): string {
  const edits: JsonEdit[] = [];
  let { length } = text;
  for (const { index: start, 0: part } of text.matchAll(/[^&=]+/g)) {
    // Like most readers of forms, it leaves a `%` that encodes nothing as it is.
    const decoded = new URLSearchParams(`=${part}`).get('') ?? '';
    const masked = maskCardNumbers(decoded, replacement);
    if (masked === decoded) continue;
    const json = encodeFormValue(masked);
    edits.push({ start, end: start + part.length, json });
    length += json.length - part.length;
    if (length > TEXT_MAX_LENGTH) throw new TextLengthError();
  }
  return replaceAt(text, edits);
}

function maskCards(text: string, type: string, replacement: string): string {
  if (bodyKind(type) === 'form') return maskForm(text, replacement);
  try {
    return maskCardNumbersInJson(text, replacement);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return maskCardNumbers(text, replacement);
  }
}

async function replaceRegex(
  message: Message,
  expression: string,
  replacement: string,
  budget: TransformBudget,
): Promise<Message> {
  // Loads the engine on first use (docs/decisions/0026-load-rare-code-on-first-use.md).
  const { compileRegex, replaceMatches } = await import('./linear-regex.ts');
  const regex = compileRegex(expression);
  if ('problem' in regex) throw new TransformError('its expression cannot be read');
  return budget.searching((beforeSearch) =>
    changedText(message, (text) => replaceMatches(text, regex, replacement, beforeSearch)),
  );
}

/**
 * Masks what an answer has: the value at a location, every card number in body and headers (a
 * header whose name has one is removed), or what a regular expression finds in the body.
 */
export async function maskMessage(
  { location, matcher, expression = '', replacement }: MaskValue,
  message: Message,
  budget: TransformBudget,
): Promise<Message> {
  if (location !== undefined) return withValueReplaced(message, location, replacement);
  if (matcher === 'regex') return replaceRegex(message, expression, replacement, budget);
  const type = contentType(message);
  const headers = message.headers
    .filter(([name]) => maskCardNumbers(name, replacement) === name)
    .map(([name, value]) => [name, maskCardNumbers(value, asFieldValue(replacement))] as const);
  if (MEDIA.test(type)) return { ...message, headers };
  return changedText({ ...message, headers }, (text) => maskCards(text, type, replacement));
}
