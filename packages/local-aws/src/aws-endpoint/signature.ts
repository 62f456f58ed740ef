/**
 * Who signed a request and for which service, as the `Authorization` header of Signature Version 4
 * says.
 */
export interface Signature {
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
}

const credential =
  /^AWS4-HMAC-SHA256\s.*?Credential=(?<accessKeyId>[^/,\s]+)\/\d{8}\/(?<region>[^/,\s]+)\/(?<service>[^/,\s]+)\/aws4_request/;

/**
 * Reads the credential scope and leaves the signature itself unchecked: the endpoint listens on
 * loopback, and whoever can reach it can read the secret keys from the environment of the processes
 * beside it. What it protects against is a role that lacks a permission, and for that the access
 * key id is enough. Returns undefined when there is no Signature Version 4.
 */
export function parseSignature(authorization: string | undefined): Signature | undefined {
  const { accessKeyId, region, service } = credential.exec(authorization ?? '')?.groups ?? {};
  if (accessKeyId === undefined || region === undefined || service === undefined) return undefined;
  return { accessKeyId, region, service };
}
