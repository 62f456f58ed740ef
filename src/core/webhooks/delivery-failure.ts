import type { ServiceError } from '../shared/service-error.ts';

/**
 * Errors of Node's TLS, sockets and resolver (node:tls, node:dns), and what an operator reads
 * instead.
 */
const REASONS = new Map(
  Object.entries({
    DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
    SELF_SIGNED_CERT_IN_CHAIN: 'certificate of an unknown authority',
    UNABLE_TO_GET_ISSUER_CERT: 'certificate of an unknown authority',
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate of an unknown authority',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate of an unknown authority',
    CERT_HAS_EXPIRED: 'expired certificate',
    CERT_NOT_YET_VALID: 'certificate that is not valid yet',
    ERR_TLS_CERT_ALTNAME_INVALID: 'certificate of another host name',
    ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS on this port',
    ECONNREFUSED: 'connection refused',
    ECONNRESET: 'connection reset',
    ENOTFOUND: 'unknown host name',
    EAI_AGAIN: 'host name cannot be resolved',
    EHOSTUNREACH: 'host cannot be reached',
    ENETUNREACH: 'network cannot be reached',
    ETIMEDOUT: 'connection timed out',
  }),
);

/** The reason why no attempt is made: the allow list has changed. */
export const NOT_ALLOWED_ANY_MORE = 'callback_url that is not allowed any more';

/** The reason why a delivery has ended: a key that asked for it was revoked. */
export const KEY_REVOKED = 'forbidden';

/**
 * Explains why an attempt got no response, by one of a closed list of texts. A message of a socket
 * or a parser may quote the request, so none of it is passed on.
 */
export function deliveryFailure({ code, cause }: ServiceError): string {
  if (code === 'destination_timeout') return 'no response in time';
  if (code === 'validation_failed') return 'address that is not allowed';
  if (cause === undefined) return 'invalid response';
  const name = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (name === 'EPROTO' || name.startsWith('ERR_SSL_')) return REASONS.get(name) ?? 'TLS failed';
  // Node's HTTP parser has these codes.
  if (name.startsWith('HPE_')) return 'invalid response';
  return REASONS.get(name) ?? 'receiver cannot be reached';
}
