/**
 * The signer of a request and the service that it signed for, from the `Authorization` header of
 * Signature Version 4.
 */
export interface Signature {
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
}

const credential =
  /^AWS4-HMAC-SHA256\s.*?Credential=(?<accessKeyId>[^/,\s]+)\/\d{8}\/(?<region>[^/,\s]+)\/(?<service>[^/,\s]+)\/aws4_request/;

/**
 * Reads the credential scope and does not check the signature: the endpoint listens on loopback,
 * and a process that can reach it can read the secret keys from the environment of the functions.
 * The endpoint detects a role that lacks a permission, for which the access key id is enough.
 * Returns undefined without a Signature Version 4.
 */
export function parseSignature(authorization: string | undefined): Signature | undefined {
  const { accessKeyId, region, service } = credential.exec(authorization ?? '')?.groups ?? {};
  if (accessKeyId === undefined || region === undefined || service === undefined) return undefined;
  return { accessKeyId, region, service };
}
