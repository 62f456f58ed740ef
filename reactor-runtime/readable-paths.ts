/**
 * Code may read these besides the temp folder, its own folder and the layer: certificates, names
 * and time zones.
 */
export const READABLE = [
  '/etc/ssl/certs',
  '/etc/ssl/cert.pem',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/ca-trust',
  '/etc/pki/tls/certs',
  '/etc/pki/tls/cert.pem',
  '/etc/pki/tls/openssl.cnf',
  '/etc/hosts',
  '/etc/resolv.conf',
  '/etc/localtime',
  '/usr/share/zoneinfo',
  '/usr/share/ca-certificates',
  '/usr/share/pki',
  '/usr/lib/ssl',
  '/dev/null',
  '/dev/random',
  '/dev/urandom',
] as const;
