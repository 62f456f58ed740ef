import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeDigest } from '../../src/lambda/control-plane/code-archive.ts';
import type { FunctionRecord } from '../../src/lambda/control-plane/function-record.ts';
import { openFunctionStore } from '../../src/lambda/control-plane/function-store.ts';
import { aZip } from './a-zip.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'store-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

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

it('a function comes back with its code, and code that no version has is forgotten', async () => {
  const [old, current] = [aZip('1'), aZip('2')];
  const store = await openFunctionStore(directory);
  await store.put(aRecord(old), old);
  await store.put(aRecord(current), current);
  expect(readdirSync(join(directory, 'fn'))).toHaveLength(2);
  const again = await openFunctionStore(directory);
  expect(again.get('fn')).toEqual(aRecord(current));
  expect(Buffer.from(again.code('fn', codeDigest(current)))).toEqual(Buffer.from(current));
  expect(() => again.code('fn', codeDigest(old))).toThrow(/has no code/);
});

it('what was never finished is removed', async () => {
  mkdirSync(join(directory, 'half'));
  writeFileSync(join(directory, 'half', 'function.json.new'), '{');
  expect((await openFunctionStore(directory)).all()).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
});

it('damaged code is said', async () => {
  const zip = aZip();
  await (await openFunctionStore(directory)).put(aRecord(zip), zip);
  const file = readdirSync(join(directory, 'fn')).find((name) => name.endsWith('.zip')) ?? '';
  writeFileSync(join(directory, 'fn', file), 'other');
  await expect(openFunctionStore(directory)).rejects.toThrow(/is damaged/);
});
