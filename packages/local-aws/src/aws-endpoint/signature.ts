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
 * Undefined without a Signature Version 4. The signature is not checked: a process that reaches
 * loopback can read the functions' secret keys, and the key id is enough to check permissions.
 */
export function parseSignature(authorization: string | undefined): Signature | undefined {
  const { accessKeyId, region, service } = credential.exec(authorization ?? '')?.groups ?? {};
  if (accessKeyId === undefined || region === undefined || service === undefined) return undefined;
  return { accessKeyId, region, service };
}
