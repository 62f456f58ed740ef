import { createHmac, type KeyObject } from 'node:crypto';
import { base58 } from '@scure/base';
import { canonical, jsonType, type Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';

/** A fingerprint identifies the type of a token, and a value made from its data. */
export interface Fingerprinted {
  readonly type: string;
  readonly data: Secret<Json>;
  /** The text that is the fingerprint expression. */
  readonly expression: string;
  /** The value that the expression makes from the data. */
  readonly value: Secret<Json>;
}

/**
 * HMAC-SHA-256 under the tenant's key, in base58 (docs/contract.md#fingerprint). It reveals nothing
 * without the key, and cannot be compared with another tenant's.
 */
export function fingerprint(key: KeyObject, { type, data, expression, value }: Fingerprinted): string {
  // The JSON type separates `"12"` from `12` (docs/decisions/0003). The expression is included, so
  // that no other expression, chosen by an attacker, produces the same fingerprint.
  const input = JSON.stringify([type, jsonType(data.reveal()), expression, canonical(value.reveal())]);
  return base58.encode(createHmac('sha256', key).update(input).digest());
}

/**
 * The properties that duplicates have in common, except the expiration
 * (docs/contract.md#deduplication).
 */
export interface Matched {
  /** Covers type, JSON type, expression and its value. */
  readonly fingerprint: string;
  readonly containers: readonly string[];
  /** The mask of the token or of its type; `null` if both have none. */
  readonly mask: Json;
  /**
   * All data, because the fingerprint expression may ignore some of it, such as the expiry of a
   * card. Absent if the fingerprint covers it all.
   */
  readonly data?: Secret<Json>;
}

/**
 * HMAC-SHA-256 under the tenant's fingerprint key over the properties that duplicates have in
 * common, in base58.
 */
export function matchHash(key: KeyObject, { fingerprint: of, containers, mask, data }: Matched): string {
  const whole = data === undefined ? [] : [canonical(data.reveal())];
  // `match` is not a token type, so that no fingerprint has the same input.
  const input = JSON.stringify(['match', of, containers.toSorted(), canonical(mask), ...whole]);
  return base58.encode(createHmac('sha256', key).update(input).digest());
}
