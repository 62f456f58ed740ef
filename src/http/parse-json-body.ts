import type { Content } from '../core/shared/content.ts';
import { FieldReporter } from '../core/shared/field-reporter.ts';
import { DEPTH_MAX, JsonExtentError, MEMBERS_MAX_TEXT, membersOf } from '../core/shared/json-extent.ts';
import type { Json } from '../core/shared/json.ts';
import { parseJson } from '../core/shared/parse-json.ts';
import { ServiceError } from '../core/shared/service-error.ts';
import { linePosition } from '../core/shared/text-position.ts';
import { JsonSyntaxError } from '../core/shared/walk-json.ts';
import { BodyCheck } from '../wire/body-check.ts';

/** A reader may ignore this mark before the text (RFC 8259, section 8.1). */
const BYTE_ORDER_MARK = '\ufeff';

function refused(detail: string): ServiceError {
  return new ServiceError('validation_failed', detail);
}

function notUtf8(bytes: Buffer): ServiceError {
  // Invalid UTF-8 becomes U+FFFD, which has other bytes.
  const again = Buffer.from(bytes.toString());
  const at = bytes.findIndex((byte, index) => byte !== again[index]);
  return refused(`The body is not valid UTF-8 at ${linePosition(bytes.toString('utf8', 0, at), Infinity)}.`);
}

function notJson(text: string, { at }: JsonSyntaxError): ServiceError {
  const ends = at >= text.length ? ', where it ends' : '';
  return refused(`The body is not valid JSON at ${linePosition(text, at)}${ends}.`);
}

const EXCESS = {
  depth: `The body is nested deeper than ${String(DEPTH_MAX)} levels.`,
  members: `The body holds more than ${MEMBERS_MAX_TEXT}.`,
} as const;

/**
 * Throws `validation_failed` for a body that is not JSON in UTF-8 (with line and column), that has
 * too many levels or members, or that parsing would change (with its path)
 * (docs/contract.md#bodies).
 */
export function parseJsonBody(content: Content): Json {
  const whole = content.text;
  if (whole === undefined) throw notUtf8(content.bytes);
  const text = whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(BYTE_ORDER_MARK.length) : whole;
  const fields = new FieldReporter();
  try {
    membersOf(text, { also: new BodyCheck(text, fields) });
    fields.throwIfFailed();
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonExtentError) throw refused(EXCESS[error.exceeds]);
    if (error instanceof JsonSyntaxError) throw notJson(text, error);
    throw error;
  }
}
