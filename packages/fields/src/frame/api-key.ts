/** Types of keys that may be in a page (docs/contract.md#application-types). */
const FOR_PAGES = ['public', 'session'];
const FORM = /^key_([a-z]{1,20})_([1-9A-HJ-NP-Za-km-z]{48,66})$/;
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = 58n;
/** A key has 16 bytes of the tenant's id, then 32 random ones (docs/contract.md#api-keys). */
const KEY_BYTES = 48;
const UUID_HEX = 32;
const DIGITS_OF_BYTE = 2;

/**
 * The tenant of a key that may be in a page; `undefined` for another text, such as a private key.
 * It is what the key claims: the service decides.
 */
export function tenantOfPageKey(key: string): string | undefined {
  const [, type = '', content = ''] = FORM.exec(key) ?? [];
  if (!FOR_PAGES.includes(type)) return undefined;
  let number = 0n;
  for (const character of content) number = number * BASE + BigInt(ALPHABET.indexOf(character));
  // In base58 each leading 1 is a byte 0.
  const zeros = content.length - content.replace(/^1+/, '').length;
  const hex = number === 0n ? '' : number.toString(16);
  if (zeros + Math.ceil(hex.length / DIGITS_OF_BYTE) !== KEY_BYTES) return undefined;
  const whole = hex.padStart(KEY_BYTES * DIGITS_OF_BYTE, '0');
  return whole.slice(0, UUID_HEX).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
