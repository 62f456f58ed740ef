import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

type Source = string | ArrayBuffer | ArrayBufferView;

function bytesOf(source: Source): Buffer {
  if (typeof source === 'string') return Buffer.from(source);
  return ArrayBuffer.isView(source)
    ? Buffer.from(source.buffer, source.byteOffset, source.byteLength)
    : Buffer.from(source);
}

/**
 * Keys by the bytes that they are made from. The SDK signs a day's requests with the same bytes.
 */
const keys = new WeakMap<object, KeyObject>();

/**
 * The text that the last key was made from. To find the day's key, the SDK hashes the secret access
 * key with each call, and a process has one.
 */
let last: { readonly text: string; readonly key: KeyObject } | undefined;

function keyOf(secret: Source): KeyObject {
  const known = typeof secret === 'string' ? last?.text === secret && last.key : keys.get(secret);
  if (known) return known;
  const key = createSecretKey(bytesOf(secret));
  if (typeof secret === 'string') last = { text: secret, key };
  else keys.set(secret, key);
  return key;
}

/**
 * SHA-256, or its HMAC with a secret, for the SDK's signatures. The SDK passes the secret as bytes,
 * which takes several times as long as a `KeyObject`
 * (docs/decisions/0013#sign-with-our-own-sha-256).
 */
export class Sha256 {
  readonly #secret: Source | undefined;
  #chunks: Uint8Array[] = [];

  constructor(secret?: Source) {
    this.#secret = secret;
  }

  update(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  /** The SDK may call this more than once, so the chunks stay. */
  digest(): Promise<Uint8Array> {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    return Promise.resolve(
      this.#secret === undefined
        ? hash('sha256', bytes, 'buffer')
        : createHmac('sha256', keyOf(this.#secret)).update(bytes).digest(),
    );
  }

  reset(): void {
    this.#chunks = [];
  }
}
