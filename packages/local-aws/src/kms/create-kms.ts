import { createPrivateKey, createPublicKey, randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import {
  AwsError,
  type AwsAccess,
  type AwsCall,
  type AwsResponse,
  type AwsService,
  type PolicyDocument,
  type ResourcePolicy,
} from '../aws-service.ts';
import { createStorageFailure, type StorageFailure } from '../storage-failure.ts';
import {
  decryptEnvelope,
  encryptBytes,
  openEnvelope,
  type EncryptionContext,
  type RandomBytes,
} from './ciphertext.ts';
import { openKeyStore, type KeySpec, type StoredKey } from './key-store.ts';
import { parseRequest, type KmsRequest, type Operation, type RequestOf } from './requests.ts';
import { isSignatureOf, signatureOf, type Signed } from './signature.ts';

export interface KmsOptions {
  /** Directory of the key file; without it keys live in memory. */
  readonly dataDir?: string;
  readonly accountId: string;
  readonly region: string;
  /** Default: callers get the failure, and no other report. */
  readonly storageFailure?: StorageFailure;
  /** Draws keys, nonces and signatures. Default: those of Node. A test can repeat its own. */
  readonly random?: RandomBytes;
}

export interface KeyRequest {
  /**
   * Created if it is missing in the store; an existing key keeps its material. Random without an
   * id.
   */
  readonly keyId?: string;
  readonly policy: PolicyDocument;
  /** `alias/...` */
  readonly alias?: string;
  /** Only DescribeKey shows this: no local key becomes old enough to rotate. */
  readonly enableRotation?: boolean;
  readonly tags?: Readonly<Record<string, string>>;
  /** Default: SYMMETRIC_DEFAULT. A key keeps the spec that it was created with. */
  readonly spec?: KeySpec;
}

export interface Kms extends AwsService {
  /** Throws an Error naming the key if it is stored with another spec. */
  createKey(request: KeyRequest): Promise<{ readonly keyId: string; readonly arn: string }>;
  /** Finds the policy of a key by its ARN. */
  resourcePolicy(arn: string): ResourcePolicy | undefined;
}

interface Key extends StoredKey {
  readonly keyId: string;
  readonly arn: string;
  readonly policy: PolicyDocument;
  readonly tags: Readonly<Record<string, string>>;
}

const usages = { SYMMETRIC_DEFAULT: 'ENCRYPT_DECRYPT', ECC_NIST_P256: 'SIGN_VERIFY' } as const;

function requireUsage(
  { arn, spec }: Key,
  usage: 'ENCRYPT_DECRYPT' | 'SIGN_VERIFY',
  operation: Operation,
): void {
  if (usages[spec] === usage) return;
  const message = `${arn} key usage is ${usages[spec]} which is not valid for ${operation}.`;
  throw new AwsError('InvalidKeyUsageException', 400, message);
}

function privateKey({ material: [pkcs8 = Buffer.alloc(0)] }: Key): KeyObject {
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
}

const DIGEST_BYTES = 32;

function signedMessage({ Message, MessageType, SigningAlgorithm }: RequestOf<'Sign'>): Signed {
  if (MessageType === 'DIGEST' && Message.length !== DIGEST_BYTES) {
    const message = `Digest is invalid length for algorithm ${SigningAlgorithm}.`;
    throw new AwsError('ValidationException', 400, message);
  }
  return { message: Message, isDigest: MessageType === 'DIGEST' };
}

type Response = Readonly<Record<string, unknown>>;

function contextKeys(context: EncryptionContext): Readonly<Record<string, string | readonly string[]>> {
  const names = Object.keys(context);
  if (names.length === 0) return {};
  return {
    ...Object.fromEntries(names.map((name) => [`kms:EncryptionContext:${name}`, context[name] ?? ''])),
    'kms:EncryptionContextKeys': names,
  };
}

function dataKeyBytes({ KeySpec, NumberOfBytes }: RequestOf<'GenerateDataKey'>): number {
  if ((KeySpec === undefined) === (NumberOfBytes === undefined)) {
    throw new AwsError('ValidationException', 400, 'Please specify either number of bytes or key spec.');
  }
  return NumberOfBytes ?? (KeySpec === 'AES_128' ? 16 : 32);
}

/** The keys of an account, and what names and ends them. */
interface KmsState {
  readonly accountId: string;
  readonly region: string;
  readonly keys: Map<string, Key>;
  readonly aliases: Map<string, string>;
  readonly deletions: Map<string, Date>;
  readonly arnOf: (keyId: string) => string;
  readonly random: RandomBytes;
}

/**
 * Accepts a key id, a key ARN, an alias name or an alias ARN, and returns a key id that may not
 * exist.
 */
function keyIdOf({ aliases }: KmsState, name: string): string {
  const resource = name.startsWith('arn:') ? name.split(':').slice(5).join(':') : name;
  if (resource.startsWith('alias/')) return aliases.get(resource) ?? resource;
  return resource.replace(/^key\//, '');
}

function keyNamed(kms: KmsState, name: string): Key {
  const { keys, arnOf } = kms;
  const key = keys.get(keyIdOf(kms, name));
  if (key !== undefined) return key;
  const what = name.includes('alias/') ? `Alias ${name}` : `Key '${arnOf(keyIdOf(kms, name))}'`;
  throw new AwsError('NotFoundException', 400, `${what} does not exist`);
}

/** Throws AwsError KMSInvalidStateException if the key is pending deletion. */
function usableKey(kms: KmsState, name: string): Key {
  const { deletions } = kms;
  const key = keyNamed(kms, name);
  if (!deletions.has(key.keyId)) return key;
  throw new AwsError('KMSInvalidStateException', 400, `${key.arn} is pending deletion.`);
}

function encrypt({ random }: KmsState, key: Key, plaintext: Buffer, context: EncryptionContext): string {
  const version = key.material.length;
  const material = key.material.at(-1);
  if (material === undefined) throw new Error(`KMS key ${key.keyId} has no material`);
  return encryptBytes(key.keyId, version, material, plaintext, context, random).toString('base64');
}

function decrypt(
  kms: KmsState,
  blob: Buffer,
  wanted: string | undefined,
  context: EncryptionContext,
): { key: Key; plaintext: Buffer } {
  const envelope = openEnvelope(blob);
  const key = usableKey(kms, envelope.keyId);
  for (const used of wanted === undefined ? [key] : [keyNamed(kms, wanted), key])
    requireUsage(used, 'ENCRYPT_DECRYPT', 'Decrypt');
  if (wanted !== undefined && keyNamed(kms, wanted).keyId !== key.keyId) {
    throw new AwsError(
      'IncorrectKeyException',
      400,
      'The key ID in the request does not identify a CMK that can perform this operation.',
    );
  }
  const material = key.material[envelope.version - 1];
  if (material === undefined) throw new AwsError('InvalidCiphertextException', 400, '');
  return { key, plaintext: decryptEnvelope(envelope, material, context) };
}

function generateDataKey(kms: KmsState, input: RequestOf<'GenerateDataKey'>): Response {
  const key = usableKey(kms, input.KeyId);
  requireUsage(key, 'ENCRYPT_DECRYPT', 'GenerateDataKey');
  const plaintext = kms.random(dataKeyBytes(input));
  const CiphertextBlob = encrypt(kms, key, plaintext, input.EncryptionContext);
  return { CiphertextBlob, KeyId: key.arn, Plaintext: plaintext.toString('base64') };
}

function sign(kms: KmsState, input: RequestOf<'Sign'>): Response {
  const key = usableKey(kms, input.KeyId);
  requireUsage(key, 'SIGN_VERIFY', 'Sign');
  const signature = signatureOf(privateKey(key), signedMessage(input), kms.random);
  const { SigningAlgorithm } = input;
  return { KeyId: key.arn, Signature: signature.toString('base64'), SigningAlgorithm };
}

function verify(kms: KmsState, input: RequestOf<'Verify'>): Response {
  const key = usableKey(kms, input.KeyId);
  requireUsage(key, 'SIGN_VERIFY', 'Verify');
  if (!isSignatureOf(privateKey(key), signedMessage(input), input.Signature))
    throw new AwsError('KMSInvalidSignatureException', 400, '');
  return { KeyId: key.arn, SignatureValid: true, SigningAlgorithm: input.SigningAlgorithm };
}

function getPublicKey(kms: KmsState, input: RequestOf<'GetPublicKey'>): Response {
  const key = usableKey(kms, input.KeyId);
  if (key.spec === 'SYMMETRIC_DEFAULT')
    throw new AwsError('UnsupportedOperationException', 400, `${key.arn} has no public key.`);
  const spki = createPublicKey(privateKey(key)).export({ format: 'der', type: 'spki' });
  return {
    KeyId: key.arn,
    PublicKey: spki.toString('base64'),
    CustomerMasterKeySpec: key.spec,
    KeySpec: key.spec,
    KeyUsage: usages[key.spec],
    SigningAlgorithms: ['ECDSA_SHA_256'],
  };
}

function describe({ deletions }: KmsState, { keyId, arn, spec, createdAt }: Key): Response {
  const deletion = deletions.get(keyId);
  return {
    KeyId: keyId,
    Arn: arn,
    CreationDate: createdAt.getTime() / 1_000,
    Enabled: deletion === undefined,
    KeyState: deletion === undefined ? 'Enabled' : 'PendingDeletion',
    ...(deletion !== undefined && { DeletionDate: deletion.getTime() / 1_000 }),
    KeySpec: spec,
    KeyUsage: usages[spec],
  };
}

function scheduleDeletion(
  kms: KmsState,
  { KeyId, PendingWindowInDays: days }: RequestOf<'ScheduleKeyDeletion'>,
): Response {
  const { deletions } = kms;
  const key = usableKey(kms, KeyId);
  const deletion = new Date(Date.now() + days * 86_400_000);
  deletions.set(key.keyId, deletion);
  return {
    KeyId: key.arn,
    DeletionDate: deletion.getTime() / 1_000,
    KeyState: 'PendingDeletion',
    PendingWindowInDays: days,
  };
}

function tagsOf(kms: KmsState, { KeyId }: RequestOf<'ListResourceTags'>): Response {
  const tags = Object.entries(keyNamed(kms, KeyId).tags);
  return { Tags: tags.map(([TagKey, TagValue]) => ({ TagKey, TagValue })), Truncated: false };
}

function resultOf(kms: KmsState, { operation, input }: KmsRequest): Response {
  const { keys } = kms;
  switch (operation) {
    case 'GenerateDataKey':
      return generateDataKey(kms, input);
    case 'Encrypt': {
      const key = usableKey(kms, input.KeyId);
      requireUsage(key, 'ENCRYPT_DECRYPT', operation);
      const CiphertextBlob = encrypt(kms, key, input.Plaintext, input.EncryptionContext);
      return { CiphertextBlob, KeyId: key.arn, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
    }
    case 'Decrypt': {
      const { key, plaintext } = decrypt(kms, input.CiphertextBlob, input.KeyId, input.EncryptionContext);
      return {
        KeyId: key.arn,
        Plaintext: plaintext.toString('base64'),
        EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
      };
    }
    case 'Sign':
      return sign(kms, input);
    case 'Verify':
      return verify(kms, input);
    case 'GetPublicKey':
      return getPublicKey(kms, input);
    case 'ListKeys': {
      const Keys = [...keys.values()].map(({ keyId, arn }) => ({ KeyId: keyId, KeyArn: arn }));
      return { Keys, Truncated: false };
    }
    case 'ListResourceTags':
      return tagsOf(kms, input);
    case 'DescribeKey':
      return { KeyMetadata: describe(kms, keyNamed(kms, input.KeyId)) };
    case 'ScheduleKeyDeletion':
      return scheduleDeletion(kms, input);
  }
}

function access(
  kms: KmsState,
  action: string,
  keyName: string,
  context: AwsAccess['context'] = {},
): AwsAccess {
  const { arnOf } = kms;
  return { action: `kms:${action}`, resource: arnOf(keyIdOf(kms, keyName)), context };
}

function accesses(kms: KmsState, { operation, input }: KmsRequest): readonly AwsAccess[] {
  switch (operation) {
    case 'Decrypt':
      return [
        access(
          kms,
          operation,
          openEnvelope(input.CiphertextBlob).keyId,
          contextKeys(input.EncryptionContext),
        ),
      ];
    case 'GenerateDataKey':
    case 'Encrypt':
      return [access(kms, operation, input.KeyId, contextKeys(input.EncryptionContext))];
    case 'Sign':
    case 'Verify': {
      const { KeyId, MessageType, SigningAlgorithm } = input;
      const context = { 'kms:MessageType': MessageType, 'kms:SigningAlgorithm': SigningAlgorithm };
      return [access(kms, operation, KeyId, context)];
    }
    case 'ListKeys':
      return [{ action: 'kms:ListKeys', resource: '*' }];
    case 'GetPublicKey':
    case 'ListResourceTags':
    case 'DescribeKey':
    case 'ScheduleKeyDeletion':
      return [access(kms, operation, input.KeyId)];
  }
}

/**
 * KMS for one account on one machine: symmetric keys, AES-256-GCM with the encryption context as
 * additional data, and P-256 keys. Every unsupported call fails by name.
 */
export async function createKms({ dataDir, accountId, region, ...options }: KmsOptions): Promise<Kms> {
  const { storageFailure = createStorageFailure(dataDir ?? 'memory', () => undefined) } = options;
  const { random = randomBytes } = options;
  const store = await openKeyStore(dataDir, storageFailure, random);
  const keys = new Map<string, Key>();
  const aliases = new Map<string, string>();
  /**
   * Contains the time when a key will be deleted, by its id. A restart forgets it, because that is
   * a new deployment.
   */
  const deletions = new Map<string, Date>();
  const arnOf = (keyId: string): string => `arn:aws:kms:${region}:${accountId}:key/${keyId}`;
  const kms = { accountId, region, keys, aliases, deletions, arnOf, random };

  async function createKey({
    keyId: wanted,
    policy,
    alias,
    tags = {},
    spec = 'SYMMETRIC_DEFAULT',
  }: KeyRequest): Promise<{ keyId: string; arn: string }> {
    const keyId = wanted ?? randomUUID();
    const arn = arnOf(keyId);
    const stored = store.get(keyId) ?? (await store.create(keyId, spec));
    if (stored.spec !== spec)
      throw new Error(
        `KMS key ${keyId} exists with the spec ${stored.spec} and not ${spec}: use another data directory`,
      );
    keys.set(keyId, { ...stored, keyId, arn, policy, tags });
    if (alias !== undefined) aliases.set(alias, keyId);
    return { keyId, arn };
  }

  function respond(status: number, body: unknown): AwsResponse {
    return { status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify(body) };
  }

  return {
    signingName: 'kms',
    accesses: (call: AwsCall) => accesses(kms, parseRequest(call)),
    handle: (call: AwsCall) => Promise.resolve().then(() => respond(200, resultOf(kms, parseRequest(call)))),
    failure: ({ code, status, message, fields }) => respond(status, { __type: code, message, ...fields }),
    close: () => Promise.resolve(),
    createKey,
    resourcePolicy: (arn) => {
      const key = keys.get(keyIdOf(kms, arn));
      return key && { document: key.policy, isRequired: true };
    },
  };
}
