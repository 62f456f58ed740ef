import type { ServiceError } from '../shared/service-error.ts';

/** Errors of Node's TLS, sockets and resolver (node:tls, node:dns), in words for an operator. */
const REASONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate of an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate of an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate of an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate of an unknown authority',
  CERT_HAS_EXPIRED: 'expired certificate',
  CERT_NOT_YET_VALID: 'certificate that is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate of another host name',
  EPROTO: 'no TLS on this port',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS on this port',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'host name cannot be resolved',
  EHOSTUNREACH: 'host cannot be reached',
  ENETUNREACH: 'network cannot be reached',
  ETIMEDOUT: 'connection timed out',
};

/**
 * Why an attempt got no response: one of a closed list of texts. A message of a socket or a parser
 * may quote the request, so none of it is passed on.
 */
export function deliveryFailure({ code, cause }: ServiceError): string {
  if (code === 'destination_timeout') return 'no response in time';
  if (code === 'validation_failed') return 'address that is not allowed';
  if (cause === undefined) return 'invalid response';
  const name: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return (typeof name === 'string' ? REASONS[name] : undefined) ?? 'receiver cannot be reached';
}
