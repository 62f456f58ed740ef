import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { invalid } from '../shared/service-error.ts';

/** A cursor is bound to this: it is valid only for the same list, application and filters. */
export interface CursorScope {
  readonly list: string;
  readonly applicationId: string;
  /** The filters of the request, in one spelling, so that equal filters match. */
  readonly filters: string;
}

const MAC_BYTES = 16;

function mac(key: KeyObject, scope: CursorScope, position: string): Buffer {
  const input = JSON.stringify([scope.list, scope.applicationId, scope.filters, position]);
  return createHmac('sha256', key).update(input).digest().subarray(0, MAC_BYTES);
}

/** An opaque text for a position, authenticated under the tenant's cursor key. */
export function encodeCursor(key: KeyObject, scope: CursorScope, position: string): string {
  return Buffer.concat([mac(key, scope, position), Buffer.from(position)]).toString('base64url');
}

/**
 * The position of a cursor, which must be made under one of the tenant's cursor keys. Throws
 * `validation_failed` if it was changed or belongs to another list.
 */
export function decodeCursor(keys: readonly KeyObject[], scope: CursorScope, cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(MAC_BYTES).toString('utf8');
  const tag = bytes.subarray(0, MAC_BYTES);
  const isOurs =
    tag.length === MAC_BYTES && keys.some((key) => timingSafeEqual(tag, mac(key, scope, position)));
  // Base64 has several spellings of some bytes; only the original one is valid.
  if (!isOurs || bytes.toString('base64url') !== cursor)
    throw invalid('after', 'is not a cursor of this list');
  return position;
}
