import { createHash } from 'node:crypto';

/**
 * Number of hexadecimal digits at the end of an id of the service that are a hash of the digits
 * before.
 */
const TAG_DIGITS = 8;

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function tagOf(tenantId: string, random: string): string {
  return createHash('sha256')
    .update(`cloakroom token id v1\0${tenantId}\0${random}`)
    .digest('hex')
    .slice(0, TAG_DIGITS);
}

/**
 * The id of a token for which the caller chose none. It is a UUID version 4 whose last 32 bits are
 * a hash of the tenant and the other 90 random bits (docs/decisions/0044).
 */
export function serviceIdOf(tenantId: string, uuid: string): string {
  const random = uuid.slice(0, -TAG_DIGITS);
  return `${random}${tagOf(tenantId, random)}`;
}

/**
 * Whether an id has the form that only the service gives to ids of this tenant. No caller can
 * choose such an id, so it never names a second token, also when its tombstone is gone.
 */
export function isServiceId(tenantId: string, id: string): boolean {
  return UUID_V4.test(id) && id.endsWith(tagOf(tenantId, id.slice(0, -TAG_DIGITS)));
}
