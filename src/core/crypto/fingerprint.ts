import { createHmac, type KeyObject } from 'node:crypto';
import { base58 } from '@scure/base';
import { canonical, jsonType, type Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';

/** What a fingerprint is made of. */
export interface Fingerprinted {
  readonly type: string;
  readonly data: Secret<Json>;
  /** The fingerprint expression, its text. */
  readonly expression: string;
  /** What the expression makes of the data. */
  readonly value: Secret<Json>;
}

/**
 * The fingerprint of a token: HMAC-SHA-256 under the tenant's fingerprint key over the token's
 * type, the JSON type of its data, the fingerprint expression and its value (canonical JSON), in
 * base58. Equal values of one type under one expression share it within a tenant; without the key
 * it tells nothing and cannot be compared with another tenant's.
 *
 * The JSON type of the data is part of it because `stringify` gives the text `"12"` and the number
 * `12` one text. The expression is part of it so that no other expression, chosen by somebody else,
 * gives the same fingerprint (docs/contract.md#fingerprint).
 */
export function fingerprint(key: KeyObject, { type, data, expression, value }: Fingerprinted): string {
  const input = JSON.stringify([type, jsonType(data.reveal()), expression, canonical(value.reveal())]);
  return base58.encode(createHmac('sha256', key).update(input).digest());
}

/**
 * What two tokens must have in common for one to be taken for the other, but for the expiry
 * (docs/contract.md#deduplication).
 */
export interface Matched {
  /** Stands for type, JSON type, expression and its value. */
  readonly fingerprint: string;
  readonly containers: readonly string[];
  /** The mask in effect, `null` for none. */
  readonly mask: Json;
  /**
   * All data, where the expression is not the default of the type: it may leave out what tells two
   * values apart.
   */
  readonly data?: Secret<Json>;
}

/**
 * HMAC-SHA-256 under the tenant's fingerprint key over what a duplicate must have in common, in
 * base58.
 */
export function matchHash(key: KeyObject, { fingerprint: of, containers, mask, data }: Matched): string {
  const whole = data === undefined ? [] : [canonical(data.reveal())];
  // `match` is no token type, so that no fingerprint has the same input.
  const input = JSON.stringify(['match', of, containers.toSorted(), canonical(mask), ...whole]);
  return base58.encode(createHmac('sha256', key).update(input).digest());
}
