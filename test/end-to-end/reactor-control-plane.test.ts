// Reactors are created, changed and deleted while the control plane of Lambda fails. The simulation
// has no control plane (docs/simulation.md#what-the-simulation-does-not-show).
import { inThoroughRun } from '../../packages/test-kit/src/which-runs.ts';
import { IS_THOROUGH, SEED } from '../../packages/test-kit/src/thoroughness.ts';
import { asking, noFindings, type Ask, type Findings } from '../support/fault-traffic.ts';
import { httpClient, type Body } from '../support/http-client.ts';
import { runService, TEST_SETTINGS, type RunningService } from '../support/run-service.ts';
import { setFaults } from '../support/set-faults.ts';

/** The client's view of one reactor. The code returns its version. */
interface KnownReactor {
  readonly name: string;
  id?: string;
  exists: 'yes' | 'no' | 'maybe';
  versions: Set<number>;
}

const REACTORS = IS_THOROUGH ? 6 : 4;
const codeOf = (version: number) => `module.exports = () => ({ raw: ${String(version)} });`;

let service: RunningService;
let invoker: ReturnType<typeof httpClient>;

const management = () => httpClient(service.credentials.base_url, service.credentials.management_key);

beforeAll(async () => {
  service = await runService([...TEST_SETTINGS, '--fault-seed', String(SEED)]);
  const application = { name: 'x', type: 'private', permissions: ['token:use'] };
  const { body } = await management().post('/applications', application);
  invoker = httpClient(service.credentials.base_url, body.key as string);
});

afterAll(() => service.stop());

async function live(ask: Ask, reactor: KnownReactor, { problems }: Findings): Promise<void> {
  const { management_key: key } = service.credentials;
  const body = { name: reactor.name, code: codeOf(0), configuration: {} };
  const options = { body, headers: { 'SVC-IDEMPOTENCY-KEY': reactor.name } };
  for (let tries = 0; tries < 4 && reactor.id === undefined; tries += 1) {
    const reply = await ask('create', [201], key, 'POST', '/reactors', options);
    if (reply) Object.assign(reactor, { id: reply.body.id as string, exists: 'yes' });
  }
  if (reactor.id === undefined) return;
  const path = `/reactors/${reactor.id}`;
  for (let version = 1; version < 3; version += 1) {
    reactor.versions.add(version);
    const change = { body: { code: codeOf(version) } };
    if (await ask('update', [204], key, 'PATCH', path, change)) reactor.versions = new Set([version]);
  }
  if (Number(reactor.name.split(' ').at(-1)) % 2 === 0) return;
  reactor.exists = 'maybe';
  const removed = await ask('delete', [204, 404], key, 'DELETE', path);
  if (removed?.status === 404) problems.push(`delete: ${reactor.name} is not found, and was there`);
  if (removed) reactor.exists = 'no';
}

/** Finds what is wrong with a reactor when everything works again. */
async function compare({ name, id, exists, versions }: KnownReactor, listed: readonly Body[]) {
  const found = listed.filter((each) => each.name === name);
  const problems: string[] = [];
  if (found.length > 1) problems.push(`${name} was created ${String(found.length)} times`);
  if (exists === 'yes' && found[0]?.id !== id) problems.push(`${name} is lost`);
  if (exists === 'no' && found.length > 0) problems.push(`${name} was deleted and is there`);
  if (exists !== 'yes' || id === undefined) return problems;
  const { status, body } = await invoker.post(`/reactors/${id}/react`, {});
  if (status !== 200 || !versions.has(body.raw as number))
    problems.push(
      `${name} gives ${String(status)} ${JSON.stringify(body)}, not ${[...versions].join(' or ')}`,
    );
  return problems;
}

async function expectAllWell(...faults: readonly string[]): Promise<void> {
  const findings = noFindings();
  const ask = asking(service.credentials.base_url, findings);
  const reactors = Array.from({ length: REACTORS }, (_, index): KnownReactor => ({
    name: `${faults.join(' ')} ${String(index)}`,
    exists: 'maybe',
    versions: new Set([0]),
  }));
  await setFaults(service.credentials, faults);
  try {
    await Promise.all(reactors.map((reactor) => live(ask, reactor, findings)));
  } finally {
    await setFaults(service.credentials, []);
  }
  const listed = (await management().get('/reactors?size=100')).body.data as readonly Body[];
  const compared = await Promise.all(reactors.map((reactor) => compare(reactor, listed)));
  expect({ seed: SEED, problems: [...findings.problems, ...compared.flat()] }).toEqual({
    seed: SEED,
    problems: [],
  });
}

const PROMISE = 'no reactor is lost, none is created twice, and each runs the code that was acknowledged';

it(`${PROMISE}, while responses of Lambda are lost`, () => expectAllWell('lambda:lost-answer:0.3'));

inThoroughRun.it.each([
  [['lambda:throttle:0.4']],
  [['lambda:error:0.2', 'lambda:down:0.1']],
  [['dynamodb:error:0.1', 'dynamodb:lost-answer:0.2', 'lambda:latency:50']],
])(`${PROMISE}, while there is %j`, (faults) => expectAllWell(...faults));
