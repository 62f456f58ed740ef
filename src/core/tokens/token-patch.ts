import type { Json, JsonObject } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';

/** The changes of an update; absent members are unchanged (docs/contract.md#update-a-token). */
export interface TokenPatch {
  readonly data?: Secret<Json>;
  readonly mask?: Json;
  /** `null` for an entry removes the entry; `null` for metadata removes all. */
  readonly metadata?: Readonly<Record<string, string | null>> | null;
  readonly containers?: readonly string[] | null;
  readonly searchIndexes?: readonly string[] | null;
  readonly fingerprintExpression?: string | null;
  readonly deduplicateToken?: boolean;
  readonly expiresAtText?: string | null;
  /** Members that no update changes, with the values that the caller expects. */
  readonly unchanged?: JsonObject;
}
