import type { Json, JsonObject } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import type { DetailsPatch, TokenDetails } from './token-details.ts';
import type { TokenTypeName } from './token-type.ts';

/** A create request whose shape was checked, although not its content. */
export interface TokenInput extends TokenDetails {
  readonly id?: string;
  readonly type: TokenTypeName;
  readonly data: Secret<Json>;
  readonly containers?: readonly string[];
  readonly deduplicateToken?: boolean;
  readonly expiresAtText?: string;
}

/** The changes of an update. Absent members stay unchanged (docs/contract.md#update-a-token). */
export interface TokenPatch extends DetailsPatch {
  readonly data?: Secret<Json>;
  readonly containers?: readonly string[] | null;
  readonly deduplicateToken?: boolean;
  readonly expiresAtText?: string | null;
  /** Members that no update changes, with the values that the caller expects. */
  readonly unchanged?: JsonObject;
}
