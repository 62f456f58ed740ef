import { requireApiKey } from '../../../src/core/access/authenticate.ts';
import { generateApiKey } from '../../../src/core/crypto/api-key.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const TENANT = '5f9c1f0e-3c53-4f6e-9a53-0d9c6a1c2b11';
const messageOf = (text: string): string | undefined => {
  try {
    requireApiKey(new Secret(text));
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 'unauthenticated' });
    return (error as Error).message;
  }
};

describe('the error for a text that is no key', () => {
  const key = generateApiKey(machinePlatform.random, 'private', TENANT).reveal();

  it('calls a key with a part missing, added or changed not whole', () => {
    // Without one character it may decode to as many bytes: then it is an unknown key.
    for (let length = 'key_'.length; length < key.length - 1; length += 1)
      expect(messageOf(key.slice(0, length))).toMatch(/^The API key is not whole/);
    for (const text of [`${key}aaa`, `${key} `, `${key}"`, `${key.slice(0, -3)}0Il`, 'key_', 'key_Private_a'])
      expect(messageOf(text)).toMatch(/^The API key is not whole/);
    expect(messageOf(key)).toBeUndefined();
  });

  it('describes a key to who sends anything else', () => {
    for (const text of ['', 'Bearer x', `Bearer ${key}`, `"${key}"`, key.slice(1), 'KEY_private_x'])
      expect(messageOf(text)).toMatch(/^This is not an API key of this service: those start with key_/);
  });
});
