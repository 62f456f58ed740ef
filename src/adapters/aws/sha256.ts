import { createHash, createHmac, createSecretKey, type Hash } from 'node:crypto';

type Source = string | ArrayBuffer | ArrayBufferView;

function bytesOf(source: Source): Buffer {
  if (typeof source === 'string') return Buffer.from(source);
  return ArrayBuffer.isView(source)
    ? Buffer.from(source.buffer, source.byteOffset, source.byteLength)
    : Buffer.from(source);
}

/**
 * SHA-256, or its HMAC with a secret, for the SDK's signatures. The SDK passes the secret as bytes,
 * which takes several times as long as a `KeyObject` (docs/decisions/0023).
 */
export class Sha256 {
  readonly #secret: Source | undefined;
  #hash: Hash | ReturnType<typeof createHmac>;

  constructor(secret?: Source) {
    this.#secret = secret;
    this.#hash = this.#fresh();
  }

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }

  digest(): Promise<Uint8Array> {
    // The SDK may read a plain hash more than once.
    const hash = this.#hash;
    return Promise.resolve('copy' in hash ? hash.copy().digest() : hash.digest());
  }

  reset(): void {
    this.#hash = this.#fresh();
  }

  #fresh(): Hash | ReturnType<typeof createHmac> {
    if (this.#secret === undefined) return createHash('sha256');
    return createHmac('sha256', createSecretKey(bytesOf(this.#secret)));
  }
}
