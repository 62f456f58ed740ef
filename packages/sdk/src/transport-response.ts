export interface TransportResponse {
  readonly status: number;
  /**
   * Names in lower case; values of a repeated header joined by commas, except `set-cookie`, which
   * is not here.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Each `Set-Cookie`: their values contain commas. */
  readonly setCookies: readonly string[];
  /** Decoded, if `headers` have no `content-encoding`. */
  readonly body: Uint8Array;
}

type Fields = Pick<TransportResponse, 'headers' | 'setCookies'>;

const DECODED: readonly string[] = ['gzip', 'x-gzip', 'deflate', 'br'];

/**
 * The encodings of a body, in the order of their application; empty if there are none, or if one is
 * not supported. `fetch` does the same.
 */
export function codingsOf(contentEncoding: string | undefined): readonly string[] {
  const codings = (contentEncoding ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  return codings.every((coding) => DECODED.includes(coding)) ? codings : [];
}

/**
 * The headers of a response. If its body can be decoded, without its encoding and its encoded
 * length.
 */
export function fieldsOf(received: Iterable<readonly [name: string, value: string]>): Fields {
  const headers = new Map<string, string>();
  const setCookies: string[] = [];
  for (const [input, value] of received) {
    const name = input.toLowerCase();
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
