import { z } from 'zod';

/** The HTTP response that a function's result describes. */
export interface IntegrationResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: Buffer;
}

/** `multiValueHeaders` belong to format 1.0, so the schema omits them. */
const responseSchema = z.object({
  statusCode: z.coerce.number().int().min(200).max(599),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).nullish()).nullish(),
  cookies: z.array(z.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** Headers that the server itself writes. */
const ownedByServer = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function responseHeaders(headers: z.infer<typeof responseSchema>['headers']): Record<string, string> {
  const entries = Object.entries(headers ?? {}).map(([name, value]): [string, unknown] => [
    name.toLowerCase(),
    value,
  ]);
  const passedOn = entries.filter(
    ([name, value]) => value !== null && value !== undefined && !ownedByServer.has(name),
  );
  return Object.fromEntries(passedOn.map(([name, value]) => [name, String(value)]));
}

/**
 * Reads a function's result in payload format 2.0. One without a `statusCode` is the body of a 200.
 * `undefined` if the rest of one with a `statusCode` is no HTTP response (500 on AWS).
 */
export function integrationResponse(payload: string): IntegrationResponse | undefined {
  const result = parseJson(payload);
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    const body = Buffer.from(typeof result === 'string' ? result : payload);
    return { status: 200, headers: { 'content-type': 'application/json' }, cookies: [], body };
  }
  const parsed = responseSchema.safeParse(result);
  if (!parsed.success) return undefined;
  const { statusCode, cookies, body, isBase64Encoded } = parsed.data;
  const headers = responseHeaders(parsed.data.headers);
  const content = Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8');
  if (content.length > 0) headers['content-type'] ??= 'text/plain; charset=utf-8';
  return { status: statusCode, headers, cookies: cookies ?? [], body: content };
}
