import { z } from 'zod';
import { AwsError, type AwsCall } from '../aws-service.ts';

const blob = (maxBytes: number) =>
  z
    .base64()
    .transform((value) => Buffer.from(value, 'base64'))
    .refine(({ length }) => length >= 1 && length <= maxBytes, `must be 1 to ${String(maxBytes)} bytes`);

const keyId = z.string().min(1).max(2048);
const context = z.record(z.string().min(1), z.string()).default({});
const symmetric = z.literal('SYMMETRIC_DEFAULT').optional();
const signed = {
  KeyId: keyId,
  Message: blob(4096),
  MessageType: z.enum(['RAW', 'DIGEST']).default('RAW'),
  SigningAlgorithm: z.literal('ECDSA_SHA_256'),
};
const grantTokens = z.array(z.string()).optional();

/** The supported KMS calls. Strict: a member that is not implemented is refused, not ignored. */
export const requestSchemas = {
  GenerateDataKey: z.strictObject({
    KeyId: keyId,
    EncryptionContext: context,
    KeySpec: z.enum(['AES_128', 'AES_256']).optional(),
    NumberOfBytes: z.number().int().min(1).max(1024).optional(),
    GrantTokens: grantTokens,
  }),
  Encrypt: z.strictObject({
    KeyId: keyId,
    Plaintext: blob(4096),
    EncryptionContext: context,
    EncryptionAlgorithm: symmetric,
    GrantTokens: grantTokens,
  }),
  Decrypt: z.strictObject({
    KeyId: keyId.optional(),
    CiphertextBlob: blob(6144),
    EncryptionContext: context,
    EncryptionAlgorithm: symmetric,
    GrantTokens: grantTokens,
  }),
  Sign: z.strictObject({ ...signed, GrantTokens: grantTokens }),
  Verify: z.strictObject({ ...signed, Signature: blob(6144), GrantTokens: grantTokens }),
  GetPublicKey: z.strictObject({ KeyId: keyId, GrantTokens: grantTokens }),
  ListKeys: z.strictObject({}),
  ListResourceTags: z.strictObject({ KeyId: keyId }),
  DescribeKey: z.strictObject({ KeyId: keyId }),
  ScheduleKeyDeletion: z.strictObject({
    KeyId: keyId,
    PendingWindowInDays: z.number().int().min(7).max(30).default(30),
  }),
} as const;

export const KMS_ACTIONS = Object.keys(requestSchemas).toSorted();

export type Operation = keyof typeof requestSchemas;
export type RequestOf<O extends Operation> = z.output<(typeof requestSchemas)[O]>;
export type KmsRequest = {
  [O in Operation]: { readonly operation: O; readonly input: RequestOf<O> };
}[Operation];

function isOperation(name: string): name is Operation {
  return Object.hasOwn(requestSchemas, name);
}

function json(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new AwsError('SerializationException', 400, 'The request is not JSON.');
  }
}

/**
 * Parses a call. Throws AwsError: UnknownOperationException naming the call,
 * SerializationException, or ValidationException naming the member.
 */
export function parseRequest(call: AwsCall): KmsRequest {
  const operation = call.target ?? '';
  if (!isOperation(operation)) {
    throw new AwsError('UnknownOperationException', 400, `KMS ${operation} does not run locally.`);
  }
  const parsed = requestSchemas[operation].safeParse(json(call.body));
  if (!parsed.success) throw new AwsError('ValidationException', 400, z.prettifyError(parsed.error));
  return { operation, input: parsed.data } as KmsRequest;
}
