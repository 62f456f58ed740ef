import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import type { TokenTypeName } from './token-type.ts';

/** A create request whose shape was checked, but not its content. */
export interface TokenInput {
  readonly id?: string;
  readonly type: TokenTypeName;
  readonly data: Secret<Json>;
  readonly mask?: Json;
  readonly containers?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly searchIndexes?: readonly string[];
  readonly fingerprintExpression?: string;
  readonly deduplicateToken?: boolean;
  readonly expiresAtText?: string;
}
