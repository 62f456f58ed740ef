import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Desired, DesiredValue, Source } from '../../../../bin/config/model.ts';
import type { Secrets } from '../../../../bin/config/secrets.ts';
import { withLabels } from '../../../../bin/config/sources/labels.ts';
import { readSources } from '../../../../bin/config/sources/read-sources.ts';
import { aSecretsManager } from '../../../support/fakes/secrets.ts';

const SECRET = 'sk_live_0123456789abcdef';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloakroom-sources-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const value = (source: Source, more: Partial<DesiredValue> = {}): DesiredValue => ({
  source,
  public: false,
  labelUnknown: source.kind === 'aws-secret',
  ...more,
});

function aFile(values: Readonly<Record<string, DesiredValue>>): Desired {
  const reactor = { name: 'Settle', code: '', configuration: new Map(Object.entries(values)) };
  return {
    namespace: 'shop',
    applications: new Map(),
    proxies: new Map(),
    reactors: new Map([['settle', reactor]]),
    moved: new Map(),
    removed: [],
    digest: '0'.repeat(64),
  };
}

const ADDRESSES = new Set(['reactors/settle'] as const);

async function read(desired: Desired, secrets = aSecretsManager().secrets) {
  const places = { environment: { SECRET, EMPTY: '' }, folder, secrets };
  const { values, problems } = await readSources(desired, ADDRESSES, places);
  const shown = [...(values.get('reactors/settle') ?? [])].map(([name, { text, label }]) => [
    name,
    text.reveal(),
    label,
  ]);
  return { values, shown, problems };
}

it('sources are read with the labels of what was read', async () => {
  writeFileSync(join(folder, 'secret.txt'), `${SECRET}\n`);
  const { secrets } = aSecretsManager({ 'prod/psp': SECRET });
  const desired = aFile({
    env: value({ kind: 'env', name: 'SECRET' }),
    file: value({ kind: 'file', name: 'secret.txt' }),
    aws: value({ kind: 'aws-secret', name: 'prod/psp' }),
    literal: value({ kind: 'literal', text: 'eu' }, { public: true, label: 'sha256:x' }),
  });
  const { shown, problems, values } = await read(desired, secrets);
  expect([shown, problems]).toEqual([
    [
      ['env', SECRET, undefined],
      ['file', SECRET, undefined],
      ['aws', SECRET, 'v1'],
      ['literal', 'eu', 'sha256:x public'],
    ],
    [],
  ]);
  expect(JSON.stringify([...values].map(([, all]) => [...all]))).not.toContain(SECRET);
});

it('every source that cannot be read is a problem, without any value', async () => {
  writeFileSync(join(folder, 'secret.txt'), SECRET);
  writeFileSync(join(folder, 'bytes'), Uint8Array.of(0xff));
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'linked'));
  const denied = () => Promise.reject(Object.assign(new Error(SECRET), { name: 'AccessDeniedException' }));
  const desired = aFile({
    a: value({ kind: 'env', name: 'EMPTY' }),
    b: value({ kind: 'env', name: 'toString' }),
    c: value({ kind: 'file', name: 'linked' }),
    d: value({ kind: 'file', name: 'absent' }),
    e: value({ kind: 'file', name: 'bytes' }),
    f: value({ kind: 'aws-secret', name: 'denied' }),
  });
  const { problems } = await read(desired, { ...aSecretsManager().secrets, read: denied });
  expect(problems).toEqual([
    'reactors/settle: a: env:EMPTY is not set',
    'reactors/settle: b: env:toString is not set',
    'reactors/settle: c: file:linked must be a file that is no link',
    'reactors/settle: d: file:absent does not exist',
    'reactors/settle: e: file:bytes is not UTF-8',
    'reactors/settle: f: aws-secret:denied cannot be read (AccessDeniedException)',
  ]);
});

it('a plan learns the versions of secrets without reading them', async () => {
  const { secrets } = aSecretsManager({ 'prod/psp': SECRET });
  const refused = () => Promise.reject(new Error('a plan reads no value'));
  const desired = aFile({
    aws: value({ kind: 'aws-secret', name: 'prod/psp' }),
    absent: value({ kind: 'aws-secret', name: 'absent' }),
    env: value({ kind: 'env', name: 'SECRET' }),
  });
  const manager: Secrets = { ...secrets, read: refused };
  const labelled = await withLabels(desired, manager);
  expect([...(labelled.reactors.get('settle')?.configuration ?? [])]).toEqual([
    ['aws', expect.objectContaining({ label: 'v1', labelUnknown: false })],
    ['absent', expect.objectContaining({ labelUnknown: true })],
    ['env', value({ kind: 'env', name: 'SECRET' })],
  ]);
});
