import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import { KINDS, type Address, type Kind } from '../model.ts';

const NAME = '[a-z0-9][a-z0-9-]{0,62}';
const NAME_ALONE = new RegExp(`^${NAME}$`);
const ADDRESS = new RegExp(`^(${KINDS.join('|')})/(${NAME})$`);
const KEY_ADDRESS = new RegExp(`^keys/(applications|proxies)/(${NAME})/(.+)$`, 's');

export const NAME_FORM =
  'must be 1 to 63 lower-case letters, digits and -, not beginning with -, and no UUID';

/** A name of the form of a UUID would be taken for an id in a reference. */
export const isName = (text: string): boolean => NAME_ALONE.test(text) && !isUuid(text);

export const addressOf = (kind: Kind, name: string): Address => `${kind}/${name}`;

/** The kind and the name of an address. */
export function partsOfAddress(address: Address): { readonly kind: Kind; readonly name: string } {
  const at = address.indexOf('/');
  return { kind: address.slice(0, at) as Kind, name: address.slice(at + 1) };
}

export function parseAddress(text: string): Address | undefined {
  const [, kind, name = ''] = ADDRESS.exec(text) ?? [];
  return kind === undefined || !isName(name) ? undefined : addressOf(kind as Kind, name);
}

/** The owner of a key and the name of the key, from `keys/applications/checkout/2026-11`. */
export function parseKeyAddress(
  text: string,
): { readonly owner: Address; readonly name: string } | undefined {
  const [, kind, owner = '', name = ''] = KEY_ADDRESS.exec(text) ?? [];
  return kind === undefined ? undefined : { owner: addressOf(kind as Kind, owner), name };
}

/** Whether resources of a kind have keys. */
export const isOwner = (kind: Kind): kind is Exclude<Kind, 'reactors'> => kind !== 'reactors';
