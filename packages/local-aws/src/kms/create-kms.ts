import { randomBytes, randomUUID } from 'node:crypto';
import {
  AwsError,
  type AwsAccess,
  type AwsCall,
  type AwsResponse,
  type AwsService,
  type PolicyDocument,
} from '../aws-service.ts';
import { createStorageFailure, type StorageFailure } from '../storage-failure.ts';
import { openEnvelope, seal, unseal, type EncryptionContext } from './ciphertext.ts';
import { openKeyStore, type StoredKey } from './key-store.ts';
import { parseRequest, type KmsRequest, type RequestOf } from './requests.ts';

export interface KmsOptions {
  /** Directory of the key file; without it keys live in memory. */
  readonly dataDir?: string;
  readonly accountId: string;
  readonly region: string;
  /** Default: callers get the failure, and nothing else is reported. */
  readonly storageFailure?: StorageFailure;
}

export interface KeyRequest {
  /**
   * Created when absent from the store; a key that is already there keeps its material. Random
   * without an id.
   */
  readonly keyId?: string;
  readonly policy: PolicyDocument;
  /** `alias/...` */
  readonly alias?: string;
  /** Only described: material of an age to rotate does not occur on a laptop. */
  readonly enableRotation?: boolean;
}

export interface Kms extends AwsService {
  createKey(request: KeyRequest): Promise<{ readonly keyId: string; readonly arn: string }>;
  /** The policy of a key by its ARN, for the endpoint's access check. */
  keyPolicy(arn: string): PolicyDocument | undefined;
}

interface Key extends StoredKey {
  readonly keyId: string;
  readonly arn: string;
  readonly policy: PolicyDocument;
}

type Answer = Readonly<Record<string, unknown>>;

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

/**
 * KMS for one account on one machine: symmetric keys, AES-256-GCM with the encryption context as
 * additional data. It generates and decrypts data keys. Every other call of KMS fails by name.
 */
export async function createKms({ dataDir, accountId, region, ...options }: KmsOptions): Promise<Kms> {
  const { storageFailure = createStorageFailure(dataDir ?? 'memory', () => undefined) } = options;
  const store = await openKeyStore(dataDir, storageFailure);
  const keys = new Map<string, Key>();
  const aliases = new Map<string, string>();
  const arnOf = (keyId: string): string => `arn:aws:kms:${region}:${accountId}:key/${keyId}`;

  /**
   * Accepts a key id, a key ARN, an alias name or an alias ARN, and returns a key id that may not
   * exist.
   */
  function keyIdOf(name: string): string {
    const resource = name.startsWith('arn:') ? name.split(':').slice(5).join(':') : name;
    if (resource.startsWith('alias/')) return aliases.get(resource) ?? resource;
    return resource.replace(/^key\//, '');
  }

  function keyNamed(name: string): Key {
    const key = keys.get(keyIdOf(name));
    if (key !== undefined) return key;
    const what = name.includes('alias/') ? `Alias ${name}` : `Key '${arnOf(keyIdOf(name))}'`;
    throw new AwsError('NotFoundException', 400, `${what} does not exist`);
  }

  function encrypt(key: Key, plaintext: Buffer, context: EncryptionContext): string {
    const version = key.material.length;
    const material = key.material.at(-1);
    if (material === undefined) throw new Error(`KMS key ${key.keyId} has no material`);
    return seal(key.keyId, version, material, plaintext, context).toString('base64');
  }

  function decrypt(
    blob: Buffer,
    wanted: string | undefined,
    context: EncryptionContext,
  ): { key: Key; plaintext: Buffer } {
    const envelope = openEnvelope(blob);
    const key = keyNamed(envelope.keyId);
    if (wanted !== undefined && keyNamed(wanted).keyId !== key.keyId) {
      throw new AwsError(
        'IncorrectKeyException',
        400,
        'The key ID in the request does not identify a CMK that can perform this operation.',
      );
    }
    const material = key.material[envelope.version - 1];
    if (material === undefined) throw new AwsError('InvalidCiphertextException', 400, '');
    return { key, plaintext: unseal(envelope, material, context) };
  }

  function generateDataKey(input: RequestOf<'GenerateDataKey'>): Answer {
    const key = keyNamed(input.KeyId);
    const plaintext = randomBytes(dataKeyBytes(input));
    const CiphertextBlob = encrypt(key, plaintext, input.EncryptionContext);
    return { CiphertextBlob, KeyId: key.arn, Plaintext: plaintext.toString('base64') };
  }

  function answer({ operation, input }: KmsRequest): Answer {
    switch (operation) {
      case 'GenerateDataKey':
        return generateDataKey(input);
      case 'Decrypt': {
        const { key, plaintext } = decrypt(input.CiphertextBlob, input.KeyId, input.EncryptionContext);
        return {
          KeyId: key.arn,
          Plaintext: plaintext.toString('base64'),
          EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
        };
      }
    }
  }

  function access(action: string, keyName: string, context: EncryptionContext): AwsAccess {
    return { action: `kms:${action}`, resource: arnOf(keyIdOf(keyName)), context: contextKeys(context) };
  }

  function accesses({ operation, input }: KmsRequest): readonly AwsAccess[] {
    switch (operation) {
      case 'Decrypt':
        return [access(operation, openEnvelope(input.CiphertextBlob).keyId, input.EncryptionContext)];
      case 'GenerateDataKey':
        return [access(operation, input.KeyId, input.EncryptionContext)];
    }
  }

  async function createKey({
    keyId: wanted,
    policy,
    alias,
  }: KeyRequest): Promise<{ keyId: string; arn: string }> {
    const keyId = wanted ?? randomUUID();
    const arn = arnOf(keyId);
    const stored = store.get(keyId) ?? (await store.create(keyId));
    keys.set(keyId, { ...stored, keyId, arn, policy });
    if (alias !== undefined) aliases.set(alias, keyId);
    return { keyId, arn };
  }

  function respond(status: number, body: unknown): AwsResponse {
    return { status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify(body) };
  }

  return {
    signingName: 'kms',
    accesses: (call: AwsCall) => accesses(parseRequest(call)),
    handle: (call: AwsCall) => Promise.resolve().then(() => respond(200, answer(parseRequest(call)))),
    failure: ({ code, status, message, fields }) => respond(status, { __type: code, message, ...fields }),
    close: () => Promise.resolve(),
    createKey,
    keyPolicy: (arn) => keys.get(keyIdOf(arn))?.policy,
  };
}
