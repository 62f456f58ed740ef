import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ServiceError } from '../core/shared/service-error.ts';
import { utf8Text } from '../core/shared/utf8.ts';

/** A response of a destination, which is returned unchanged. */
export interface RawResponse {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/**
 * The largest response that a function may return, in bytes of JSON (AWS Lambda quotas), less room
 * for headers.
 */
const RESULT_MAX_BYTES = 6_291_556 - 65_536;

interface Spelled {
  readonly body: string;
  readonly isBase64Encoded: boolean;
  /** The bytes that the body takes inside the JSON of the result. */
  readonly bytes: number;
}

const inBase64 = (body: Buffer): Spelled => {
  const text = body.toString('base64');
  return { body: text, isBase64Encoded: true, bytes: text.length };
};

/** The most bytes that JSON makes of one byte, as in `\u0000`. */
const ESCAPE_MAX_BYTES = 6;

/**
 * The body in an encoding that preserves every byte. Text in UTF-8 stays text, unless escaping
 * makes it longer than base64.
 */
function spelled(body: Buffer): Spelled {
  const text = utf8Text(body);
  if (text === undefined) return inBase64(body);
  const most = body.length * ESCAPE_MAX_BYTES;
  // Most bodies fit even if every byte is escaped. Measuring would cost more than it saves.
  if (most <= RESULT_MAX_BYTES) return { body: text, isBase64Encoded: false, bytes: most };
  // Escapes are ASCII: they add as many bytes as characters.
  const bytes = body.length + JSON.stringify(text).length - text.length;
  return bytes < (body.length * 4) / 3 ? { body: text, isBase64Encoded: false, bytes } : inBase64(body);
}

/**
 * A response of payload format 2.0 with the bytes of a raw response. Throws
 * `destination_unreachable` if Lambda cannot carry it.
 */
export function rawResponse(
  status: number,
  raw: RawResponse,
  headers: Readonly<Record<string, string>>,
): APIGatewayProxyStructuredResultV2 {
  // The destination chooses the names, so `constructor` is a name like any other.
  const merged = Object.create(null) as Record<string, string>;
  const cookies: string[] = [];
  for (const [name, value] of raw.headers) {
    const lower = name.toLowerCase();
    if (lower === 'set-cookie') cookies.push(value);
    else merged[lower] = merged[lower] === undefined ? value : `${merged[lower]}, ${value}`;
  }
  const { bytes, ...content } = spelled(raw.body);
  if (bytes > RESULT_MAX_BYTES) {
    throw new ServiceError(
      'destination_unreachable',
      'The response of the destination is too large to be passed on.',
    );
  }
  return {
    statusCode: status,
    headers: { ...merged, ...headers },
    ...(cookies.length > 0 && { cookies }),
    ...content,
  };
}
