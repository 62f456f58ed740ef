// Tokens in a restore: what callers can find afterwards, with the items that belong to a token.
import { readFileSync, writeFileSync } from 'node:fs';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { restoreBeside } from '../../../../bin/operator/restore/restore-beside.ts';
import { restoreExchange } from '../../../../bin/operator/restore/restore-exchange.ts';
import { tokenKey } from '../../../../src/adapters/dynamodb/keys.ts';
import { createTokenStore } from '../../../../src/adapters/dynamodb/token-store.ts';
import { LIST_SHARDS } from '../../../../src/adapters/dynamodb/token-tables.ts';
import type { StoredToken, UnprovenToken } from '../../../../src/core/tokens/token.ts';
import { fc } from '../../../../packages/test-kit/src/properties.ts';
import { cases } from '../../../../packages/test-kit/src/thoroughness.ts';
import {
  aFullToken,
  aStoredToken,
  changed,
  TENANT,
  terms,
} from '../../../support/builders/a-stored-token.ts';
import { aDeployment, itemsOf, NOW } from './a-deployment.ts';
import { machinePlatform } from '../../../../src/adapters/machine-platform.ts';

async function aWorld() {
  const deployment = await aDeployment();
  const store = createTokenStore(
    {
      client: deployment.documents,
      platform: machinePlatform,
      tokensTable: 'Tokens',
      ephemeralTable: 'Ephemeral',
      listShards: LIST_SHARDS,
    },
    () => NOW,
  );
  const beside = () => restoreBeside(deployment.deps, 'Cloakroom-operator', 'latest', ['Tokens']);
  return {
    deployment,
    store,
    beside,
    async copied() {
      deployment.setFate((operation) => (operation === 'Scan' ? 'before' : undefined));
      await expect(beside()).rejects.toThrow('cut off');
      deployment.setFate(() => undefined);
    },
    /** Runs `meanwhile` after the copies were prepared, while running requests end. */
    exchange: (meanwhile: () => Promise<unknown> = () => Promise.resolve()) => {
      let isStopped = false;
      const pause = async () => {
        if (!isStopped) await meanwhile();
        isStopped = true;
      };
      return restoreExchange({ ...deployment.deps, pause });
    },
    items: () => itemsOf(deployment.plain, 'Tokens'),
    list: (name: string) =>
      readFileSync(deployment.deps.folder.listPath(name), 'utf8').split('\n').filter(Boolean),
    async update(token: UnprovenToken, more: Partial<UnprovenToken>) {
      const next = changed(token, more);
      expect(await store.update(token, { token: next })).toBe('written');
      return next;
    },
    /** A deletion that has begun: no request sees the token any more. */
    beginDeletion: ({ tenantId, id }: UnprovenToken) =>
      deployment.documents.send(
        new UpdateCommand({
          TableName: 'Tokens',
          Key: tokenKey(tenantId, id),
          UpdateExpression: 'SET pending = :yes, isLeaving = :yes REMOVE listPk, listSk',
          ExpressionAttributeValues: { ':yes': true },
        }),
      ),
  };
}

type World = Awaited<ReturnType<typeof aWorld>>;

async function created({ store }: World, ...tokens: readonly StoredToken[]): Promise<void> {
  for (const token of tokens) expect(await store.create([{ token }])).toBe('written');
}

it('a changed token stays with its parts, terms and lock, wherever the change happened', async () => {
  const world = await aWorld();
  const full = () => ({ ...aFullToken().token, fingerprint: 'f' });
  const since = full();
  const meanwhile = full();
  await created(world, since, meanwhile);
  await world.copied();
  const again = await world.update(since, { terms: terms(2, 'new'), encryptedData: Buffer.alloc(30) });
  await world.beside();
  expect(world.list('changed-Tokens')).toHaveLength(1);
  let before: readonly string[] = [];
  await world.exchange(async () => {
    const more = { terms: terms(4, 'other'), encryptedData: Buffer.alloc(900_000, 1), containers: ['/pci/'] };
    // One that was carried over before the outage is written once more.
    await world.update(again, { terms: [], hasMask: true });
    await world.update(meanwhile, more);
    before = await world.items();
  });
  expect(await world.items()).toEqual(before);
  await world.deployment.close();
});

it('a mask, and the rights of the creator of a shared token, are as they are now', async () => {
  const world = await aWorld();
  const [masked, shared, same] = ['masked', 'shared', 'same'].map((id) => aStoredToken({ id })) as [
    StoredToken,
    StoredToken,
    StoredToken,
  ];
  await created(world, masked, shared, same);
  await world.copied();
  const details = Buffer.from('a mask that shows less');
  await world.update(masked, { hasMask: true, encryptedDetails: details });
  await world.update(shared, { isShared: true, writeId: shared.writeId });
  // A reencrypt changes nothing that a caller notices.
  await world.update(same, { encryptedData: Buffer.alloc(80), writeId: same.writeId });
  await world.beside();
  expect(world.list('changed-Tokens')).toHaveLength(2);
  await world.exchange();
  expect((await world.store.find(TENANT, 'masked'))?.encryptedDetails).toEqual(details);
  expect((await world.store.find(TENANT, 'shared'))?.isShared).toBe(true);
  expect((await world.store.find(TENANT, 'same'))?.encryptedData).toEqual(same.encryptedData);
  await world.deployment.close();
});

it('an id stays used whose token is being deleted when the service stops', async () => {
  const world = await aWorld();
  const [old, fresh, late] = ['old', 'fresh', 'late'].map((id) => aStoredToken({ id })) as [
    StoredToken,
    StoredToken,
    StoredToken,
  ];
  await created(world, old);
  await world.copied();
  await created(world, fresh);
  await world.beginDeletion(fresh);
  await world.beside();
  await world.exchange(async () => {
    await world.beginDeletion(old);
    await created(world, late);
    await world.beginDeletion(late);
  });
  for (const { id } of [old, fresh, late]) {
    expect(await world.store.find(TENANT, id)).toBeUndefined();
    const outcome = await world.store.create([{ token: aStoredToken({ id }) }]);
    expect(outcome).toMatchObject({ idTakenBy: { id } });
  }
  await world.deployment.close();
});

/** Writes of callers on a few tokens. */
const write = fc.record({
  what: fc.constantFrom('create' as const, 'update' as const, 'delete' as const),
  n: fc.nat(3),
  level: fc.nat(2),
});
const CONTAINERS = ['/general/', '/pci/high/', '/pci/low/'];

it('shows no token in another state than before it, but those that were removed from the lists', async () => {
  const writes = fc.array(write, { maxLength: 8 });
  const asked = fc.subarray([0, 1, 2, 3]);
  await fc.assert(
    fc.asyncProperty(writes, writes, writes, writes, asked, async (earlier, since, read, end, back) => {
      const world = await aWorld();
      const apply = async ({ what, n, level }: typeof write extends fc.Arbitrary<infer W> ? W : never) => {
        const id = `t${String(n)}`;
        const found = await world.store.find(TENANT, id);
        const more = { terms: terms(level, id), containers: [CONTAINERS[level] ?? ''], hasMask: level > 0 };
        if (what === 'create' && found === undefined)
          await world.store.create([{ token: aStoredToken({ id, fingerprint: id, ...more }) }]);
        if (found === undefined) return;
        if (what === 'update') await world.update(found, more);
        if (what === 'delete') await world.store.deleteVersion(found);
      };
      const visible = async () =>
        await Promise.all([0, 1, 2, 3].map((n) => world.store.find(TENANT, `t${String(n)}`)));
      for (const each of earlier) await apply(each);
      const then = await visible();
      await world.copied();
      for (const each of since) await apply(each);
      await world.beside();
      const listed = new Set<number>();
      for (const name of ['deleted-Tokens', 'changed-Tokens']) {
        const lines = world.list(name);
        const isAsked = (line: string) => back.some((n) => line.includes(`"t${String(n)}"`));
        for (const n of back) if (lines.some((line) => line.includes(`"t${String(n)}"`))) listed.add(n);
        const left = lines.filter((line) => !isAsked(line)).map((line) => `${line}\n`);
        writeFileSync(world.deployment.deps.folder.listPath(name), left.join(''));
      }
      for (const each of read) await apply(each);
      let now: readonly (UnprovenToken | undefined)[] = [];
      await world.exchange(async () => {
        for (const each of end) await apply(each);
        now = await visible();
      });
      const after = await visible();
      after.forEach((token, n) => {
        // A token that was created since is missing: it was not in the restored table.
        const stays = then[n] === undefined ? undefined : now[n];
        expect(token).toEqual(listed.has(n) ? then[n] : stays);
      });
      await world.deployment.close();
    }),
    { numRuns: cases(12) },
  );
});
