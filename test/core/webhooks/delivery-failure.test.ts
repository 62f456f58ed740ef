import { deliveryFailure } from '../../../src/core/webhooks/delivery-failure.ts';
import { invalid, ServiceError } from '../../../src/core/shared/service-error.ts';

const SECRET = 'planted-in-a-message';

const unreachable = (code: unknown) =>
  new ServiceError('destination_unreachable', SECRET, { cause: Object.assign(new Error(SECRET), { code }) });

it.each([
  [unreachable('DEPTH_ZERO_SELF_SIGNED_CERT'), 'self-signed certificate'],
  [unreachable('ERR_TLS_CERT_ALTNAME_INVALID'), 'certificate of another host name'],
  [unreachable('ECONNREFUSED'), 'connection refused'],
  [unreachable('ENOTFOUND'), 'unknown host name'],
  [unreachable('ERR_SSL_WRONG_VERSION_NUMBER'), 'no TLS on this port'],
  [unreachable('EPROTO'), 'TLS failed'],
  [unreachable('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'TLS failed'],
  [unreachable('HPE_INVALID_CONSTANT'), 'invalid response'],
  [unreachable('constructor'), 'receiver cannot be reached'],
  [unreachable(SECRET), 'receiver cannot be reached'],
  [unreachable(7), 'receiver cannot be reached'],
  [new ServiceError('destination_unreachable', SECRET), 'invalid response'],
  [new ServiceError('destination_timeout', SECRET), 'no response in time'],
  [invalid('destination', SECRET), 'address that is not allowed'],
])('names the reason of %s, and quotes no message', (error, reason) => {
  expect(deliveryFailure(error)).toBe(reason);
});
