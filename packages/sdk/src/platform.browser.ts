export { browserTransport as send } from './fetch-transport.ts';

/** No browser sends one. */
export const SENDS_BODY_OF_GET: boolean = false;

/** A page has no environment: an absent option is a `TypeError`. */
export function settingOf(option: 'baseUrl' | 'apiKey'): never {
  throw new TypeError(`Set the option ${option}`);
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/** HMAC-SHA-256 with WebCrypto, which browsers offer only in secure contexts. */
export async function hmacSha256(
  key: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const { subtle } = crypto as Partial<typeof crypto>;
  if (subtle === undefined) throw new TypeError('WebCrypto needs a secure context (https)');
  const imported = await subtle.importKey('raw', key, HMAC, false, ['sign']);
  return new Uint8Array(await subtle.sign(HMAC.name, imported, message));
}
