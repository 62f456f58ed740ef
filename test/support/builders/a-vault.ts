import { RecordCorruptedError, type RecordContext } from '../../../src/core/crypto/record-encryption.ts';
import type { Vault } from '../../../src/core/crypto/vault.ts';
import { parseJson } from '../../../src/core/shared/parse-json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';

const LINE_FEED = 10;

const sealed = (context: RecordContext, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify(context)}\n`), bytes]);

function opened(context: RecordContext, encrypted: Buffer): Buffer {
  const end = encrypted.indexOf(LINE_FEED);
  if (encrypted.subarray(0, end).toString() !== JSON.stringify(context))
    throw new RecordCorruptedError('another context');
  return encrypted.subarray(end + 1);
}

/** A vault without encryption, so that tests can read the content of a store. */
export function aVault(): Vault {
  return {
    encrypt: (context, value) =>
      Promise.resolve(sealed(context, Buffer.from(JSON.stringify(value.reveal())))),
    async decrypt(context, encrypted, allowance) {
      const json = opened(context, encrypted).toString();
      allowance?.take(json);
      return Promise.resolve(new Secret(parseJson(json)));
    },
    encryptBytes: (context, bytes) => Promise.resolve(sealed(context, bytes.reveal())),
    decryptBytes: async (context, encrypted) => Promise.resolve(new Secret(opened(context, encrypted))),
    mac: (context) => Promise.resolve(Buffer.from(JSON.stringify(context))),
    verify: async (context, mac) => {
      if (mac.toString() !== JSON.stringify(context)) throw new RecordCorruptedError('another context');
      return Promise.resolve();
    },
  };
}
