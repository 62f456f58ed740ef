import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

/** The `Authorization` header of Signature Version 4 contains these. */
export interface Signature {
  readonly accessKeyId: string;
  readonly region: string;
  /** The service that the call is signed for. */
  readonly service: string;
  /** Lower case. */
  readonly signedHeaders: readonly string[];
  /** HMAC in hex. */
  readonly signature: string;
}

const pattern =
  /^AWS4-HMAC-SHA256\s+Credential=(?<accessKeyId>[^/,\s]+)\/\d{8}\/(?<region>[^/,\s]+)\/(?<service>[^/,\s]+)\/aws4_request,\s*SignedHeaders=(?<signedHeaders>[^,\s]+),\s*Signature=(?<signature>[0-9a-f]{64})$/;

/** Undefined without a Signature Version 4 in this header. */
export function parseSignature(authorization: string | undefined): Signature | undefined {
  const { accessKeyId, region, service, signedHeaders, signature } =
    pattern.exec(authorization ?? '')?.groups ?? {};
  if (accessKeyId === undefined || region === undefined || service === undefined) return undefined;
  if (signedHeaders === undefined || signature === undefined) return undefined;
  return { accessKeyId, region, service, signedHeaders: signedHeaders.split(';'), signature };
}

/** A call as it arrived. */
export interface SignedCall {
  readonly method: string;
  /** The URL that the request line contains. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A signature that omits one of these would be valid for other calls too. */
const MUST_BE_SIGNED = ['host', 'x-amz-date', 'x-amz-target', 'x-amz-security-token'];
/** How far the time of a call may be from that of the endpoint, as on AWS. */
const WINDOW_MS = 5 * 60 * 1000;

type SourceData = string | ArrayBuffer | ArrayBufferView;

function bytesOf(data: SourceData): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/** SHA-256, or HMAC with a secret, in the form that the signer takes. */
class Sha256 {
  readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;
  constructor(secret?: SourceData) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(data: SourceData): void {
    this.#hash.update(bytesOf(data));
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
  reset(): void {
    throw new Error('a hash of a signature is used once');
  }
}

/** The credentials of a signer, which may end. */
export type SignerCredentials = ConstructorParameters<typeof SignatureV4>[0]['credentials'];

/** Signs calls of AWS that the service has no client for. */
export const createSigner = (service: string, region: string, credentials: SignerCredentials): SignatureV4 =>
  new SignatureV4({ service, region, credentials, sha256: Sha256 });

/** Whether two texts are equal, without showing by the time taken where they differ. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** The ISO 8601 time of `20261124T040000Z`. */
function timeOf(amzDate: string): number {
  return Date.parse(amzDate.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

/**
 * Returns why the signature of a call is not valid, as AWS words it, or `undefined` if it is valid.
 * The signer of the AWS SDK computes it again. The call must be dated between the first and the
 * last of the `times` in ms, or near: the clock may have moved since it was signed.
 */
export async function signatureProblem(
  { accessKeyId, region, service, signedHeaders, signature }: Signature,
  { method, url, headers, body }: SignedCall,
  secretAccessKey: string,
  times: readonly number[],
): Promise<string | undefined> {
  const unsigned = MUST_BE_SIGNED.find((name) => name in headers && !signedHeaders.includes(name));
  if (unsigned !== undefined) return `'${unsigned}' must be a 'SignedHeader' in the AWS Authorization.`;
  const signedAt = timeOf(headers['x-amz-date'] ?? '');
  const isNear = signedAt >= Math.min(...times) - WINDOW_MS && signedAt <= Math.max(...times) + WINDOW_MS;
  if (!isNear) return 'Signature expired or not yet current: the clocks differ by more than 5 minutes.';
  const declared = headers['x-amz-content-sha256'];
  if (declared !== undefined && declared !== createHash('sha256').update(body).digest('hex'))
    return 'The declared hash of the body is not that of the body.';
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const signer = new SignatureV4({
    service,
    region,
    credentials: { accessKeyId, secretAccessKey },
    sha256: Sha256,
    applyChecksum: false,
  });
  const query: Record<string, string | string[]> = {};
  for (const name of new Set(searchParams.keys())) query[name] = searchParams.getAll(name);
  const { headers: own } = await signer.sign(
    {
      protocol: 'http:',
      hostname: 'localhost',
      method,
      path: pathname,
      query,
      body,
      headers: Object.fromEntries(signedHeaders.map((name) => [name, headers[name] ?? ''])),
    },
    { signingDate: new Date(signedAt), signableHeaders: new Set(signedHeaders) },
  );
  const expected = parseSignature(own['authorization'])?.signature ?? '';
  return isSame(expected, signature)
    ? undefined
    : 'The request signature we calculated does not match the signature you provided.';
}
