import { randomUUID } from 'node:crypto';
import { RETIRED_MS } from '../../src/core/access/credential-store.ts';
import { KEYS_MAX } from '../../src/core/applications/application-key.ts';
import {
  deleteApplication,
  regenerateKey,
  updateApplication,
} from '../../src/core/applications/change-application.ts';
import {
  createKey,
  deleteKey,
  getKey,
  listKeys,
  updateKey,
  type KeyPlace,
} from '../support/keys-of-application.ts';
import { createApplication } from '../../src/core/applications/create-application.ts';
import { destroyTenantStep } from '../../src/core/operator/destroy-tenant.ts';
import type { Caller } from '../../src/core/access/caller.ts';
import { randomIdentity, repeatableIdentity } from '../../src/core/shared/write-identity.ts';
import { cases, randomOfFile } from '../../packages/test-kit/src/thoroughness.ts';
import { aCaller } from '../support/builders/a-caller.ts';
import { manyInstances } from '../support/many-instances.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

const random = randomOfFile();
/** An instance for each copy of a key: none of them has seen a key yet. */
const cold = () => Array.from({ length: 8 }, (_, copy) => world.anInstance(copy));
const draw = (below: number): number => Math.floor(random() * below);

const DAY = 24 * 60 * 60_000;

let world: Awaited<ReturnType<typeof manyInstances>>;
let tenantId: string;
beforeAll(async () => {
  world = await manyInstances();
  tenantId = await world.aTenant();
});
afterAll(() => world.database.close());

const manager = (): Caller =>
  aCaller({
    tenantId,
    type: 'management',
    permissions: ['application:read', 'application:update', 'application:delete'],
  });
const writes = () => randomIdentity(machinePlatform.random);

/** Collects the distinct responses to a key, from each of its copies. */
async function responsesTo(key: string, instances = cold()): Promise<readonly string[]> {
  const responses = await Promise.all(instances.map((ask) => ask('GET', '/tokens/nothing', key)));
  return [...new Set(responses.map(({ status, body }) => `${String(status)} ${String(body.code)}`))];
}

const ACCEPTED = ['404 not_found'];
const UNKNOWN = ['401 unauthenticated'];
const EXPIRED = ['401 key_expired'];

async function anotherKey(id: string, more: object = {}) {
  const { key, text } = await createKey(
    world.operator,
    manager(),
    id,
    { sourceAddresses: [], ...more },
    writes(),
  );
  return { keyId: key.id, text: text.reveal() };
}

describe('the keys of an application', () => {
  it('are accepted from the response to their creation, and by none after that to their deletion', async () => {
    const { application, key } = await world.anApplication(tenantId);
    const { keyId, text } = await anotherKey(application.id);
    const known = cold();
    expect([await responsesTo(key), await responsesTo(text, known)]).toEqual([ACCEPTED, ACCEPTED]);
    await deleteKey(world.operator, manager(), { id: application.id, keyId });
    expect([await responsesTo(key), await responsesTo(text, known)]).toEqual([ACCEPTED, UNKNOWN]);
  });

  it('are at most eight, of which an expired one counts', async () => {
    const { application } = await world.anApplication(tenantId);
    const { keyId } = await anotherKey(application.id, { expiresAtMs: world.state.now + DAY });
    for (let made = 2; made < KEYS_MAX; made += 1) await anotherKey(application.id);
    world.state.now += 2 * DAY;
    await expect(anotherKey(application.id)).rejects.toMatchObject({ code: 'conflict' });
    await deleteKey(world.operator, manager(), { id: application.id, keyId });
    await anotherKey(application.id);
  });

  it('end at their time, are said to have expired for thirty days, and then are unknown', async () => {
    const { application } = await world.anApplication(tenantId);
    const { keyId, text } = await anotherKey(application.id, { expiresAtMs: world.state.now + DAY });
    expect(await responsesTo(text)).toEqual(ACCEPTED);
    const early = { id: application.id, keyId };
    // A later end may arrive late, and must not find an expired key.
    world.state.now += DAY - 59_000;
    for (const expiresAtMs of [null, world.state.now + DAY])
      await expect(updateKey(world.operator, manager(), early, { expiresAtMs })).rejects.toMatchObject({
        code: 'conflict',
      });
    await updateKey(world.operator, manager(), early, { name: 'x' });
    world.state.now += 59_000;
    expect(await responsesTo(text)).toEqual(EXPIRED);
    const place = { id: application.id, keyId };
    const revived = updateKey(world.operator, manager(), place, { expiresAtMs: world.state.now + DAY });
    await expect(revived).rejects.toMatchObject({ code: 'not_found' });
    world.state.now += RETIRED_MS;
    expect(await responsesTo(text)).toEqual(UNKNOWN);
  });

  it('are one for a request that is repeated, with the text of its last attempt', async () => {
    const { application } = await world.anApplication(tenantId);
    const seed = Buffer.alloc(32, 7);
    const attempt = () =>
      createKey(
        world.operator,
        manager(),
        application.id,
        { sourceAddresses: [] },
        repeatableIdentity(seed, world.state.now),
      );
    const attempts = [await attempt(), await attempt(), await attempt()];
    const keys = await listKeys(world.operator, manager(), application.id);
    expect(keys.map(({ id }) => id)).toContain(attempts.at(-1)?.key.id);
    expect(keys).toHaveLength(2);
    // Another id, so that neither a session nor a tombstone takes one for the other.
    expect(new Set(attempts.map(({ key }) => key.id)).size).toBe(3);
    expect(await Promise.all(attempts.map((each) => responsesTo(each.text.reveal())))).toEqual([
      UNKNOWN,
      UNKNOWN,
      ACCEPTED,
    ]);
  });

  it('are one for an application whose creation is repeated, and none if it was changed since', async () => {
    const writes = () => repeatableIdentity(Buffer.alloc(32, 9), world.state.now);
    const creator = { ...manager(), permissions: ['application:create' as const] };
    const input = { name: 'x', type: 'private', permissions: ['token:read'], rules: [] } as const;
    const attempts = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      world.state.now += 1_000;
      const identity = { ...writes(), startedAt: 1_800_000_000_000 };
      attempts.push(await createApplication(world.operator, creator, input, identity));
    }
    const id = attempts[0]?.application.id ?? '';
    const [only, ...others] = await listKeys(world.operator, manager(), id);
    expect([only?.hint, others]).toEqual([attempts.at(-1)?.key.reveal().slice(-4), []]);
    await deleteKey(world.operator, manager(), { id, keyId: only?.id ?? '' });
    const late = { ...writes(), startedAt: 1_800_000_000_000 };
    await expect(createApplication(world.operator, creator, input, late)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('are listed with the day of their last use, the newest first, and never with their text', async () => {
    const { application, key } = await world.anApplication(tenantId);
    const { keyId, text } = await anotherKey(application.id, { name: 'second' });
    await world.anInstance()('GET', '/tokens/nothing', key);
    const keys = await listKeys(world.operator, manager(), application.id);
    const today = new Date(world.state.now).toISOString().slice(0, 10);
    expect(keys.map(({ name, lastUsedOn }) => [name, lastUsedOn])).toEqual([
      ['second', undefined],
      [undefined, today],
    ]);
    expect(keys.map(({ hint }) => hint)).toEqual([text.slice(-4), key.slice(-4)]);
    expect(await getKey(world.operator, manager(), { id: application.id, keyId })).toEqual(keys[0]);
    expect(JSON.stringify(keys)).not.toContain(text);
  });

  it('change nothing of their application after the response to their deletion', async () => {
    const key = { sourceAddresses: [] };
    const update = { name: 'x', permissions: ['token:read'], rules: [] } as const;
    const changes: readonly ((
      deps: typeof world.operator,
      by: Caller,
      place: KeyPlace,
    ) => Promise<unknown>)[] = [
      (deps, by, { id }) => createKey(deps, by, id, key, writes()),
      (deps, by, { id }) => regenerateKey(deps, by, id),
      (deps, by, { id }) => updateApplication(deps, by, id, update),
      (deps, by, { id }) => deleteApplication(deps, by, id),
      (deps, by, place) => updateKey(deps, by, place, { name: 'x' }),
      (deps, by, place) => deleteKey(deps, by, place),
    ];
    for (const change of changes) {
      const { application } = await world.anApplication(tenantId);
      const { id } = application;
      const stolen = await anotherKey(id);
      const other = await anotherKey(id);
      const thief = { ...manager(), applicationId: id, credentialId: id, keyId: stolen.keyId };
      const { applicationStore } = world.operator;
      // The key is deleted after the thief's request was accepted and has read the application.
      const slow = {
        ...applicationStore,
        async find(tenant: string, of: string) {
          const found = await applicationStore.find(tenant, of);
          await deleteKey(world.operator, manager(), { id, keyId: stolen.keyId }).catch(() => undefined);
          return found;
        },
      };
      const deps = { ...world.operator, applicationStore: slow };
      const denied = { code: 'unauthenticated' };
      await expect(change(deps, thief, { id, keyId: other.keyId })).rejects.toMatchObject(denied);
      const left = await listKeys(world.operator, manager(), id);
      expect(left.map((each) => each.id)).toContain(other.keyId);
      expect(left).toHaveLength(2);
    }
  });

  it('are not changed by a late request for an application that was made again under its id', async () => {
    const by = { ...manager(), permissions: ['application:create' as const] };
    const make = async () => {
      const repeated = repeatableIdentity(Buffer.alloc(32, 5), world.state.now);
      return createApplication(
        world.operator,
        by,
        { name: 'x', type: 'private', permissions: ['token:read'], rules: [] },
        repeated,
      );
    };
    const first = await make();
    const { applicationStore } = world.operator;
    expect(await applicationStore.delete(first.application)).toBe(true);
    const second = await make();
    expect(second.application.id).toBe(first.application.id);
    const stale = { ...first.application, version: first.application.version + 1 };
    expect(await applicationStore.update(first.application, stale)).toBe(false);
    expect(await responsesTo(second.key.reveal())).toEqual(ACCEPTED);
    expect(await responsesTo(first.key.reveal())).toEqual(UNKNOWN);
    await deleteApplication(world.operator, manager(), second.application.id);
    expect(await responsesTo(second.key.reveal())).toEqual(UNKNOWN);
  });

  it('are not found in another application', async () => {
    const mine = await world.anApplication(tenantId);
    const other = await world.anApplication(tenantId);
    const { keyId } = await anotherKey(other.application.id);
    for (const act of [getKey, deleteKey])
      await expect(act(world.operator, manager(), { id: mine.application.id, keyId })).rejects.toMatchObject({
        code: 'not_found',
      });
  });

  it('are forgotten with their tenant, also those that were deleted', async () => {
    const doomed = await world.aTenant();
    const { application } = await world.anApplication(doomed);
    const by = { ...manager(), tenantId: doomed };
    const { key } = await createKey(world.operator, by, application.id, { sourceAddresses: [] }, writes());
    await deleteKey(world.operator, by, { id: application.id, keyId: key.id });
    const deps = { ...world.operator, reactorFunctions: { remove: () => Promise.resolve() } };
    for (let isDone = false; !isDone;) ({ isDone } = await destroyTenantStep(deps, doomed));
    const left = (await world.database.keys()).filter(
      (each) => each.includes(doomed) || each.includes(key.hash.toString('base64url')),
    );
    expect(left).toEqual([]);
  });
});

/** Rights that do not fit into one read unit together with a key. */
const LARGE = Array.from({ length: 60 }, (_, at) => ({
  priority: at + 2,
  container: `/${'c'.repeat(900)}${String(at)}/` as const,
  transform: 'mask' as const,
  permissions: ['token:read' as const],
}));

/** Gives an application many rules, or only one. */
async function resize(id: string, isLarge: boolean): Promise<void> {
  const { applicationStore } = world.operator;
  const found = await applicationStore.find(tenantId, id);
  if (found === undefined) throw new Error('the application is missing');
  const rules = [...found.rules.slice(0, 1), ...(isLarge ? LARGE : [])];
  expect(await applicationStore.update(found, { ...found, rules, version: found.version + 1 })).toBe(true);
}

/** The state of a key that a model knows. */
interface Known {
  readonly keyId: string;
  readonly text: string;
  expiresAtMs: number;
  isGone: boolean;
}

it('no key outlives its application, and all copies answer the same, after any history of changes', async () => {
  for (let run = 0; run < cases(2); run += 1) {
    const { application, key } = await world.anApplication(tenantId);
    const { id } = application;
    const [first] = await listKeys(world.operator, manager(), id);
    const keys: Known[] = [{ keyId: first?.id ?? '', text: key, expiresAtMs: Infinity, isGone: false }];
    const history: string[] = [];
    const warm = cold();
    for (let step = 0; step < 8; step += 1) {
      const there = keys.filter(({ isGone }) => !isGone);
      const one = there[draw(there.length)];
      const act = draw(13);
      history.push(String(act));
      if (act < 4 && there.length < KEYS_MAX) {
        const expiresAtMs = act === 0 ? world.state.now + 1_000_000 : Infinity;
        const made = await anotherKey(id, expiresAtMs === Infinity ? {} : { expiresAtMs });
        keys.push({ ...made, expiresAtMs, isGone: false });
      } else if (act < 6 && one !== undefined) {
        await deleteKey(world.operator, manager(), { id, keyId: one.keyId });
        one.isGone = true;
      } else if (act < 8 && one !== undefined && one.expiresAtMs > world.state.now) {
        one.expiresAtMs = world.state.now + 500_000;
        await updateKey(
          world.operator,
          manager(),
          { id, keyId: one.keyId },
          { expiresAtMs: one.expiresAtMs },
        );
      } else if (act < 10) world.state.now += 700_000;
      else if (act === 10) {
        const { application: now, key: text } = await regenerateKey(world.operator, manager(), id);
        for (const each of keys) each.isGone = true;
        keys.push({
          keyId: now.keys[0]?.id ?? '',
          text: text.reveal(),
          expiresAtMs: Infinity,
          isGone: false,
        });
      } else if (act > 10) await resize(id, act === 12);
      for (const each of keys) {
        const expected = each.isGone ? UNKNOWN : each.expiresAtMs <= world.state.now ? EXPIRED : ACCEPTED;
        expect([history, await responsesTo(each.text), await responsesTo(each.text, warm)]).toEqual([
          history,
          expected,
          expected,
        ]);
      }
    }
    await deleteApplication(world.operator, manager(), id);
    for (const each of keys) expect([history, await responsesTo(each.text)]).toEqual([history, UNKNOWN]);
  }
});

it('a rotation fails no request on four instances, and no request after the deletion is accepted', async () => {
  const { application, key: old } = await world.anApplication(tenantId);
  const [first] = await listKeys(world.operator, manager(), application.id);
  const instances = Array.from({ length: 4 }, () => world.anInstance());
  let key = old;
  let sent = 0;
  const failed: unknown[] = [];
  async function load(ask: (typeof instances)[number]) {
    while (sent < 500) {
      sent += 1;
      const { status, body } = await ask('GET', '/tokens/nothing', key);
      if (status !== 404) failed.push(body);
    }
  }
  const reached = async (count: number) => {
    while (sent < count) await new Promise(setImmediate);
  };
  // Two clients of each instance, so that requests overlap with the changes.
  const clients = Promise.all([...instances, ...instances].map(load));
  await reached(150);
  const next = await anotherKey(application.id);
  await reached(250);
  key = next.text;
  await reached(350);
  await deleteKey(world.operator, manager(), { id: application.id, keyId: first?.id ?? '' });
  const late = await Promise.all(
    Array.from({ length: 20 }, () => instances.map((ask) => ask('GET', '/tokens/nothing', old))).flat(),
  );
  await clients;
  expect(failed).toEqual([]);
  expect(new Set(late.map(({ status, body }) => `${String(status)} ${String(body.code)}`))).toEqual(
    new Set(UNKNOWN),
  );
});

it('the largest application with eight keys changes as one', async () => {
  const { application } = await world.anApplication(tenantId);
  const networks = Array.from({ length: 20 }, (_, at) => `2001:db8:${String(at)}:ffff:ffff:ffff::/96`);
  for (let made = 1; made < KEYS_MAX; made += 1)
    await anotherKey(application.id, {
      name: 'n'.repeat(200),
      sourceAddresses: networks,
      expiresAtMs: world.state.now + DAY,
    });
  await resize(application.id, true);
  // One key replaces all eight: 64 tombstones, their records, and the copies of the new key.
  const { key } = await regenerateKey(world.operator, manager(), application.id);
  expect((await world.anInstance()('GET', '/tokens/nothing', key.reveal())).status).toBe(404);
  expect(await world.operator.applicationStore.find(tenantId, randomUUID())).toBeUndefined();
});
