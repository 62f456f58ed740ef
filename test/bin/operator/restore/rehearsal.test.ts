import { readFileSync, writeFileSync } from 'node:fs';
import { PutCommand, DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { restoreBeside } from '../../../../bin/operator/restore/restore-beside.ts';
import { restoreClean } from '../../../../bin/operator/restore/restore-clean.ts';
import { restoreExchange } from '../../../../bin/operator/restore/restore-exchange.ts';
import { createApplicationStore } from '../../../../src/adapters/dynamodb/application-store.ts';
import { createCredentialStore } from '../../../../src/adapters/dynamodb/credential-store.ts';
import { tombstoneOf, tokenItemOf } from '../../../../src/adapters/dynamodb/token-item.ts';
import { IS_THOROUGH, randomOfFile } from '../../../../packages/test-kit/src/thoroughness.ts';
import { aKey, anApplication } from '../../../support/builders/an-application.ts';
import { aStoredToken } from '../../../support/builders/a-stored-token.ts';
import { aDeployment, itemsOf, NOW } from './a-deployment.ts';
import { machinePlatform } from '../../../../src/adapters/machine-platform.ts';

const random = randomOfFile();
/** The times in items are the same in each rehearsal. */
const platform = { ...machinePlatform, clock: () => NOW };

const TENANT = '11111111-1111-4111-8111-111111111111';
const ALL = ['Tokens', 'Access', 'Reactors'];

type Deployment = Awaited<ReturnType<typeof aDeployment>>;

/** The same item each time: a rehearsal is compared with another one. */
const MADE = new Map<string, ReturnType<typeof tokenItemOf>>();

function token(id: string, containers: readonly string[] = ['/a/'], version = 1) {
  const name = JSON.stringify([id, containers, version]);
  const stored = { ...aStoredToken({ tenantId: TENANT, id, containers: [...containers] }), version };
  const made =
    MADE.get(name) ??
    tokenItemOf({ ...stored, dataBytes: stored.encryptedData.length, position: `p${id}` }, 2);
  MADE.set(name, made);
  return made;
}

const uuid = (n: number) => `00000000-0000-7000-8000-00000000000${String(n)}`;
/** Every version of an application has the same key. */
const application = (n: number, more: object = {}) =>
  anApplication({
    tenantId: TENANT,
    id: uuid(n),
    createdAt: NOW,
    keys: [aKey({ id: `key-${String(n)}`, hash: Buffer.alloc(32, n) })],
    ...more,
  });

/** The deployment at the restore point, then `beside`, then what changed since. */
async function scenario(deployment: Deployment): Promise<void> {
  const { documents } = deployment;
  const put = (TableName: string, Item: Record<string, unknown>) =>
    documents.send(new PutCommand({ TableName, Item }));
  const store = createApplicationStore({ client: documents, platform, name: 'Access' });
  for (const id of ['a', 'b', 'c', 'it\'s "quoted"\n✓']) await put('Tokens', token(id));
  await put('Tokens', { ...token('x'), expiration: { at: NOW - 1, offsetMinutes: 0 } });
  for (const n of [1, 2, 3]) await store.create(application(n));
  await put('Access', { pk: 'audit', sk: 'head', seal: Buffer.from('then') });
  await put('Reactors', { pk: TENANT, sk: 'reactor#r', name: 'then' });
  await put('Reactors', { pk: `${TENANT}#invocation#i`, sk: 'invocation' });
  await put('Ephemeral', { pk: 'key#1', sk: 'session' });
}

async function changesSince({ documents }: Deployment): Promise<void> {
  const put = (TableName: string, Item: Record<string, unknown>) =>
    documents.send(new PutCommand({ TableName, Item }));
  const store = createApplicationStore({ client: documents, platform, name: 'Access' });
  const drop = (pk: string) =>
    documents.send(new DeleteCommand({ TableName: 'Tokens', Key: { pk, sk: 'token' } }));
  for (const id of ['a', 'it\'s "quoted"\n✓', 'x']) await drop(`${TENANT}#${id}`);
  await put('Tokens', token('b', ['/pci/'], 2));
  await put('Tokens', token('c', ['/a/'], 2));
  await put('Tokens', token('new'));
  await put('Tokens', tombstoneOf(TENANT, 'was', 2));
  await store.update(application(1), application(1, { version: 2, permissions: [] }));
  await store.delete(application(2));
  await store.create(application(4));
  await put('Access', { pk: 'audit', sk: 'head', seal: Buffer.from('now') });
  await put('Reactors', { pk: TENANT, sk: 'reactor#r', name: 'now' });
}

const beside = ({ deps }: Deployment) => restoreBeside(deps, 'Cloakroom-operator', 'latest', ALL);

/** Runs a step again and again until it succeeds, as an administrator does. */
async function untilDone(deployment: Deployment, step: () => Promise<unknown>): Promise<void> {
  for (let runs = 1; ; runs += 1) {
    try {
      await step();
      return;
    } catch (error) {
      expect(await deployment.lostTables()).toEqual([]);
      if (runs > 3 || !String(error).includes('cut off')) throw error;
    }
  }
}

/** A whole restore in which the n-th call is cut off once. Resolves with what it leaves. */
async function rehearse(nth: number, cut: 'before' | 'after') {
  const deployment = await aDeployment();
  try {
    await scenario(deployment);
    let count = 0;
    deployment.setFate(() => ((count += 1) === nth ? cut : undefined));
    await untilDone(deployment, () => beside(deployment));
    await changesSince(deployment);
    await untilDone(deployment, () => restoreExchange(deployment.deps));
    const state = await deployment.state();
    await untilDone(deployment, () => restoreClean(deployment.deps));
    const tables = await deployment.lostTables();
    return { state, tables, functions: structuredClone(deployment.functions), calls: count };
  } finally {
    await deployment.close();
  }
}

describe('a restore of all tables', () => {
  it('ends the same when the network is cut off once, before or after any call', async () => {
    const { calls, ...whole } = await rehearse(0, 'before');
    expect(calls).toBeGreaterThan(100);
    const every = Array.from({ length: calls }, (_, n) => n + 1);
    const both = ['before', 'after'] as const;
    const some = both.map((cut) => ({ nth: 1 + Math.floor(random() * calls), cut }));
    for (const nth of every)
      for (const cut of both) {
        if (!IS_THOROUGH && !some.some((each) => each.nth === nth && each.cut === cut)) continue;
        const { calls: _, ...interrupted } = await rehearse(nth, cut);
        expect({ nth, cut, ...interrupted }).toEqual({ nth, cut, ...whole });
      }
  });

  it('carries over what changed since, and leaves settings, functions and Ephemeral in order', async () => {
    const deployment = await aDeployment();
    await scenario(deployment);
    const before = (await deployment.state()) as Record<string, Record<string, unknown>>;
    const functions = structuredClone(deployment.functions);
    await beside(deployment);
    await changesSince(deployment);
    const access = await itemsOf(deployment.plain, 'Access');
    await restoreExchange(deployment.deps);
    const after = (await deployment.state()) as Record<string, Record<string, unknown>>;
    for (const name of Object.keys(before))
      expect({ ...after[name], items: [] }).toEqual({ ...before[name], items: [] });
    expect(deployment.functions).toEqual(functions);
    expect(after['Ephemeral']?.['items']).toEqual([]);
    // Nothing in Access is as it was then: no line was removed.
    expect(after['Access']?.['items']).toEqual(access);
    const tokens = String(after['Tokens']?.['items']);
    expect(tokens).toMatch(/isGone.*new/s);
    expect(tokens).toContain('/pci/');
    expect(String(after['Reactors']?.['items'])).not.toContain('invocation');
    await restoreClean(deployment.deps);
    await deployment.close();
  });

  it('brings back exactly the records that the administrator removed from the lists', async () => {
    const deployment = await aDeployment();
    await scenario(deployment);
    // The copies are made first; the lists are those of an interrupted `beside` that goes on.
    deployment.setFate((operation) => (operation === 'Scan' ? 'before' : undefined));
    await expect(beside(deployment)).rejects.toThrow('cut off');
    deployment.setFate(() => undefined);
    await changesSince(deployment);
    await beside(deployment);
    const { folder } = deployment.deps;
    const without = (name: string, part: string) => {
      const lines = readFileSync(folder.listPath(name), 'utf8').split('\n').filter(Boolean);
      expect(lines.filter((line) => line.includes(part))).toHaveLength(1);
      const left = lines.filter((line) => !line.includes(part));
      writeFileSync(folder.listPath(name), left.map((line) => `${line}\n`).join(''));
    };
    // The expired token needs no line.
    expect(readFileSync(folder.listPath('deleted-Tokens'), 'utf8').split('\n')).toHaveLength(3);
    without('deleted-Tokens', 'quoted');
    without('changed-Tokens', '"b"');
    without('deleted-Access', uuid(2));
    without('changed-Access', uuid(1));
    without('created-Access', uuid(4));
    without('changed-Reactors', '"r"');
    await restoreExchange(deployment.deps);
    const credentials = createCredentialStore({
      client: deployment.documents,
      platform,
      name: 'Access',
    });
    const rightsOf = async (n: number) => {
      const found = await credentials.findByKeyHash(Buffer.alloc(32, n));
      return found && 'caller' in found ? found.caller.permissions : undefined;
    };
    expect(await rightsOf(1)).toEqual(application(1).permissions);
    expect(await rightsOf(2)).toEqual(application(2).permissions);
    expect(await rightsOf(4)).toBeUndefined();
    const tokens = (await itemsOf(deployment.plain, 'Tokens')).join();
    expect(tokens).not.toContain('/pci/');
    expect(tokens.match(/isLeaving/g)).toHaveLength(1);
    expect((await itemsOf(deployment.plain, 'Reactors')).join()).toContain('then');
    await expect(restoreExchange(deployment.deps)).rejects.toThrow('is complete');
    await expect(beside(deployment)).rejects.toThrow('restore clean');
    await deployment.close();
  });

  it('refuses a second one over an unfinished one, and a list with other lines', async () => {
    const deployment = await aDeployment();
    await scenario(deployment);
    await beside(deployment);
    await expect(beside(deployment)).rejects.toThrow('continue with restore exchange, or drop it');
    writeFileSync(deployment.deps.folder.listPath('deleted-Tokens'), '{"tenant_id":"t","id":"other"}\n');
    await expect(restoreExchange(deployment.deps)).rejects.toThrow('a line that was not in it');
    await deployment.close();
  });
});
