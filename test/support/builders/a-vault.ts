import { RecordCorruptedError } from '../../../src/core/crypto/record-encryption.ts';
import type { Vault } from '../../../src/core/crypto/vault.ts';
import { parseJson } from '../../../src/core/shared/parse-json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';

/** A vault without encryption, so that tests can read the content of a store. */
export function aVault(): Vault {
  return {
    encrypt: (context, value) =>
      Promise.resolve(Buffer.from(`${JSON.stringify(context)}\n${JSON.stringify(value.reveal())}`)),
    async decrypt(context, encrypted, allowance) {
      const [encryptedFor, json = ''] = encrypted.toString().split('\n');
      if (encryptedFor !== JSON.stringify(context)) throw new RecordCorruptedError('another context');
      allowance?.take(json);
      return Promise.resolve(new Secret(parseJson(json)));
    },
    mac: (context) => Promise.resolve(Buffer.from(JSON.stringify(context))),
    verify: async (context, mac) => {
      if (mac.toString() !== JSON.stringify(context)) throw new RecordCorruptedError('another context');
      return Promise.resolve();
    },
  };
}
