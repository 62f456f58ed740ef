/*
 * Replaces `@smithy/core/checksum` in the bundles (tools/assets/bundle.ts). The SDK has hashes in
 * JavaScript for platforms without them, which every start would read
 * (docs/decisions/0013#sign-with-our-own-sha-256).
 */
import { createHash } from 'node:crypto';

export { Sha256 } from './sha256.ts';

/** MD5, with which the client of SQS checks that a message arrived unchanged. */
export class Md5 {
  #hash = createHash('md5');

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }

  /** Reads the hash without ending it, because the SDK may read it more than once. */
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.copy().digest());
  }

  reset(): void {
    this.#hash = createHash('md5');
  }
}
