import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cases, fc } from '../../../test-kit/src/properties.ts';
import type { AwsCall, AwsError } from '../../src/aws-service.ts';
import { createKms, type Kms } from '../../src/kms/create-kms.ts';

const account = { accountId: '123456789012', region: 'eu-west-1' };
const policy = { Statement: [] };

function aCall(target: string, input: object): AwsCall {
  return {
    service: 'kms',
    method: 'POST',
    path: '/',
    query: new URLSearchParams(),
    headers: {},
    target,
    body: Buffer.from(JSON.stringify(input)),
    principal: { kind: 'administrator' },
  };
}

async function send(kms: Kms, target: string, input: object): Promise<Record<string, string>> {
  const { body } = await kms.handle(aCall(target, input));
  return JSON.parse(body.toString()) as Record<string, string>;
}

async function codeOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => 'answered',
    (error: unknown) => (error as AwsError).code,
  );
}

async function aKms(): Promise<Kms> {
  const kms = await createKms(account);
  await kms.createKey({ keyId: 'k-1', policy, alias: 'alias/data' });
  await kms.createKey({ keyId: 'k-2', policy });
  return kms;
}

/** A data key, encrypted under a key of the account. */
const aDataKey = (kms: Kms, KeyId: string, EncryptionContext: Record<string, string> = {}) =>
  send(kms, 'GenerateDataKey', { KeyId, NumberOfBytes: 3, EncryptionContext });

it('the same random bytes make the same keys, ciphertexts and signatures', async () => {
  const drawn = async (seed: string) => {
    let count = 0;
    const random = (bytes: number) =>
      Buffer.concat(
        Array.from({ length: Math.ceil(bytes / 32) }, () =>
          createHash('sha256')
            .update(`${seed}${String((count += 1))}`)
            .digest(),
        ),
      ).subarray(0, bytes);
    const kms = await createKms({ ...account, random });
    await kms.createKey({ keyId: 'k-1', policy });
    await kms.createKey({ keyId: 's-1', policy, spec: 'ECC_NIST_P256' });
    const dataKey = await aDataKey(kms, 'k-1');
    const message = { Message: Buffer.alloc(32, 7).toString('base64'), MessageType: 'DIGEST' };
    const signing = { KeyId: 's-1', SigningAlgorithm: 'ECDSA_SHA_256', ...message };
    const { Signature = '' } = await send(kms, 'Sign', signing);
    await expect(send(kms, 'Verify', { ...signing, Signature })).resolves.toMatchObject({
      SignatureValid: true,
    });
    return [dataKey, Signature, await send(kms, 'GetPublicKey', { KeyId: 's-1' })];
  };
  expect(await drawn('a')).toEqual(await drawn('a'));
  expect(await drawn('a')).not.toEqual(await drawn('b'));
});

describe('data keys', () => {
  it('a key of the caller is encrypted like a generated one: in its context, for symmetric keys', async () => {
    const kms = await aKms();
    const EncryptionContext = { tenant: 't' };
    const Plaintext = Buffer.alloc(32, 7).toString('base64');
    const { CiphertextBlob } = await send(kms, 'Encrypt', { KeyId: 'k-1', Plaintext, EncryptionContext });
    const opened = await send(kms, 'Decrypt', { CiphertextBlob, EncryptionContext });
    expect(opened['Plaintext']).toBe(Plaintext);
    expect(await codeOf(send(kms, 'Decrypt', { CiphertextBlob }))).toBe('InvalidCiphertextException');
    expect(kms.accesses(aCall('Encrypt', { KeyId: 'k-1', Plaintext, EncryptionContext }))).toMatchObject([
      { action: 'kms:Encrypt', context: { 'kms:EncryptionContextKeys': ['tenant'] } },
    ]);
  });

  it('decrypting a generated key returns its plaintext, for any order of the context', async () => {
    const kms = await aKms();
    const made = await send(kms, 'GenerateDataKey', {
      KeyId: 'alias/data',
      KeySpec: 'AES_256',
      EncryptionContext: { tenant: 't', purpose: 'data' },
    });
    const opened = await send(kms, 'Decrypt', {
      CiphertextBlob: made['CiphertextBlob'],
      EncryptionContext: { purpose: 'data', tenant: 't' },
    });
    expect(Buffer.from(made['Plaintext'] ?? '', 'base64')).toHaveLength(32);
    expect(opened['Plaintext']).toBe(made['Plaintext']);
    expect(opened['KeyId']).toBe('arn:aws:kms:eu-west-1:123456789012:key/k-1');
  });

  it('the length is required exactly once', async () => {
    const kms = await aKms();
    expect(await codeOf(send(kms, 'GenerateDataKey', { KeyId: 'k-1' }))).toBe('ValidationException');
    expect(
      await codeOf(send(kms, 'GenerateDataKey', { KeyId: 'k-1', KeySpec: 'AES_256', NumberOfBytes: 3 })),
    ).toBe('ValidationException');
  });
});

describe('ciphertexts', () => {
  it('any other context is an invalid ciphertext', async () => {
    const kms = await aKms();
    // No name with an escape in its JSON: V8 may read those incorrectly (nodejs/node#63785), and
    // the service has none.
    const names = fc
      .string({ minLength: 1, maxLength: 4 })
      .filter((name) => JSON.stringify(name) === `"${name}"`);
    const context = fc.dictionary(names, fc.string({ maxLength: 4 }), { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(context, context, async (bound, supplied) => {
        const same =
          JSON.stringify(Object.entries(bound).toSorted()) ===
          JSON.stringify(Object.entries(supplied).toSorted());
        const { CiphertextBlob } = await aDataKey(kms, 'k-1', bound);
        const code = await codeOf(send(kms, 'Decrypt', { CiphertextBlob, EncryptionContext: supplied }));
        expect(code).toBe(same ? 'answered' : 'InvalidCiphertextException');
      }),
      { numRuns: cases(20) },
    );
  });

  it('every changed byte is detected', async () => {
    const kms = await aKms();
    const { CiphertextBlob = '' } = await aDataKey(kms, 'k-1');
    const blob = Buffer.from(CiphertextBlob, 'base64');
    for (const index of blob.keys()) {
      const broken = Buffer.from(blob);
      broken[index] = (broken[index] ?? 0) ^ 1;
      const code = await codeOf(send(kms, 'Decrypt', { CiphertextBlob: broken.toString('base64') }));
      // A changed key id may also be that of a missing key, or of another one.
      expect(['InvalidCiphertextException', 'NotFoundException']).toContain(code);
    }
  });

  it.each([0, 1, 5, 30])('%d bytes are not a ciphertext', async (length) => {
    const CiphertextBlob = Buffer.alloc(length, 1).toString('base64');
    const code = await codeOf(send(await aKms(), 'Decrypt', { CiphertextBlob }));
    expect(code).toBe(length === 0 ? 'ValidationException' : 'InvalidCiphertextException');
  });

  it('the key that the caller names must be the one that encrypted', async () => {
    const kms = await aKms();
    const { CiphertextBlob } = await aDataKey(kms, 'k-1');
    expect(await codeOf(send(kms, 'Decrypt', { CiphertextBlob, KeyId: 'alias/data' }))).toBe('answered');
    expect(await codeOf(send(kms, 'Decrypt', { CiphertextBlob, KeyId: 'k-2' }))).toBe(
      'IncorrectKeyException',
    );
  });
});

describe('keys', () => {
  it('an unknown key is not found', async () => {
    const kms = await aKms();
    expect(await codeOf(aDataKey(kms, 'k-9'))).toBe('NotFoundException');
    expect(await codeOf(send(kms, 'GenerateDataKey', { KeyId: 'alias/none', KeySpec: 'AES_256' }))).toBe(
      'NotFoundException',
    );
  });

  it('keys in a directory survive a restart, and only their owner can read them', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'kms-'));
    try {
      const first = await createKms({ ...account, dataDir });
      await Promise.all(['k-1', 'k-2', 'k-3'].map((keyId) => first.createKey({ keyId, policy })));
      const { CiphertextBlob, Plaintext } = await aDataKey(first, 'k-1');
      const second = await createKms({ ...account, dataDir });
      await second.createKey({ keyId: 'k-1', policy });
      expect((await send(second, 'Decrypt', { CiphertextBlob }))['Plaintext']).toBe(Plaintext);
      const file = path.join(dataDir, 'kms-keys.json');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(Object.keys(JSON.parse(await readFile(file, 'utf8')) as object)).toHaveLength(3);
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });
});

const signingAlgorithm = { SigningAlgorithm: 'ECDSA_SHA_256' };
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const sha256 = (message: Uint8Array): Buffer => createHash('sha256').update(message).digest();

async function aSigningKms(): Promise<Kms> {
  const kms = await aKms();
  await kms.createKey({ keyId: 's-1', policy, alias: 'alias/sign', spec: 'ECC_NIST_P256' });
  await kms.createKey({ keyId: 's-2', policy, spec: 'ECC_NIST_P256' });
  return kms;
}

async function publicKeyOf(kms: Kms, KeyId: string): Promise<KeyObject> {
  const { PublicKey = '' } = await send(kms, 'GetPublicKey', { KeyId });
  return createPublicKey({ key: Buffer.from(PublicKey, 'base64'), format: 'der', type: 'spki' });
}

describe('signatures', () => {
  it('a public key is returned with its usage', async () => {
    const kms = await aSigningKms();
    expect(await send(kms, 'GetPublicKey', { KeyId: 'alias/sign' })).toEqual({
      KeyId: 'arn:aws:kms:eu-west-1:123456789012:key/s-1',
      PublicKey: expect.any(String) as string,
      CustomerMasterKeySpec: 'ECC_NIST_P256',
      KeySpec: 'ECC_NIST_P256',
      KeyUsage: 'SIGN_VERIFY',
      SigningAlgorithms: ['ECDSA_SHA_256'],
    });
    expect((await publicKeyOf(kms, 's-1')).asymmetricKeyDetails).toMatchObject({ namedCurve: 'prime256v1' });
  });

  it.each(['RAW', 'DIGEST'])(
    'signatures of %s verify with the public key, and others do not',
    async (MessageType) => {
      const kms = await aSigningKms();
      const publicKey = await publicKeyOf(kms, 's-1');
      const messages = fc.uint8Array({ minLength: 1, maxLength: 200 });
      await fc.assert(
        fc.asyncProperty(messages, fc.nat(), async (bytes, position) => {
          const Message = base64(MessageType === 'RAW' ? bytes : sha256(bytes));
          const input = { KeyId: 's-1', Message, MessageType, ...signingAlgorithm };
          const made = await send(kms, 'Sign', input);
          expect(made).toMatchObject({
            KeyId: 'arn:aws:kms:eu-west-1:123456789012:key/s-1',
            ...signingAlgorithm,
          });
          const { Signature = '' } = made;
          const signature = Buffer.from(Signature, 'base64');
          expect(verify('sha256', bytes, publicKey, signature)).toBe(true);
          expect(await send(kms, 'Verify', { ...input, Signature })).toMatchObject({ SignatureValid: true });
          const broken = Buffer.from(signature);
          const index = position % broken.length;
          broken[index] = (broken[index] ?? 0) ^ 1;
          for (const wrong of [
            { ...input, Signature: base64(broken) },
            { ...input, Signature, KeyId: 's-2' },
            { ...input, Signature, Message: base64(sha256(Buffer.from(Signature))) },
          ])
            expect(await codeOf(send(kms, 'Verify', wrong))).toBe('KMSInvalidSignatureException');
        }),
        { numRuns: cases(20) },
      );
    },
  );

  it('signatures of a message verify for its digest, and the reverse', async () => {
    const kms = await aSigningKms();
    const message = Buffer.from('checkpoint');
    const raw = { KeyId: 's-1', Message: base64(message), ...signingAlgorithm };
    const digest = { ...raw, Message: base64(sha256(message)), MessageType: 'DIGEST' };
    const ofRaw = await send(kms, 'Sign', raw);
    const ofDigest = await send(kms, 'Sign', digest);
    const { Signature } = ofRaw;
    expect(await codeOf(send(kms, 'Verify', { ...digest, Signature }))).toBe('answered');
    expect(await codeOf(send(kms, 'Verify', { ...raw, Signature: ofDigest['Signature'] }))).toBe('answered');
  });

  it.each([
    ['nothing', { Message: '' }],
    ['a message of more than 4096 bytes', { Message: base64(Buffer.alloc(4097)) }],
    ['a digest of 31 bytes', { Message: base64(Buffer.alloc(31)), MessageType: 'DIGEST' }],
    ['a digest of 33 bytes', { Message: base64(Buffer.alloc(33)), MessageType: 'DIGEST' }],
    ['another algorithm', { Message: 'AAAA', SigningAlgorithm: 'ECDSA_SHA_384' }],
  ])('%s cannot be signed', async (_title, input) => {
    const kms = await aSigningKms();
    expect(await codeOf(send(kms, 'Sign', { KeyId: 's-1', ...signingAlgorithm, ...input }))).toBe(
      'ValidationException',
    );
    const longest = { KeyId: 's-1', ...signingAlgorithm, Message: base64(Buffer.alloc(4096)) };
    expect(await codeOf(send(kms, 'Sign', longest))).toBe('answered');
  });

  it('a key is used for its own usage only', async () => {
    const kms = await aSigningKms();
    const message = { Message: 'AAAA', ...signingAlgorithm };
    const refused = 'InvalidKeyUsageException';
    expect(await codeOf(send(kms, 'Sign', { KeyId: 'k-1', ...message }))).toBe(refused);
    expect(await codeOf(send(kms, 'Verify', { KeyId: 'k-1', ...message, Signature: 'AAAA' }))).toBe(refused);
    expect(await codeOf(aDataKey(kms, 's-1'))).toBe(refused);
    const { CiphertextBlob } = await aDataKey(kms, 'k-1');
    expect(await codeOf(send(kms, 'Decrypt', { CiphertextBlob, KeyId: 's-1' }))).toBe(refused);
    expect(await codeOf(send(kms, 'GetPublicKey', { KeyId: 'k-1' }))).toBe('UnsupportedOperationException');
  });

  it('a signing key in a directory survives a restart with its spec', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'kms-'));
    try {
      const signing = { keyId: 's-1', policy, spec: 'ECC_NIST_P256' } as const;
      const first = await createKms({ ...account, dataDir });
      await first.createKey(signing);
      const input = { KeyId: 's-1', Message: 'AAAA', ...signingAlgorithm };
      const { Signature } = await send(first, 'Sign', input);
      const second = await createKms({ ...account, dataDir });
      await second.createKey(signing);
      expect(await codeOf(send(second, 'Verify', { ...input, Signature }))).toBe('answered');
      await expect(second.createKey({ keyId: 's-1', policy })).rejects.toThrow(/KMS key s-1 exists with/);
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });

  it('a key file of a version without signing keys can be read', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'kms-'));
    try {
      const before = {
        'k-1': { createdAt: new Date(0).toISOString(), material: [base64(Buffer.alloc(32))] },
      };
      await writeFile(path.join(dataDir, 'kms-keys.json'), JSON.stringify(before));
      const kms = await createKms({ ...account, dataDir });
      await kms.createKey({ keyId: 'k-1', policy });
      expect(await codeOf(aDataKey(kms, 'k-1'))).toBe('answered');
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });

  it('need their actions on the key, with the algorithm and the kind of message', async () => {
    const kms = await aSigningKms();
    const resource = 'arn:aws:kms:eu-west-1:123456789012:key/s-1';
    const input = { KeyId: 'alias/sign', Message: 'AAAA', ...signingAlgorithm };
    const context = { 'kms:MessageType': 'RAW', 'kms:SigningAlgorithm': 'ECDSA_SHA_256' };
    expect(kms.accesses(aCall('Sign', input))).toEqual([{ action: 'kms:Sign', resource, context }]);
    expect(kms.accesses(aCall('Verify', { ...input, Signature: 'AAAA' }))).toEqual([
      { action: 'kms:Verify', resource, context },
    ]);
    expect(kms.accesses(aCall('GetPublicKey', { KeyId: 's-1' }))).toEqual([
      { action: 'kms:GetPublicKey', resource, context: {} },
    ]);
  });
});

describe('accesses', () => {
  it('a call needs its action on its key, with the encryption context as condition keys', async () => {
    const kms = await aKms();
    const input = { KeyId: 'alias/data', KeySpec: 'AES_256', EncryptionContext: { tenant: 't' } };
    expect(kms.accesses(aCall('GenerateDataKey', input))).toEqual([
      {
        action: 'kms:GenerateDataKey',
        resource: 'arn:aws:kms:eu-west-1:123456789012:key/k-1',
        context: { 'kms:EncryptionContext:tenant': 't', 'kms:EncryptionContextKeys': ['tenant'] },
      },
    ]);
  });

  it('Decrypt needs access to the key that the ciphertext names', async () => {
    const kms = await aKms();
    const { CiphertextBlob } = await aDataKey(kms, 'k-2');
    const [access] = kms.accesses(aCall('Decrypt', { CiphertextBlob }));
    expect(access).toMatchObject({
      action: 'kms:Decrypt',
      resource: expect.stringMatching(/key\/k-2$/) as string,
    });
  });

  it('an unsupported call or member fails by name', async () => {
    const kms = await aKms();
    expect(() => kms.accesses(aCall('CancelKeyDeletion', {}))).toThrow(/CancelKeyDeletion/);
    expect(() => kms.accesses(aCall('GenerateDataKey', { KeyId: 'k-1', DryRun: true }))).toThrow(/DryRun/);
  });
});

describe('the deletion of a key', () => {
  it('stops its use immediately, and can be seen and not repeated', async () => {
    const kms = await createKms(account);
    await kms.createKey({ keyId: 'k-1', policy, tags: { owner: 'shop' } });
    const { KeyId } = await send(kms, 'ScheduleKeyDeletion', { KeyId: 'k-1', PendingWindowInDays: 7 });
    expect(KeyId).toMatch(/key\/k-1$/);
    expect(await send(kms, 'DescribeKey', { KeyId: 'k-1' })).toMatchObject({
      KeyMetadata: { KeyState: 'PendingDeletion', Enabled: false },
    });
    expect(await send(kms, 'ListResourceTags', { KeyId: 'k-1' })).toMatchObject({
      Tags: [{ TagKey: 'owner', TagValue: 'shop' }],
    });
    for (const [call, input] of Object.entries({
      GenerateDataKey: { KeyId: 'k-1', KeySpec: 'AES_256' },
      ScheduleKeyDeletion: { KeyId: 'k-1' },
    }))
      expect(await codeOf(kms.handle(aCall(call, input)))).toBe('KMSInvalidStateException');
  });
});

describe('a data folder', () => {
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'kms-'));
  });

  afterEach(async () => {
    await rm(dataDir, { recursive: true });
  });

  it('a key that the disk cannot store does not exist, and the next one does', async () => {
    const kms = await createKms({ ...account, dataDir });
    const unwritable = path.join(dataDir, 'kms-keys.json.new');
    await mkdir(unwritable);
    await expect(kms.createKey({ keyId: 'k-1', policy })).rejects.toThrow(dataDir);
    await rm(unwritable, { recursive: true });
    await kms.createKey({ keyId: 'k-2', policy });
    expect(Object.keys(JSON.parse(await readFile(path.join(dataDir, 'kms-keys.json'), 'utf8')))).toEqual([
      'k-2',
    ]);
  });

  it.each(['', '{"k-1": secret', '{"k-1":{}}'])(
    'damaged keys (%j) are named, and none of their content is shown',
    async (content) => {
      const file = path.join(dataDir, 'kms-keys.json');
      await writeFile(file, content);
      await expect(createKms({ ...account, dataDir })).rejects.toThrow(
        `${file} is damaged: it does not hold the JSON of keys; restore the data folder from a copy, or use another one`,
      );
    },
  );
});
