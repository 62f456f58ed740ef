import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ServiceError } from '../core/shared/service-error.ts';

/** An answer that is passed on as somebody else gave it. */
export interface RawAnswer {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Largest answer of a function, in bytes of JSON (AWS Lambda quotas), less room for headers. */
const RESULT_MAX_BYTES = 6_291_556 - 65_536;

/** The body in whichever spelling keeps every byte and takes less room. */
function spelled(body: Buffer): { readonly body: string; readonly isBase64Encoded: boolean } {
  const text = body.toString('utf8');
  const isText = Buffer.from(text).equals(body) && JSON.stringify(text).length < body.length * 1.3 + 64;
  return isText
    ? { body: text, isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true };
}

/** A response of payload format 2.0 that carries a raw answer byte for byte. Throws `destination_unreachable` if Lambda cannot carry it. */
export function rawResponse(
  status: number,
  raw: RawAnswer,
  headers: Readonly<Record<string, string>>,
): APIGatewayProxyStructuredResultV2 {
  // Names are the destination's: one that is `constructor` is a name like any other.
  const merged = Object.create(null) as Record<string, string>;
  const cookies: string[] = [];
  for (const [name, value] of raw.headers) {
    const lower = name.toLowerCase();
    if (lower === 'set-cookie') cookies.push(value);
    else merged[lower] = merged[lower] === undefined ? value : `${merged[lower]}, ${value}`;
  }
  const content = spelled(raw.body);
  if (JSON.stringify(content.body).length > RESULT_MAX_BYTES) {
    throw new ServiceError(
      'destination_unreachable',
      'The answer of the destination is larger than can be passed on.',
    );
  }
  return {
    statusCode: status,
    headers: { ...merged, ...headers },
    ...(cookies.length > 0 && { cookies }),
    ...content,
  };
}
