import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyTargets } from '../../../../bin/config/keys/key-targets.ts';
import type { Secrets } from '../../../../bin/config/secrets.ts';
import { Secret } from '../../../../src/core/shared/secret.ts';
import { aSecretsManager } from '../../../support/fakes/secrets.ts';

const ID = '019ab4c2-0000-7000-8000-000000000001';
const KEY = { id: ID, key: new Secret('key_private_0123') };
const STORED = { key: 'key_private_0123', key_id: ID };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloakroom-key-targets-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const file = (name: string) => ({ kind: 'file', name }) as const;
const secret = (name: string) => ({ kind: 'aws-secret', name }) as const;
const targetsOf = (secrets: Secrets = aSecretsManager().secrets) => createKeyTargets(folder, secrets);

describe('a file for a key', () => {
  it('is one that only its owner reads, and is replaced at once', async () => {
    const targets = targetsOf();
    expect(await targets.stateOf(file('a.json'))).toEqual({ state: 'empty' });
    await targets.prove(file('a.json'));
    await targets.write(file('a.json'), KEY);
    expect(JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8'))).toEqual(STORED);
    expect(statSync(join(folder, 'a.json')).mode & 0o777).toBe(0o600);
    expect(await targets.stateOf(file('a.json'))).toEqual({ state: 'stored', key_id: ID });
    const { ino } = statSync(join(folder, 'a.json'));
    await targets.write(file('a.json'), KEY);
    expect(statSync(join(folder, 'a.json')).ino).not.toBe(ino);
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('leaves what is there if it cannot be written, and no file beside it', async () => {
    mkdirSync(join(folder, 'taken'));
    const targets = targetsOf();
    await expect(targets.write(file('taken'), KEY)).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['taken']);
  });

  it.each([
    ['has something else', 'notes.txt'],
    ['has JSON without a key', 'other.json'],
    ['is a link', 'linked.json'],
    ['is below a link', 'linked/a.json'],
    ['is a folder', 'folder'],
    ['has no folder', 'absent/a.json'],
  ])('is never replaced if it %s', async (_what, name) => {
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    writeFileSync(join(folder, 'other.json'), '{"key":"x","key_id":"y"}');
    writeFileSync(join(folder, 'good.json'), JSON.stringify(STORED));
    symlinkSync(join(folder, 'good.json'), join(folder, 'linked.json'));
    symlinkSync(folder, join(folder, 'linked'));
    mkdirSync(join(folder, 'folder'));
    const targets = targetsOf();
    expect(await targets.stateOf(file(name))).toEqual({ state: 'unknown' });
    await expect(targets.prove(file(name))).rejects.toThrow();
  });

  it('says nothing of a key in its errors', async () => {
    writeFileSync(join(folder, 'bad.json'), '{"key":"key_private_0123", x');
    const targets = targetsOf();
    expect(await targets.stateOf(file('bad.json'))).toEqual({ state: 'unknown' });
    await expect(targets.prove(file('bad.json'))).rejects.toThrow(/^is a file that has no key$/);
    chmodSync(join(folder, 'bad.json'), 0o600);
  });
});

describe('a secret of AWS for a key', () => {
  it('is made before the key, and has the key and its id', async () => {
    const { secrets, textOf } = aSecretsManager();
    const targets = targetsOf(secrets);
    expect(await targets.stateOf(secret('prod/a'))).toEqual({ state: 'empty' });
    await targets.prove(secret('prod/a'));
    expect(await targets.stateOf(secret('prod/a'))).toEqual({ state: 'empty' });
    await targets.write(secret('prod/a'), KEY);
    expect(JSON.parse(textOf('prod/a') ?? '')).toEqual(STORED);
    expect(await targets.stateOf(secret('prod/a'))).toEqual({ state: 'stored', key_id: ID });
  });

  it('is never replaced if it has something else', async () => {
    const { secrets, textOf } = aSecretsManager({ other: 'mine' });
    await expect(targetsOf(secrets).prove(secret('other'))).rejects.toThrow('is a secret that has no key');
    expect(textOf('other')).toBe('mine');
  });

  it('is unknown without credentials', async () => {
    const denied = () => Promise.reject(Object.assign(new Error('x'), { name: 'AccessDeniedException' }));
    const targets = targetsOf({ read: denied, version: denied, create: denied, put: denied });
    expect(await targets.stateOf(secret('a'))).toEqual({ state: 'unknown' });
    await expect(targets.prove(secret('a'))).rejects.toThrow('cannot be written (AccessDeniedException)');
  });
});
