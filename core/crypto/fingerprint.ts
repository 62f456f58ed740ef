import { createHmac, type KeyObject } from 'node:crypto';
import { base58 } from '@scure/base';
import { canonical, jsonType, type Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';

/**
 * The fingerprint of a token: HMAC-SHA-256 under the tenant's fingerprint key over the token's type, the JSON type of
 * its data and the value of its fingerprint expression (canonical JSON), in base58. Equal values of one type share it
 * within a tenant; without the key it tells nothing and cannot be compared with another tenant's.
 *
 * The JSON type of the data is part of it because `stringify` gives the text `"12"` and the number `12` one text, and
 * deduplication must never answer one with the other.
 */
export function fingerprint(key: KeyObject, type: string, data: Secret<Json>, value: Secret<Json>): string {
  const input = JSON.stringify([type, jsonType(data.reveal()), canonical(value.reveal())]);
  return base58.encode(createHmac('sha256', key).update(input).digest());
}
