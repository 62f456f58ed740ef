/** A management key opens its views, a private key the tokens. */
export type KeyKind = 'management' | 'private';

/**
 * The kind of a key by its text (docs/contract.md#api-keys), or why it is of no use here. The
 * service decides what it may do.
 */
export function keyKindOf(text: string): KeyKind | { readonly problem: string } {
  if (/\s/.test(text)) return { problem: 'A key has no spaces. Paste the key alone.' };
  if (text.startsWith('key_management_')) return 'management';
  if (text.startsWith('key_private_')) return 'private';
  if (text.startsWith('key_public_'))
    return { problem: 'This is the key of a public application, which can only create tokens.' };
  if (text.startsWith('key_proxy_'))
    return { problem: 'This is the key of a stored proxy, which only /proxy accepts.' };
  if (text.startsWith('key_session_'))
    return { problem: 'This is the key of a session, which is for browsers of your customers.' };
  return { problem: 'This is no key of the service: one begins with key_management_ or key_private_.' };
}

/** Shows a key only by its kind and its last four characters, as the list of keys does. */
export const keyHint = (text: string): string => `…${text.slice(-4)}`;

/** Digits of the key that only its tenant decides: 128 bits are 21 digits of base 58. */
const TENANT_DIGITS = 18;

/** Whether two keys begin with the id of one tenant (docs/contract.md#api-keys). */
export function isSameTenant(one: string, other: string): boolean {
  const tenantOf = (text: string) => text.replace(/^key_[a-z]+_/, '').slice(0, TENANT_DIGITS);
  return tenantOf(one) === tenantOf(other);
}
