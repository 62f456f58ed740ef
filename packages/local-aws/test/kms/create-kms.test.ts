import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cases, fc } from '../properties.ts';
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

/** A data key, sealed under a key of the account. */
const aDataKey = (kms: Kms, KeyId: string, EncryptionContext: Record<string, string> = {}) =>
  send(kms, 'GenerateDataKey', { KeyId, NumberOfBytes: 3, EncryptionContext });

describe('data keys', () => {
  it('decrypting a generated key gives its plaintext, whatever the order of the context', async () => {
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

  it('the length must be given exactly once', async () => {
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
    // No name with an escape in its JSON: V8 may read those wrong (nodejs/node#63785), and the
    // service has none.
    const names = fc
      .string({ minLength: 1, maxLength: 4 })
      .filter((name) => JSON.stringify(name) === `"${name}"`);
    const context = fc.dictionary(names, fc.string({ maxLength: 4 }), { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(context, context, async (sealed, given) => {
        const same =
          JSON.stringify(Object.entries(sealed).toSorted()) ===
          JSON.stringify(Object.entries(given).toSorted());
        const { CiphertextBlob } = await aDataKey(kms, 'k-1', sealed);
        const code = await codeOf(send(kms, 'Decrypt', { CiphertextBlob, EncryptionContext: given }));
        expect(code).toBe(same ? 'answered' : 'InvalidCiphertextException');
      }),
      { numRuns: cases(20) },
    );
  });

  it('every changed byte is noticed', async () => {
    const kms = await aKms();
    const { CiphertextBlob = '' } = await aDataKey(kms, 'k-1');
    const blob = Buffer.from(CiphertextBlob, 'base64');
    for (const index of blob.keys()) {
      const broken = Buffer.from(blob);
      broken[index] = (broken[index] ?? 0) ^ 1;
      const code = await codeOf(send(kms, 'Decrypt', { CiphertextBlob: broken.toString('base64') }));
      // A changed key id may also name a key that does not exist, or another one.
      expect(['InvalidCiphertextException', 'NotFoundException']).toContain(code);
    }
  });

  it.each([0, 1, 5, 30])('%d bytes are no ciphertext', async (length) => {
    const CiphertextBlob = Buffer.alloc(length, 1).toString('base64');
    const code = await codeOf(send(await aKms(), 'Decrypt', { CiphertextBlob }));
    expect(code).toBe(length === 0 ? 'ValidationException' : 'InvalidCiphertextException');
  });

  it('the key that the caller names must be the one that sealed', async () => {
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

  it('with a directory they outlive the process and belong to their owner alone', async () => {
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

  it('a call or member that does not exist here fails by name', async () => {
    const kms = await aKms();
    expect(() => kms.accesses(aCall('ScheduleKeyDeletion', {}))).toThrow(/ScheduleKeyDeletion/);
    expect(() => kms.accesses(aCall('GenerateDataKey', { KeyId: 'k-1', DryRun: true }))).toThrow(/DryRun/);
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

  it('a key that the disk refuses does not exist, and the next one does', async () => {
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
    'damaged keys (%j) are named, and nothing of them is shown',
    async (content) => {
      const file = path.join(dataDir, 'kms-keys.json');
      await writeFile(file, content);
      await expect(createKms({ ...account, dataDir })).rejects.toThrow(
        `${file} is damaged: it does not hold the JSON of keys; restore the data folder from a copy, or use another one`,
      );
    },
  );
});
