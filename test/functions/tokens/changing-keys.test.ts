import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { destroyTenantStep } from '../../../src/core/operator/destroy-tenant.ts';
import { FORGOTTEN_MS } from '../../../src/core/crypto/tenant-keys.ts';
import { beginRootReplacement, continueRootReplacement } from '../../../src/core/operator/replace-root.ts';
import { batchGet } from '../../../src/adapters/dynamodb/batch-get.ts';
import { packagePartsKey } from '../../../src/adapters/dynamodb/keys.ts';
import { partKeys } from '../../../src/adapters/dynamodb/value-parts.ts';
import { dataKeyVersion } from '../../../src/core/crypto/record-encryption.ts';
import { encryptContent } from '../../../src/core/reactors/open-reactor.ts';
import { encryptPackages, openPackages } from '../../../src/core/reactors/own-packages.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { aPackageBundle } from '../../support/builders/a-package-bundle.ts';
import { aStoredReactor } from '../../support/builders/a-stored-reactor.ts';
import { reencryptStep } from '../../../src/core/operator/reencrypt-records.ts';
import { rewrapStep, rotateDeploymentKey } from '../../../src/core/operator/wrap-roots.ts';
import { rotateDataKey } from '../../../src/core/operator/rotate-data-key.ts';
import { webhookSecrets } from '../../../src/core/webhooks/webhook-secrets.ts';
import { CONTENT_MS } from '../../../src/core/reactors/invocation.ts';
import { manyInstances, type Reply } from '../../support/many-instances.ts';
import { IS_THOROUGH, randomOfFile } from '../../../packages/test-kit/src/thoroughness.ts';

const random = randomOfFile();

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

type World = Awaited<ReturnType<typeof manyInstances>>;
type Instance = ReturnType<World['anInstance']>;

/** Clients that repeatedly call four instances, and the unexpected results. */
async function aLoad(world: World) {
  const { state, anInstance, aTenant, anApplication } = world;
  const tenantId = await aTenant();
  const { key } = await anApplication(tenantId);
  const instances = [anInstance(), anInstance(), anInstance(), anInstance()];
  const known = new Map<string, { readonly data: string; readonly mark: string }>();
  const changed = new Set<string>();
  const failures: unknown[] = [];
  /**
   * Requests of the next round, which must work whatever has happened to the keys meanwhile: a
   * replay, the next page.
   */
  const later: { readonly until: number; readonly act: () => Promise<unknown> }[] = [];
  let requests = 0;
  let serial = 0;
  let only = '';

  /**
   * Instances that create nothing: they read the tenant again only when their cache has expired.
   */
  const readers = [anInstance(), anInstance()];
  const any = (all: readonly Instance[]): Instance => all[Math.floor(random() * all.length)] ?? anInstance();
  async function ask(wanted: number, ...request: DropKey<Parameters<Instance>>): Promise<Reply> {
    const [method, path, body, headers] = request;
    requests += 1;
    const isRead = method === 'GET' || path === '/tokens/search';
    const reply = await any(isRead ? [...instances, ...readers, ...readers] : instances)(
      method,
      path,
      key,
      body,
      headers,
    );
    if (reply.status !== wanted) failures.push([method, path, reply]);
    return reply;
  }
  const must = (what: string, holds: boolean) => {
    if (!holds) failures.push(what);
  };

  async function create(mark: string): Promise<void> {
    const data = `value ${String((serial += 1))}`;
    const headers = { 'SVC-IDEMPOTENCY-KEY': data };
    const body = { type: 'token', data, metadata: { mark }, search_indexes: ['{{ data }}'] };
    const { body: made } = await ask(201, 'POST', '/tokens', body, headers);
    known.set(made['id'] as string, { data, mark });
    const replay = async () => {
      const again = await ask(201, 'POST', '/tokens', body, headers);
      must('an answer is replayed', again.body['id'] === made['id']);
    };
    await replay();
    later.push({ until: state.now + DAY, act: replay });
  }

  async function search(query: string): Promise<readonly string[]> {
    const { body } = await ask(200, 'POST', '/tokens/search', { query, size: 100 });
    return ((body['data'] ?? []) as { readonly id: string }[]).map(({ id }) => id);
  }

  /** One record of every kind that depends on a key. */
  async function round(): Promise<void> {
    for (const { until, act } of later.splice(0)) if (until > state.now) await act();
    await create(`mark ${String(serial % 3)}`);
    const [id, { data, mark: under }] = [...known][Math.floor(random() * known.size)] ?? [
      '',
      { data: '', mark: '' },
    ];
    must('data opens', (await ask(200, 'GET', `/tokens/${id}`)).body['data'] === data);
    const wanted = [...known].filter(([, each]) => each.mark === under).map(([each]) => each);
    const found = await search(`metadata.mark:"${under}"`);
    must(`a search finds all under ${under}`, found.toSorted().join() === wanted.toSorted().join());
    must('a search by data finds it', (await search(`data:"${data}"`)).join() === id);
    const { body: same } = await ask(201, 'POST', '/tokens', {
      type: 'token',
      data: 'only one',
      deduplicate_token: true,
    });
    only = only === '' ? (same['id'] as string) : only;
    must('a duplicate is found', same['id'] === only);
    await ask(200, 'PATCH', `/tokens/${id}`, { metadata: { changed: String(serial) } });
    changed.add(id);
    const page = await ask(200, 'GET', '/tokens?size=2');
    const { after = null } = (page.body['pagination'] ?? {}) as { readonly after?: string | null };
    const goOn = () => ask(200, 'GET', `/tokens?size=2&after=${String(after)}`);
    if (after !== null) later.push({ until: Infinity, act: goOn });
  }

  return {
    tenantId,
    key,
    known,
    changed,
    failures,
    instances,
    requests: () => requests,
    /** More tokens than the rounds make, without searches. */
    async tokens(count: number) {
      for (let made = 0; made < count; made += 1) await create(`mark ${String(serial % 3)}`);
    },
    async rounds(count = IS_THOROUGH ? 3 : 1) {
      for (let done = 0; done < count; done += 1) await round();
    },
    /** Takes all steps of a walk, and sends requests in between. */
    async reencrypt() {
      let step = await reencryptStep(world.operator, tenantId);
      while (!step.isDone) {
        await round();
        step = await reencryptStep(world.operator, tenantId);
      }
      return step;
    },
    pass: (ms: number) => (state.now += ms),
  };
}

type DropKey<T extends readonly unknown[]> = T extends [infer M, infer P, unknown, ...infer Rest]
  ? [M, P, ...Rest]
  : never;

let world: World;
beforeEach(async () => {
  world = await manyInstances();
});
afterEach(() => world.database.close());

describe('a walk over all records', () => {
  it('reports records that do not open, and encrypts all others', async () => {
    const load = await aLoad(world);
    await load.rounds(3);
    const { client } = world.database.tables();
    const [broken = '', forged = ''] = load.known.keys();
    const Key = { pk: `${load.tenantId}#${broken}`, sk: 'token' };
    const spoil = new UpdateCommand({
      TableName: 'Tokens',
      Key,
      UpdateExpression: 'SET encryptedData = :spoiled',
      ExpressionAttributeValues: {
        ':spoiled': Buffer.concat([Buffer.from([1, 0, 1]), Buffer.alloc(60)]),
      },
    });
    await client.send(spoil);
    const forge = new UpdateCommand({
      TableName: 'Tokens',
      Key: { pk: `${load.tenantId}#${forged}`, sk: 'token' },
      UpdateExpression: 'SET clearMac = :forged',
      ExpressionAttributeValues: { ':forged': Buffer.from([0, 1, ...Buffer.alloc(32)]) },
    });
    await client.send(forge);
    await rotateDataKey(world.operator, load.tenantId);
    const steps = [];
    do steps.push(await reencryptStep(world.operator, load.tenantId));
    while (steps.at(-1)?.isDone === false);
    expect(new Set(steps.flatMap(({ unreadable }) => unreadable))).toEqual(new Set([broken, forged]));
    expect(steps.at(-1)?.left).toBe(2);
    // The count includes the token that all duplicates return.
    expect(steps.reduce((sum, { reencrypted }) => sum + reencrypted, 0)).toBe(load.known.size - 1);
    expect(world.failures).toMatchObject([
      { name: 'RecordCorruptedError' },
      { name: 'RecordCorruptedError' },
    ]);
  });

  it('encrypts the packages of reactors, which it reads to know their key', async () => {
    const { tenantId } = await aLoad(world);
    const { operator } = world;
    const { base64, bundle } = await aPackageBundle({ lodash: 'module.exports = 1' });
    const plain = aStoredReactor({ tenantId });
    const sent = { bundle: new Secret(bundle), zipped: new Secret(Buffer.from(base64, 'base64')) };
    const { packages, stored } = await encryptPackages(operator, plain, sent);
    const content = { code: new Secret('x'), configuration: new Secret({}) };
    const reactor = { ...plain, packages, ...(await encryptContent(operator.vault, plain, content)) };
    await operator.reactorStore.create(reactor, 100, stored);
    await rotateDataKey(operator, tenantId);
    const walk = async () => {
      let reencrypted = 0;
      for (let isDone = false; !isDone;) {
        const step = await reencryptStep(operator, tenantId);
        reencrypted += step.reencrypted;
        ({ isDone } = step);
      }
      return reencrypted;
    };
    expect(await walk()).toBe(1);
    const [next] = await operator.reactorStore.findMany(tenantId, [reactor.id]);
    const encrypted = next && (await operator.reactorStore.findPackages(next));
    expect([dataKeyVersion(stored.encrypted), encrypted && dataKeyVersion(encrypted)]).toEqual([1, 2]);
    expect(await operator.reactorStore.findPackages(reactor)).toBeUndefined();
    const old = packagePartsKey(tenantId, reactor.id, packages.id);
    const left = await batchGet({ ...world.database.tables(), name: 'Reactors' }, partKeys(old, 1));
    expect(left).toEqual([{ ...partKeys(old, 1)[0], ttl: expect.any(Number) }]);
    expect(next && (await openPackages(operator, next))?.reveal()).toEqual(bundle);
    expect(await operator.reactorStore.findLocked([reactor])).toEqual([['lodash@1.0.0']]);
    expect(await walk()).toBe(0);
  });

  it('continues from where it was interrupted, in any instance, for its own tenant only', async () => {
    const one = await aLoad(world);
    const other = await aLoad(world);
    await Promise.all([one.rounds(3), other.rounds(3)]);
    // A step sees at least ten records.
    await one.tokens(10);
    await rotateDataKey(world.operator, one.tenantId);
    const hasty = { ...world.operator, clock: () => (world.state.now += 60_000) };
    const first = await reencryptStep(hasty, one.tenantId);
    expect(first.isDone).toBe(false);
    expect(first.seen).toBeLessThanOrEqual(10);
    expect((await world.operator.tenantStore.find(one.tenantId))?.reencrypt).toMatchObject({ left: 0 });
    expect((await world.operator.tenantStore.find(other.tenantId))?.reencrypt).toBeUndefined();
    const [, second] = await Promise.all([
      reencryptStep(world.operator, other.tenantId),
      reencryptStep(world.operator, one.tenantId),
    ]);
    expect(second.seen).toBeLessThan(one.known.size);
    // Two concurrent walks do some work twice, and both finish.
    const both = () => Promise.all([1, 2].map(() => reencryptStep(world.operator, one.tenantId)));
    while ((await both()).every(({ isDone }) => !isDone));
    expect((await world.operator.tenantStore.find(one.tenantId))?.reencrypt).toBeUndefined();
    await one.rounds();
    expect([...one.failures, ...other.failures]).toEqual([]);
  });
});

describe('with requests to four instances', () => {
  it('a data key is rotated and everything re-encrypted, and no request fails', async () => {
    const load = await aLoad(world);
    await load.rounds(2);
    expect(await rotateDataKey(world.operator, load.tenantId)).toBe(2);
    await load.rounds();
    load.pass(FORGOTTEN_MS);
    expect((await load.reencrypt()).left).toBe(0);
    await load.rounds();
    expect(load.failures).toEqual([]);
    // The rotation itself unwraps nothing, and all keys are of one root.
    expect(new Set(world.keys.unwraps)).toEqual(new Set([load.tenantId]));
  });

  it('a root is wrapped by other keys, and no request fails', async () => {
    const load = await aLoad(world);
    const { operator } = world;
    await load.rounds(2);
    for (const by of ['deployment', 'kms', 'deployment', undefined] as const) {
      if (by === undefined) await rotateDeploymentKey(operator);
      let isDone = false;
      while (!isDone) ({ isDone } = await rewrapStep(operator, { tenantId: load.tenantId, by }));
      await load.rounds();
      load.pass(MINUTE);
      await load.rounds();
    }
    expect(load.failures).toEqual([]);
    const [root] = (await operator.tenantStore.find(load.tenantId))?.roots ?? [];
    expect(root?.deploymentKey).toEqual(await operator.deploymentKeyStore.current());
  });

  it('the root is replaced step by step, and no request fails', async () => {
    const load = await aLoad(world);
    const { operator } = world;
    const { tenantId } = load;
    const step = async () => (await continueRootReplacement(operator, tenantId)).state;
    const secrets = async () => (await webhookSecrets(operator, tenantId)).map((secret) => secret.reveal());
    const [before] = await secrets();
    const roots = async () => (await operator.tenantStore.find(tenantId))?.roots ?? [];
    const [old] = await roots();
    await load.rounds(2);

    await expect(step()).rejects.toMatchObject({ code: 'conflict' });
    expect((await beginRootReplacement(operator, tenantId)).state).toBe('waiting');
    // A second start, or a retry after a lost response, starts nothing new.
    expect((await beginRootReplacement(operator, tenantId)).state).toBe('waiting');
    await expect(rotateDataKey(operator, tenantId)).rejects.toMatchObject({ code: 'conflict' });
    await load.rounds();
    load.pass(FORGOTTEN_MS - MINUTE);
    await load.rounds();
    // Some instance may not know the new root yet.
    expect(await step()).toBe('waiting');
    load.pass(MINUTE);
    await load.rounds();
    expect(await step()).toBe('reencryption');
    await load.rounds();
    // A walk does not count if it begins while an instance may still encrypt under the old root.
    expect((await load.reencrypt()).left).toBe(0);
    expect(await step()).toBe('reencryption');
    await load.rounds();
    load.pass(FORGOTTEN_MS);
    expect((await load.reencrypt()).left).toBe(0);
    expect(await step()).toBe('clearing');
    await load.rounds();
    // As long as an instance may search under the old root, its terms are written and preserved.
    expect((await load.reencrypt()).left).toBe(0);
    expect(await step()).toBe('clearing');
    load.pass(FORGOTTEN_MS);
    expect((await load.reencrypt()).left).toBe(0);
    expect(await step()).toBe('ending');
    expect(await roots()).toHaveLength(2);
    await load.rounds();
    // Records that expire can be opened as long as they exist.
    load.pass(CONTENT_MS - FORGOTTEN_MS - MINUTE);
    expect(await step()).toBe('ending');
    load.pass(MINUTE);
    await load.rounds();
    expect(await step()).toBe('ended');
    // Some instances do not know about the end yet, and search the writes of those that do.
    load.instances.push(...Array.from({ length: 4 }, () => world.anInstance()));
    await load.rounds(IS_THOROUGH ? 12 : 6);

    // Nothing needs the old root any more, not even searches, and nothing can be guessed with it.
    const terms = (await world.database.keys()).filter((each) => each.includes('#term#'));
    expect(terms).toHaveLength(load.known.size * 2 + load.changed.size);
    load.pass(FORGOTTEN_MS);
    const left = await roots();
    expect(left).toHaveLength(1);
    expect(left[0]?.wrapped).not.toEqual(old?.wrapped);
    world.keys.lose(old?.wrapped ?? Buffer.alloc(0));
    load.instances.splice(0, 8, world.anInstance(), world.anInstance());
    await load.rounds();
    const cold = world.anInstance();
    for (const [id, { data }] of load.known)
      expect((await cold('GET', `/tokens/${id}`, load.key)).body['data']).toBe(data);
    expect(await secrets()).toEqual([before]);
    expect(load.failures).toEqual([]);
    expect(load.requests()).toBeGreaterThan(150);
  });

  it('the destruction of a tenant fails no request of another one; its own are rejected without a 5xx', async () => {
    const stays = await aLoad(world);
    const goes = await aLoad(world);
    await Promise.all([stays.rounds(), goes.rounds()]);
    const reactorFunctions = { remove: () => Promise.resolve() };
    const statuses = new Set<number>();
    for (let isDone = false; !isDone;) {
      ({ isDone } = await destroyTenantStep({ ...world.operator, reactorFunctions }, goes.tenantId));
      await stays.rounds(1);
      await goes.rounds(1);
      // An instance without earlier requests does not know the old root any more.
      statuses.add((await world.anInstance()('GET', '/tokens', goes.key)).status);
    }
    goes.pass(FORGOTTEN_MS);
    await stays.rounds();
    const late = goes.failures.length;
    await goes.rounds();
    expect(stays.failures).toEqual([]);
    expect([...statuses]).toEqual([401]);
    const replies = goes.failures.filter((failure) => Array.isArray(failure));
    expect(replies.filter(([, , { status }]) => (status as number) >= 500)).toEqual([]);
    expect(
      goes.failures.slice(late).filter((failure) => Array.isArray(failure) && failure[2].status !== 401),
    ).toEqual([]);
    const keys = await world.database.keys();
    expect(keys.filter((key) => key.includes(goes.tenantId) && !key.includes('#request#'))).toEqual([]);
  });
});
