import type { TableDefinition } from '../../packages/local-aws/src/dynamodb/table.ts';
import { createAccount, type Account } from './account.ts';
import { NO_FAULTS, type CallFaults, type FaultSource } from './calls.ts';
import { reactorFunctionName } from '../../src/adapters/lambda/reactor-function-name.ts';
import { reactorFunctions, type CloudFunction } from '../support/fakes/reactor-functions.ts';
import {
  createClient,
  newName,
  PLAINTEXT,
  type Client,
  type SharedKnowledge,
  type Target,
} from './client.ts';
import { noFindings, type Findings, type Problem } from './findings.ts';
import { judge } from './judges.ts';
import { isDelivered, sendParkedAgain } from './judges/jobs.ts';
import { createInternet, type Internet } from './models/internet-model.ts';
import { createMapping } from './models/mapping-model.ts';
import { createQueueModel, queueService, type QueueModel } from './models/queue-model.ts';
import { createRunnerModel } from './models/runner-model.ts';
import { NO_LIFE_FAULTS, type Plan } from './plan.ts';
import { createRegister } from './register.ts';
import { createService, type Service } from './service.ts';
import type { Draws } from './seeded.ts';
import { someSteps, takeStep } from './steps.ts';
import { createWorld, type HappenedEvent, type World } from './world.ts';

const MINUTE_MS = 60_000;
/** Steps that are taken when all is well again: some by name, and so many others. */
const SURE_PROBES = [
  ...(['create', 'create', 'createApplication', 'failUnderKey'] as const),
  ...(['createNamed', 'reactLater', 'createProxy'] as const),
];
const PROBES = 5;
/** How many runs have their tables restored at the end. */
const RESTORED = 0.05;
/** How many runs have their trail verified. */
const VERIFIED = 0.08;
/** How long a run may last, in ms of its own time: requests end within half a minute each. */
const LONGEST_RUN_MS = 6 * 60 * MINUTE_MS;

export interface Result {
  readonly plan: Plan;
  readonly problems: readonly Problem[];
  readonly events: readonly HappenedEvent[];
  /** Everything that is stored at the end, as text, sorted. */
  readonly items: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
  /** How many faults were drawn. */
  readonly faults: number;
  /** In ms of the run's own time. */
  readonly lastedMs: number;
}

/** Everything that takes part in a run. */
export interface Cast {
  readonly world: World;
  readonly account: Account;
  readonly service: Service;
  readonly target: Target;
  readonly findings: Findings;
  readonly shared: SharedKnowledge;
  readonly clients: readonly Client[];
  readonly internet: Internet;
  /** The bodies of all messages that were ever in a queue. */
  readonly messages: () => readonly string[];
  /** Whether the trail is sealed and verified at the end, which takes a third of a run. */
  readonly isVerified: boolean;
  /** Whether an administrator restores the tables at the end. */
  readonly isRestored: boolean;
  /** The moment to which they are restored, in ms since the epoch. */
  readonly restorePoint: number;
}

/** Counts the faults that are drawn. A shrunk plan spares some of them. */
function faultCounter({ spared }: Plan) {
  const isSpared = new Set(spared);
  let drawn = 0;
  return {
    happens: () => {
      drawn += 1;
      return !isSpared.has(drawn);
    },
    drawn: () => drawn,
  };
}

const faultsOf = ({ faults }: Plan, service: string): CallFaults =>
  new Map(Object.entries(faults)).get(service) ?? NO_FAULTS;

async function made(service: Service, key: string, path: string, body: unknown) {
  const answer = await service.request('setup', { method: 'POST', path, key, body });
  if (answer?.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer.body as Record<string, string>;
}

interface CreatedTenant {
  readonly tenant_id: string;
  readonly management_key: string;
  readonly webhook_secret: string;
}

const createTenant = async (service: Service, wrappedBy: string): Promise<CreatedTenant> =>
  (await service.invoke('operator-access', {
    command: 'create-tenant',
    name: 'simulation',
    wrapped_by: wrappedBy,
  })) as CreatedTenant;

const TOKEN_RIGHTS = [
  'token:create',
  'token:read',
  'token:update',
  'token:delete',
  'token:search',
  'token:use',
];

/** A tenant with what clients use. */
export async function prepare(service: Service, wrappedBy: 'kms' | 'deployment'): Promise<Target> {
  const created = await createTenant(service, wrappedBy);
  const { tenant_id: tenantId, management_key: managementKey, webhook_secret: webhookSecret } = created;
  const rules = [{ priority: 1, container: '/', transform: 'reveal', permissions: TOKEN_RIGHTS }];
  const reveal = { name: 'x', type: 'private', rules };
  const applicationIds = new Map<string, string>();
  const application = async (body: object) => {
    const { key = '', id = '' } = await made(service, managementKey, '/applications', body);
    applicationIds.set(key, id);
    return key;
  };
  const privateKey = await application(reveal);
  const collector = { name: 'x', type: 'public', permissions: ['token:create'] };
  const publicKey = await application(collector);
  const other = await createTenant(service, 'deployment');
  const { management_key: otherKey } = other;
  const { key: strangerKey = '' } = await made(service, otherKey, '/applications', reveal);
  const shared = { type: 'token', data: { all: `${PLAINTEXT}members` } };
  const { id: sharedId = '' } = await made(service, privateKey, '/tokens', shared);
  const code = 'module.exports = (req) => ({ raw: req.args });';
  const reactor = { name: 'x', code, configuration: { secret: `${PLAINTEXT}configuration` } };
  const { id: reactorId = '' } = await made(service, managementKey, '/reactors', reactor);
  return {
    tenantId,
    webhookSecret,
    reactorId,
    managementKey,
    otherManagementKey: otherKey,
    otherTenantId: other.tenant_id,
    privateKey,
    publicKey,
    strangerKey,
    applicationIds,
    secrets: [managementKey, privateKey, publicKey, otherKey, strangerKey, webhookSecret],
    sharedId,
    duplicates: [1, 2].map((number) => `${PLAINTEXT}duplicate-${String(number)}`),
    names: [1, 2, 3, 4].map((number) => newName(String(number))),
  };
}

/** Counts what the code of reactors did. */
type Runs = SharedKnowledge['runs'];

/** The parts of the account that are models: queues, and what runs the code of reactors. */
function createModels(world: World, plan: Plan, isFaulty: () => boolean, runs: Runs) {
  const functions = new Map<string, CloudFunction>();
  const draws: Draws = world.draws('models');
  const queues = new Map<string, QueueModel>();
  const onVisible = new Map<string, (at: number) => void>();
  for (const [name, visibilityMs] of [
    ['invocations', 330_000],
    ['deliveries', 60_000],
  ] as const)
    queues.set(
      name,
      createQueueModel({
        now: world.now,
        draws: draws.fork(name),
        visibilityMs,
        faults: () => (isFaulty() ? plan.queues : { duplicate: 0, delayMs: 0 }),
        onVisible: (at) => onVisible.get(name)?.(at),
      }),
    );
  const runner = createRunnerModel({
    find: (wanted) =>
      [...functions].find(([id]) => reactorFunctionName('reactor', id) === decodeURIComponent(wanted))?.[1],
    pause: world.pause,
    // Some code is slower than its time limit.
    runMs: () => (isFaulty() && draws.chance(0.05) ? draws.between(5_000, 40_000) : draws.between(1, 1_000)),
    onRun: (args) => {
      world.happened('code', `runs ${String(args['job'])}`);
      const job = String(args['job']);
      runs.set(job, [...(runs.get(job) ?? []), args['value']]);
    },
  });

  function connect(service: Service): void {
    const work = (queue: string, batchSize: number, name: 'reactor-worker' | 'webhook-sender') => {
      const found = queues.get(queue);
      if (found === undefined) return;
      const invoke = (event: unknown) => service.invoke(name, event);
      onVisible.set(queue, createMapping(world, { queue: found, batchSize, maxConcurrency: 10, invoke }));
    };
    work('invocations', 1, 'reactor-worker');
    work('deliveries', 10, 'webhook-sender');
  }

  return {
    reactorFunctions: reactorFunctions(functions),
    models: [queueService(queues), runner],
    messages: () => [...queues.values()].flatMap(({ sent }) => sent),
    connect,
  };
}

/** Starts what schedules start. */
async function schedule(
  { world, service, account }: Pick<Cast, 'world' | 'service' | 'account'>,
  isOver: () => boolean,
) {
  const start = (name: 'sweeper' | 'audit-sealer') => {
    // An invocation that failed is repeated by the next minute.
    service.invoke(name, {}).catch((error: unknown) => {
      world.happened(name, `failed: ${String(error)}`);
    });
  };
  const draws = world.draws('schedule');
  while (!isOver()) {
    await world.pause(MINUTE_MS);
    // The next run does what this one leaves.
    if (draws.chance(0.1)) start('sweeper');
    if (draws.chance(0.06)) start('audit-sealer');
    if (draws.chance(0.2)) await account.expireItems();
  }
}

async function act(client: Client, { clients, paceMs }: Plan, index: number): Promise<void> {
  const { world } = client;
  for (const { name, id } of clients[index] ?? []) {
    // Nothing after a broken promise makes it whole.
    if (client.findings.problems.length > 0) return;
    client.draws = world.draws(`step ${String(id)}`);
    await world.pause(client.draws.fraction() * paceMs);
    await takeStep(client, name);
  }
}

/** When everything works again, every step succeeds, and what is due is done. */
async function recover(cast: Cast, skewMs: number): Promise<void> {
  const { world, service, clients } = cast;
  // Leases of what died end, and late calls arrive.
  await world.pause(MINUTE_MS);
  const prober = createClient('prober', { ...cast, skewMs, mayDie: false, areCallsFaulty: false });
  const draws = world.draws('probes');
  for (const [index, step] of [...SURE_PROBES, ...someSteps(draws, PROBES)].entries()) {
    prober.draws = draws.fork(String(index));
    await takeStep(prober, step);
  }
  (clients as Client[]).push(prober);
  const waiting = () => [...cast.shared.jobs.values()].some((job) => !isDelivered(cast, job));
  // Sessions end as well, which name tokens.
  await world.pause(4 * MINUTE_MS);
  await service.invoke('sweeper', {});
  if (cast.isVerified) await service.invoke('audit-sealer', {});
  for (let minutes = 0; waiting() && minutes < 60; minutes += 1) {
    await world.pause(MINUTE_MS);
    await sendParkedAgain(cast);
    await service.invoke('sweeper', {});
  }
}

/** A run consists of this, without its clients. */
export interface Stage extends Pick<
  Cast,
  'world' | 'account' | 'service' | 'shared' | 'internet' | 'messages' | 'isRestored'
> {
  /** Nothing fails until this is called with true. */
  readonly setFaulty: (isFaulty: boolean) => void;
  /** How many faults were drawn. */
  readonly drawn: () => number;
}

/** Without `source`, calls meet the faults of the plan. */
export async function createStage(
  plan: Plan,
  tables: readonly TableDefinition[],
  source?: Pick<FaultSource, 'of' | 'slowestMs'>,
): Promise<Stage> {
  const world = createWorld(plan.seed);
  const counter = faultCounter(plan);
  let isFaulty = false;
  const { of = (service: string) => faultsOf(plan, service) } = source ?? {};
  const faults: FaultSource = {
    ...source,
    of: (service, action) => (isFaulty ? of(service, action) : NO_FAULTS),
    happens: counter.happens,
  };
  const isRestored = plan.isJudged && world.draws('restored').chance(RESTORED);
  const account = await createAccount(world, tables, { lagMs: plan.lagMs, isRestored });
  const internet = createInternet(world, () => (isFaulty ? plan.receivers : { refusal: 0, unanswered: 0 }));
  const shared: SharedKnowledge = {
    duplicateIds: new Map(),
    named: new Map(),
    members: new Map(),
    jobs: new Map(),
    runs: new Map(),
    proxyCalls: new Map(),
    proxyNames: new Set(),
    settings: {
      deduplicate_tokens: createRegister(false, world.now),
      ephemeral_proxy: createRegister(true, world.now),
    },
    isRootReplaced: false,
  };
  const { connect, messages, ...models } = createModels(world, plan, () => isFaulty, shared.runs);
  const service = createService({
    world,
    account,
    faults,
    internet,
    ...models,
    lifeFaults: () => (isFaulty ? plan.life : NO_LIFE_FAULTS),
  });
  connect(service);
  const setFaulty = (next: boolean) => {
    isFaulty = next;
  };
  return { world, account, service, shared, internet, messages, isRestored, setFaulty, drawn: counter.drawn };
}

/** Carries out a plan, and judges what came of it. */
export async function runPlan(
  plan: Plan,
  tables: readonly TableDefinition[],
  source?: Pick<FaultSource, 'of' | 'slowestMs'>,
): Promise<Result> {
  const { setFaulty, drawn, ...stage } = await createStage(plan, tables, source);
  const { world, account, service } = stage;
  const findings = noFindings();

  async function play(): Promise<Cast | undefined> {
    const target = await prepare(service, world.draws('prepare').pick(['kms', 'deployment']));
    const preparedAt = world.now();
    const mayDie = plan.life.death > 0;
    const skewMs = plan.life.skewMs + 50;
    const isVerified = world.draws('verified').chance(VERIFIED);
    const parts = { ...stage, isVerified, target, findings };
    const clients = plan.clients.map((_, index) =>
      createClient(`c${String(index)}`, { ...parts, mayDie, skewMs, areCallsFaulty: true }),
    );
    const begun = { ...parts, clients };
    let isOver = false;
    const schedules = schedule(begun, () => isOver);
    setFaulty(true);
    await Promise.all(clients.map((client, index) => act(client, plan, index)));
    setFaulty(false);
    const restorePoint = Math.ceil(world.draws('restore point').between(preparedAt, world.now()));
    const cast = { ...begun, restorePoint };
    isOver = true;
    await schedules;
    if (!plan.isJudged || findings.problems.length > 0) return undefined;
    await recover(cast, skewMs);
    return cast;
  }

  const beginning = world.now();
  try {
    await world.run(
      Promise.race([
        play()
          .then((cast) => cast && judge(cast))
          .catch((error: unknown) => {
            findings.problems.push({ judge: 'progress', text: String((error as Error).stack) });
          }),
        world
          .pause(LONGEST_RUN_MS)
          .then(() => findings.problems.push({ judge: 'progress', text: 'the run does not end' })),
      ]),
    );
    const items = (await account.items()).map(({ table, item }) => `${table} ${JSON.stringify(item)}`).sort();
    return {
      plan,
      problems: findings.problems,
      events: world.events,
      items,
      counts: findings.counts,
      faults: drawn(),
      lastedMs: world.now() - beginning,
    };
  } finally {
    await account.close();
  }
}
