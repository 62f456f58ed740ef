import { destroyTenantStep } from '../../../core/operations/destroy-tenant.ts';
import { FORGOTTEN_MS, replaceRoot } from '../../../core/operations/replace-root.ts';
import { resealStep } from '../../../core/operations/reseal-records.ts';
import { rotateDataKey } from '../../../core/operations/rotate-data-key.ts';
import { webhookSecrets } from '../../../core/webhooks/webhook-secrets.ts';
import { CONTENT_MS } from '../../../core/reactors/invocation.ts';
import { manyInstances, type Reply } from '../../support/many-instances.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

type World = Awaited<ReturnType<typeof manyInstances>>;
type Instance = ReturnType<World['anInstance']>;

/** Clients that keep asking four instances, and what was not as it should be. */
async function aLoad(world: World) {
  const { state, anInstance, aTenant, anApplication } = world;
  const tenantId = await aTenant();
  const { key } = await anApplication(tenantId);
  const instances = [anInstance(), anInstance(), anInstance(), anInstance()];
  const known = new Map<string, { readonly data: string; readonly mark: string }>();
  const failures: unknown[] = [];
  /** What the next round does, whatever has happened to the keys meanwhile: a replay, the next page. */
  const later: { readonly until: number; readonly act: () => Promise<unknown> }[] = [];
  let [requests, serial, only] = [0, 0, ''];

  const any = (): Instance => instances[Math.floor(Math.random() * instances.length)] ?? anInstance();
  async function ask(wanted: number, ...request: DropKey<Parameters<Instance>>): Promise<Reply> {
    const [method, path, body, headers] = request;
    requests += 1;
    const reply = await any()(method, path, key, body, headers);
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

  /** One of everything that hangs on a key. */
  async function round(): Promise<void> {
    for (const { until, act } of later.splice(0)) if (until > state.now) await act();
    await create(`mark ${String(serial % 3)}`);
    const [id, { data, mark: under }] = [...known][Math.floor(Math.random() * known.size)] ?? [
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
    const page = await ask(200, 'GET', '/tokens?size=2');
    const { after = null } = (page.body['pagination'] ?? {}) as { readonly after?: string | null };
    const goOn = () => ask(200, 'GET', `/tokens?size=2&after=${String(after)}`);
    if (after !== null) later.push({ until: Infinity, act: goOn });
  }

  return {
    tenantId,
    key,
    known,
    failures,
    instances,
    requests: () => requests,
    async rounds(count = 3) {
      for (let done = 0; done < count; done += 1) await round();
    },
    /** All steps of a walk, with requests in between. */
    async reseal() {
      let step = await resealStep(world.operator, tenantId, undefined);
      while (step.next !== undefined) {
        await round();
        step = await resealStep(world.operator, tenantId, step.next);
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

describe('while four instances are asked', () => {
  it('a data key is rotated and everything re-sealed, and no request fails', async () => {
    const load = await aLoad(world);
    await load.rounds(4);
    expect(await rotateDataKey(world.operator, load.tenantId)).toBe(2);
    await load.rounds();
    load.pass(FORGOTTEN_MS);
    expect((await load.reseal()).left).toBe(0);
    await load.rounds();
    expect(load.failures).toEqual([]);
    // Nothing was unwrapped for the rotation itself, and everything by one root.
    expect(new Set(world.keys.unwraps)).toEqual(new Set([load.tenantId]));
  });

  it('the root is replaced step by step, and no request fails', async () => {
    const load = await aLoad(world);
    const { operator } = world;
    const { tenantId } = load;
    const step = async () => (await replaceRoot(operator, tenantId)).state;
    const secrets = async () => (await webhookSecrets(operator, tenantId)).map((secret) => secret.reveal());
    const [before] = await secrets();
    const roots = async () => (await operator.tenantStore.find(tenantId))?.roots ?? [];
    const [old] = await roots();
    await load.rounds(4);

    expect(await step()).toBe('waiting');
    await expect(rotateDataKey(operator, tenantId)).rejects.toMatchObject({ code: 'conflict' });
    await load.rounds();
    load.pass(FORGOTTEN_MS - MINUTE);
    await load.rounds();
    // Some instance may not know it yet.
    expect(await step()).toBe('waiting');
    load.pass(MINUTE);
    await load.rounds();
    expect(await step()).toBe('resealing');
    await load.rounds();
    // A walk that begins while somebody may still seal under the old root does not count.
    expect((await load.reseal()).left).toBe(0);
    expect(await step()).toBe('resealing');
    await load.rounds();
    load.pass(FORGOTTEN_MS);
    expect((await load.reseal()).left).toBe(0);
    expect(await step()).toBe('ending');
    expect(await roots()).toHaveLength(2);
    await load.rounds();
    // What ends by itself is opened as long as it lasts.
    load.pass(CONTENT_MS - MINUTE);
    expect(await step()).toBe('ending');
    load.pass(MINUTE);
    await load.rounds();
    expect(await step()).toBe('ended');
    // Some instances have not heard of the end, and search what those write who have.
    load.instances.push(...Array.from({ length: 4 }, () => world.anInstance()));
    await load.rounds(12);

    // Nothing needs the old root any more, not even to be found.
    load.pass(FORGOTTEN_MS);
    const left = await roots();
    expect(left).toHaveLength(1);
    expect(left[0]?.wrapped).not.toEqual(old?.wrapped);
    world.keys.lose(old?.wrapped ?? Buffer.alloc(0));
    load.instances.splice(0, 8, world.anInstance(), world.anInstance());
    await load.rounds(5);
    for (const [id, { data }] of load.known)
      expect((await world.anInstance()('GET', `/tokens/${id}`, load.key)).body['data']).toBe(data);
    expect(await secrets()).toEqual([before]);
    expect(load.failures).toEqual([]);
    expect(load.requests()).toBeGreaterThan(200);
  });

  it('a tenant is destroyed, and no request of another one fails; its own are refused, and none is a failure of the service', async () => {
    const [stays, goes] = [await aLoad(world), await aLoad(world)];
    await Promise.all([stays.rounds(), goes.rounds()]);
    const reactorFunctions = { remove: () => Promise.resolve() };
    const statuses = new Set<number>();
    for (let isDone = false; !isDone;) {
      ({ isDone } = await destroyTenantStep({ ...world.operator, reactorFunctions }, goes.tenantId));
      await stays.rounds(1);
      await goes.rounds(1);
      // An instance that was never asked before knows nothing of it any more.
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
