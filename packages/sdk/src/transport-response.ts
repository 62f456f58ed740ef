export interface TransportResponse {
  readonly status: number;
  /**
   * Names in lower case; the values of a repeated one joined by commas, but for `set-cookie`, which
   * is not here.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Each `Set-Cookie`: their values have commas of their own. */
  readonly setCookies: readonly string[];
  /** Decoded, if `headers` have no `content-encoding`. */
  readonly body: Uint8Array;
}

type Fields = Pick<TransportResponse, 'headers' | 'setCookies'>;

const DECODED: readonly string[] = ['gzip', 'x-gzip', 'deflate', 'br'];

/**
 * What was done to a body, in this order; empty if nothing was, or if not all of it can be undone.
 * `fetch` judges alike.
 */
export function codingsOf(contentEncoding: string | undefined): readonly string[] {
  const codings = (contentEncoding ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  return codings.every((coding) => DECODED.includes(coding)) ? codings : [];
}

/**
 * Fields as they came, of a body that is decoded if it can be: then its encoding and its encoded
 * length are nobody's business.
 */
export function fieldsOf(received: Iterable<readonly [name: string, value: string]>): Fields {
  const headers = new Map<string, string>();
  const setCookies: string[] = [];
  for (const [given, value] of received) {
    const name = given.toLowerCase();
    const before = headers.get(name);
    if (name === 'set-cookie') setCookies.push(value);
    else headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  if (codingsOf(headers.get('content-encoding')).length > 0) {
    headers.delete('content-encoding');
    headers.delete('content-length');
  }
  return { headers: Object.fromEntries(headers), setCookies };
}
