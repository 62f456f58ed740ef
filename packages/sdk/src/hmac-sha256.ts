import { webCrypto } from './platform.ts';

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

export async function hmacSha256(
  key: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const subtle = await webCrypto();
  const imported = await subtle.importKey('raw', key, HMAC, false, ['sign']);
  return new Uint8Array(await subtle.sign(HMAC.name, imported, message));
}
