// A restore from recovery points of AWS Backup goes on as one to a point in time.
import { existsSync, readFileSync } from 'node:fs';
import { DeleteTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { restoreBackups, restoreBeside } from '../../../../bin/operator/restore/restore-beside.ts';
import { restoreExchange } from '../../../../bin/operator/restore/restore-exchange.ts';
import { tokenItemOf } from '../../../../src/adapters/dynamodb/token-item.ts';
import { aStoredToken } from '../../../support/builders/a-stored-token.ts';
import { aDeployment, itemsOf } from './a-deployment.ts';

const TENANT = '11111111-1111-4111-8111-111111111111';
const OPERATOR = 'Cloakroom-operator';
const ALL = ['Tokens', 'Access', 'Reactors'];

type Deployment = Awaited<ReturnType<typeof aDeployment>>;

let deployment: Deployment;
beforeEach(async () => {
  deployment = await aDeployment();
  await put('other');
  await put('lost');
});
afterEach(() => deployment.close());

function put(id: string) {
  const stored = aStoredToken({ tenantId: TENANT, id, containers: ['/a/'] });
  const Item = tokenItemOf({ ...stored, dataBytes: stored.encryptedData.length, position: `p${id}` }, 2);
  return deployment.documents.send(new PutCommand({ TableName: 'Tokens', Item }));
}

const remove = (id: string) =>
  deployment.documents.send(
    new DeleteCommand({ TableName: 'Tokens', Key: { pk: `${TENANT}#${id}`, sk: 'token' } }),
  );

const backUpAll = () => Promise.all(ALL.map((name) => deployment.backUp(name)));

async function dropAll(...names: readonly string[]): Promise<void> {
  for (const TableName of names) {
    const { plain } = deployment;
    await plain.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
    await plain.send(new DeleteTableCommand({ TableName }));
  }
}

it('lists what was deleted since, and brings back the tables with their settings and tags', async () => {
  const before = await deployment.state();
  const points = await backUpAll();
  await remove('lost');
  await restoreBackups(deployment.deps, OPERATOR, points);
  const list = deployment.deps.folder.listPath('deleted-Tokens');
  expect(readFileSync(list, 'utf8')).toBe(`${JSON.stringify({ tenant_id: TENANT, id: 'lost' })}\n`);
  await restoreExchange(deployment.deps);
  const after = (await deployment.state()) as Record<string, object>;
  for (const [name, state] of Object.entries(before as Record<string, object>))
    expect({ ...after[name], items: [] }).toEqual({ ...state, items: [] });
  // The deletion stays, and the sweep removes the token for good.
  expect(await itemsOf(deployment.plain, 'Tokens')).toHaveLength(2);
});

it('continues after an interruption with the same backups alone', async () => {
  const points = await backUpAll();
  deployment.setFate((operation) => (operation === 'Scan' ? 'before' : undefined));
  await expect(restoreBackups(deployment.deps, OPERATOR, points)).rejects.toThrow('cut off');
  deployment.setFate(() => undefined);
  const another = await backUpAll();
  await expect(restoreBackups(deployment.deps, OPERATOR, another)).rejects.toThrow('is not finished');
  await expect(restoreBeside(deployment.deps, OPERATOR, 'latest', ALL)).rejects.toThrow('is not finished');
  const jobs = deployment.calls.filter((call) => call === 'StartRestoreJob').length;
  await restoreBackups(deployment.deps, OPERATOR, points);
  expect(deployment.calls.filter((call) => call === 'StartRestoreJob')).toHaveLength(jobs);
});

it('returns tables that are gone under their own names, as a deployment made them', async () => {
  const before = (await deployment.state()) as Record<string, object>;
  const points = await backUpAll();
  await dropAll(...ALL, 'Ephemeral');
  // The first run ends before the first table has its protection.
  deployment.setFate((operation) => (operation === 'UpdateTable' ? 'before' : undefined));
  await expect(restoreBackups(deployment.deps, OPERATOR, points)).rejects.toThrow('cut off');
  deployment.setFate(() => undefined);
  expect(await restoreBackups(deployment.deps, OPERATOR, points)).toEqual({
    returned: [...ALL, 'Ephemeral'],
  });
  expect(existsSync(deployment.deps.folder.path) && deployment.deps.folder.load()).toBeFalsy();
  const after = (await deployment.state()) as Record<string, Record<string, unknown>>;
  for (const name of [...ALL, 'Ephemeral'])
    expect(after[name]).toMatchObject({
      items: (before[name] as { items: unknown }).items,
      recovery: name === 'Ephemeral' ? 'DISABLED' : 'ENABLED',
      TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' },
      described: { DeletionProtectionEnabled: true },
      tags: expect.arrayContaining([
        { Key: 'cloakroom:backup', Value: name === 'Ephemeral' ? 'never' : 'daily' },
      ]),
    });
});

it('refuses backups of other tables, two of one, and a choice that no time could have', async () => {
  const [tokens = '', access = ''] = await backUpAll();
  const again = await deployment.backUp('Tokens');
  const ephemeral = await deployment.backUp('Ephemeral');
  const refused = (...points: readonly string[]) =>
    expect(restoreBackups(deployment.deps, OPERATOR, points)).rejects;
  await refused(ephemeral).toThrow('is a backup of Ephemeral: only Tokens, Access and Reactors');
  await refused(tokens, again).toThrow('two backups of Tokens');
  await refused(access).toThrow('the tables must be Tokens, Reactors, both, or all');
});

it('says why AWS made no table', async () => {
  const points = await backUpAll();
  deployment.deps.backups.job = () => Promise.resolve({ state: 'failed', reason: 'no right on the key' });
  deployment.deps.backups.start = () => Promise.resolve('job');
  await expect(restoreBackups(deployment.deps, OPERATOR, points)).rejects.toThrow(
    /did not make Tokens-at-.*: no right on the key; drop the restore with restore clean/,
  );
});
