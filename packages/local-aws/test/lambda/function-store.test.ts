import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeDigest } from '../../src/lambda/control-plane/code-archive.ts';
import type { FunctionRecord } from '../../src/lambda/control-plane/function-record.ts';
import { openFunctionStore } from '../../src/lambda/control-plane/function-store.ts';
import { createStorageFailure } from '../../src/storage-failure.ts';
import { aZip } from './a-zip.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'store-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

const openStore = () =>
  openFunctionStore(
    directory,
    createStorageFailure(directory, () => undefined),
  );

function aRecord(zip: Uint8Array): FunctionRecord {
  return {
    name: 'fn',
    arn: 'arn',
    latest: {
      version: '$LATEST',
      revisionId: 'r',
      lastModified: '2030-01-01',
      activeFrom: 0,
      updatedFrom: 0,
      settings: {
        codeSha256: codeDigest(zip),
        codeSize: zip.length,
        role: 'role',
        runtime: 'provided.al2023',
        handler: '',
        timeoutSeconds: 3,
        memoryMb: 128,
        architectures: ['arm64'],
        layers: [],
        environment: {},
        ephemeralStorageMb: 512,
        logGroup: 'group',
        description: '',
      },
    },
    versions: [],
    lastVersion: 0,
    aliases: [],
    provisioned: [],
    tags: {},
  };
}

it('a function is restored with its code, and code without a version is deleted', async () => {
  const old = aZip('1');
  const current = aZip('2');
  const store = await openStore();
  await store.put(aRecord(old), old);
  await store.put(aRecord(current), current);
  expect(readdirSync(join(directory, 'fn'))).toHaveLength(2);
  const again = await openStore();
  expect(again.get('fn')).toEqual(aRecord(current));
  expect(Buffer.from(again.code('fn', codeDigest(current)))).toEqual(Buffer.from(current));
  expect(() => again.code('fn', codeDigest(old))).toThrow(/has no code/);
});

it('unfinished writes are removed', async () => {
  mkdirSync(join(directory, 'half'));
  writeFileSync(join(directory, 'half', 'function.json.new'), '{');
  expect((await openStore()).all()).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
});

it('damaged code is reported', async () => {
  const zip = aZip();
  await (await openStore()).put(aRecord(zip), zip);
  const file = readdirSync(join(directory, 'fn')).find((name) => name.endsWith('.zip')) ?? '';
  writeFileSync(join(directory, 'fn', file), 'other');
  await expect(openStore()).rejects.toThrow(/is damaged/);
});

it('a function that the disk cannot store stays unchanged, and can be changed later', async () => {
  const old = aZip('1');
  const current = aZip('2');
  const store = await openStore();
  const unwritable = join(directory, 'fn', 'function.json.new');
  mkdirSync(unwritable, { recursive: true });
  await expect(store.put(aRecord(old), old)).rejects.toThrow(directory);
  expect(store.all()).toEqual([]);
  rmSync(unwritable, { recursive: true });
  await store.put(aRecord(old), old);
  mkdirSync(unwritable);
  await expect(store.put(aRecord(current), current)).rejects.toThrow(directory);
  expect(store.get('fn')).toEqual(aRecord(old));
  expect(Buffer.from(store.code('fn', codeDigest(old)))).toEqual(Buffer.from(old));
  rmSync(unwritable, { recursive: true });
  await store.put(aRecord(current), current);
  expect((await openStore()).get('fn')).toEqual(aRecord(current));
});

it('a damaged record is named', async () => {
  mkdirSync(join(directory, 'fn'));
  writeFileSync(join(directory, 'fn', 'function.json'), '{"name":');
  await expect(openStore()).rejects.toThrow(`${directory}/fn/function.json is damaged`);
});

it('missing code is named', async () => {
  const zip = aZip();
  await (await openStore()).put(aRecord(zip), zip);
  const file = readdirSync(join(directory, 'fn')).find((name) => name.endsWith('.zip')) ?? '';
  rmSync(join(directory, 'fn', file));
  await expect(openStore()).rejects.toThrow(`${directory}/fn is damaged: ${file} is missing`);
});
