import { isAscii, isUtf8 } from 'node:buffer';
import { asFieldValue } from '../proxy-expressions/request-headers.ts';
import { bodyKind } from '../proxy-expressions/body-kind.ts';
import { isEqualJson } from '../shared/json.ts';
import { JsonSyntaxError } from '../shared/walk-json.ts';
import { charsetsOf, digitBytesOf } from '../proxy-expressions/charset.ts';
import {
  maskCardNumbers,
  maskCardNumbersInForm,
  maskCardNumbersInJson,
  maskCardNumbersInRecords,
} from './card-numbers.ts';
import { withValueReplaced } from './json-body.ts';
import { headersOf, withBody, withEachHeader, type Message } from './message.ts';
import type { MaskValue } from './stored-proxy.ts';
import type { TransformBudget } from './transform-budget.ts';
import { TransformError } from './transform-failure.ts';

const contentType = (message: Message): string =>
  headersOf(message).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';

/** Types without text. */
const MEDIA = /^\s*(?:image|audio|video|font)\/(?!svg)/i;

// oxlint-disable-next-line no-control-regex -- marks have bytes of control characters.
const WIDE_MARK = /^(?:\u00ff\u00fe|\u00fe\u00ff|\u0000\u0000\u00fe\u00ff)/;

/**
 * Finds as many full-width digits as a card number has, in the bytes of Shift_JIS, of Big5, or of
 * GBK and EUC.
 */
const FULL_WIDTH_DIGITS = /(?:\u0082[O-X]){12}|(?:\u00a2[\u00af-\u00b8]){12}|(?:\u00a3[\u00b0-\u00b9]){12}/;

/** Throws {@link TransformError} for a body whose digits a search of its text does not see. */
function checkCharset(message: Message, bytes: string): void {
  const type = contentType(message);
  // Only markup declares the charset of its text in the text.
  const start = bodyKind(type) === 'xml' || /^\s*</.test(bytes.slice(0, 100)) ? bytes : '';
  const digits = charsetsOf(type, start).map(digitBytesOf);
  const isHidden = digits.includes('full_width') && FULL_WIDTH_DIGITS.test(bytes);
  // Text of two or four bytes for each character has zeros.
  if (digits.includes('unknown') || isHidden || WIDE_MARK.test(bytes) || bytes.includes('\u0000'))
    throw new TransformError('the body has a charset whose digits are not ASCII');
}

/**
 * Changes a body as text. Bytes that are not UTF-8 are read as Latin-1, in which each is one
 * character, so that all others stay as they are.
 */
function changedText(message: Message, change: (text: string) => string): Message {
  const { body } = message;
  const latin = body.toString('latin1');
  checkCharset(message, latin);
  const isUtf = isUtf8(body);
  const text = isUtf && !isAscii(body) ? body.toString('utf8') : latin;
  const changed = change(text);
  return changed === text ? message : withBody(message, Buffer.from(changed, isUtf ? 'utf8' : 'latin1'));
}

/** JSON can write digits with such an escape, which no search of text sees. */
const UNICODE_ESCAPE = /\\u/i;

function maskCards(text: string, type: string, replacement: string, { read }: TransformBudget): string {
  const kind = bodyKind(type);
  if (kind === 'form') return maskCardNumbersInForm(text, replacement, read);
  const inRecords = (): string => maskCardNumbersInRecords(text, replacement, read);
  if (kind === 'json-lines' || kind === 'json-sequence') return inRecords();
  try {
    return maskCardNumbersInJson(text, replacement, read);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    // A sender may call records by another type, or none.
    return maskCardNumbers(UNICODE_ESCAPE.test(text) ? inRecords() : text, replacement, read);
  }
}

async function replaceRegex(
  message: Message,
  expression: string,
  replacement: string,
  budget: TransformBudget,
): Promise<Message> {
  // Loads the engine on first use (docs/decisions/0013#load-rare-code-on-first-use).
  const { compileRegex, replaceMatches } = await import('./linear-regex.ts');
  const regex = compileRegex(expression);
  if ('problem' in regex) throw new TransformError('its expression cannot be read');
  return changedText(message, (text) => replaceMatches(text, regex, replacement, budget.search));
}

function maskedCards(message: Message, replacement: string, budget: TransformBudget): Message {
  const type = contentType(message);
  const masked = withEachHeader(message, (name, value) =>
    maskCardNumbers(name, replacement) === name
      ? maskCardNumbers(value, asFieldValue(replacement))
      : undefined,
  );
  if (MEDIA.test(type)) return masked;
  return changedText(masked, (text) => maskCards(text, type, replacement, budget));
}

function masked(
  { location, matcher, expression = '', replacement }: MaskValue,
  message: Message,
  budget: TransformBudget,
): Message | Promise<Message> {
  if (location !== undefined) return withValueReplaced(message, location, replacement, budget);
  return matcher === 'regex'
    ? replaceRegex(message, expression, replacement, budget)
    : maskedCards(message, replacement, budget);
}

export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/**
 * Masks what a response has: the value at a location, every card number in body and headers (a
 * header whose name has one is removed), or what a regular expression finds in the body. Throws
 * {@link TransformError} for a success with a body without anything to mask, where the mask is
 * required.
 */
export async function maskMessage(
  transform: MaskValue,
  message: Message,
  budget: TransformBudget,
): Promise<Message> {
  const after = await masked(transform, message, budget);
  const isUnchanged = after.body === message.body && isEqualJson(headersOf(after), headersOf(message));
  const isAsked = transform.required === true && isSuccess(message.status ?? 0) && message.body.length > 0;
  if (isAsked && isUnchanged) throw new TransformError('the answer has nothing to mask');
  return after;
}
