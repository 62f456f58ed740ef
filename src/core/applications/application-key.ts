import type { Platform } from '../shared/platform.ts';
import type { Revised } from '../shared/revision.ts';
import type { Secret } from '../shared/secret.ts';
import { orderedId } from '../shared/ordered-id.ts';
import { hashApiKey } from '../crypto/api-key.ts';

/**
 * One of the keys of an application, or of a stored proxy (docs/contract.md#the-key-object). Times
 * are in ms since the epoch.
 */
export interface ApplicationKey extends Revised {
  /** The only form in which the key is stored (`crypto/api-key.ts`). */
  readonly hash: Buffer;
  /** The last characters of the key, by which people recognize it. */
  readonly hint: string;
  readonly name?: string;
  readonly createdAt: number;
  readonly createdBy?: string;
  /**
   * Marks the key as made by a request. A retry of it, whose first response was lost, replaces the
   * key by another one, with another id.
   */
  readonly writeId?: Buffer;
  /** The key is rejected from this time on. */
  readonly expiresAtMs?: number;
  /** Networks in CIDR notation from which requests may present the key; empty for all. */
  readonly sourceAddresses: readonly string[];
}

/** The creator of a key chooses these. */
export type KeyChoice = Pick<ApplicationKey, 'name' | 'expiresAtMs' | 'sourceAddresses'>;

/** The choice for a key that works everywhere, until it is deleted. */
export const FOR_EVER: KeyChoice = { sourceAddresses: [] };

/** Most keys of an application. An expired key counts until it is deleted. */
export const KEYS_MAX = 8;
const HINT_LENGTH = 4;

/** Makes a key of a text, which is returned here and never again. */
export function newKey(
  { random }: Pick<Platform, 'random'>,
  text: Secret<string>,
  choice: KeyChoice & Pick<ApplicationKey, 'createdAt' | 'createdBy' | 'writeId'>,
): { readonly key: ApplicationKey; readonly text: Secret<string> } {
  const id = orderedId(choice.createdAt, random.uuid());
  const key = { ...choice, id, hash: hashApiKey(text), hint: text.reveal().slice(-HINT_LENGTH), revision: 1 };
  return { key, text };
}

/** The keys of an application without the one that an earlier attempt of a request has made. */
export const keysOfOthers = (
  { keys }: { readonly keys: readonly ApplicationKey[] },
  writeId: Buffer,
): readonly ApplicationKey[] => keys.filter((key) => key.writeId?.equals(writeId) !== true);
