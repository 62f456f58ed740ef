import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { anEvent } from '../an-event.ts';
import { BUDGETS } from '../budgets.ts';
import { effort } from '../effort.ts';
import { repeatedNear, type Runs } from '../near-limit.ts';
import { startScenarios, type Scenario, type Scenarios } from '../warm/scenarios.ts';
import { bundleOf, type FunctionName } from './bundles.ts';
import {
  compared,
  measureColdStarts,
  startOnce,
  type Compared,
  type FirstEvent,
  type Loaded,
} from './measure-cold-start.ts';
import { startRecorder } from './record-calls.ts';
import { bundleSameCalls } from './same-calls.ts';

/** A request to a new instance, measured from the start of its process to its response. */
export interface FirstRequest {
  readonly operation: string;
  readonly folder: FunctionName;
  readonly runs: Runs<Compared>;
}

export const FIRST_REQUEST_ROUNDS = effort(15, 1);

/** Compared with the handler by hand of the warm operations. */
const BY_HAND: readonly (readonly [Scenario['name'], FunctionName])[] = [
  ['get', 'tokens'],
  ['create a card', 'tokens'],
  ['PATCH', 'tokens'],
  ['list of 20 by cursor', 'tokens'],
  ['proxy of 1 KB', 'proxy'],
  ['react', 'reactors'],
];

interface FirstOperation extends FirstEvent {
  readonly operation: string;
  readonly folder: FunctionName;
}

/** Compared with a handler that makes the same calls and does nothing else. */
function bySameCalls({ others }: Scenarios): readonly FirstOperation[] {
  const { manager: key, tenantId, applicationId, proxyId } = others;
  const read = (path: string, id?: string) => () =>
    anEvent({ method: 'GET', path, key, ...(id !== undefined && { id }) });
  // A message whose invocation has been removed: what runs one can run it only once.
  const body = JSON.stringify({ tenant_id: tenantId, invocation_id: randomUUID() });
  const message = () => ({ Records: [{ messageId: randomUUID(), body }] });
  const scheduled = () => ({});
  return [
    {
      operation: 'get an application',
      folder: 'applications',
      status: 200,
      event: read(`/applications/${applicationId}`, applicationId),
    },
    { operation: 'get a proxy', folder: 'proxies', status: 200, event: read(`/proxies/${proxyId}`, proxyId) },
    { operation: 'read the log', folder: 'logs', status: 200, event: read('/logs') },
    { operation: 'a removed invocation', folder: 'reactor-worker', status: undefined, event: message },
    { operation: 'a removed delivery', folder: 'webhook-sender', status: undefined, event: message },
    { operation: 'a sweep', folder: 'sweeper', status: undefined, event: scheduled },
    { operation: 'a seal', folder: 'audit-sealer', status: undefined, event: scheduled },
    {
      operation: 'list tenants',
      folder: 'operator',
      status: undefined,
      event: () => ({ command: 'list-tenants' }),
    },
  ];
}

async function measured(ours: Omit<Loaded, 'name'>, reference: Omit<Loaded, 'name'>) {
  const measure = async () => {
    const startOf = await measureColdStarts(
      [
        { ...ours, name: 'ours' },
        { ...reference, name: 'reference' },
      ],
      FIRST_REQUEST_ROUNDS,
    );
    return compared(startOf('ours'), startOf('reference'));
  };
  return repeatedNear(BUDGETS.coldStart, await measure(), measure);
}

async function measureByHand({ scenarios }: Scenarios): Promise<readonly FirstRequest[]> {
  const found: FirstRequest[] = [];
  for (const [operation, folder] of BY_HAND.slice(0, effort(BY_HAND.length, 1))) {
    const scenario = scenarios.find(({ name }) => name === operation);
    if (scenario === undefined) throw new Error(`there is no scenario "${operation}"`);
    const { ours, withRecord, events, status } = scenario;
    const request = { event: () => events(1)[0], status };
    const loaded = ({ bundle, env }: typeof ours) => ({ file: bundle, env, request });
    found.push({ operation, folder, runs: await measured(loaded(ours), loaded(withRecord)) });
  }
  return found;
}

async function measureBySameCalls(started: Scenarios, folder: string): Promise<readonly FirstRequest[]> {
  const found: FirstRequest[] = [];
  const operations = bySameCalls(started);
  for (const { operation, folder: name, ...request } of operations.slice(0, effort(operations.length, 1))) {
    const env = started.byTls(name);
    const { file: bundle, clients } = bundleOf(name);
    const ours: Omit<Loaded, 'name'> = { file: bundle, env, request };
    const recorder = await startRecorder(started.endpoint);
    const recorded = { ...ours, name, env: { ...env, AWS_ENDPOINT_URL: recorder.url } };
    // The first one also does what is due; the second finds what all later ones find.
    await startOnce(recorded);
    const before = recorder.calls.length;
    await startOnce(recorded);
    recorder.close();
    const same = { calls: recorder.calls.slice(before), clients, status: request.status };
    const file = bundleSameCalls(same, join(folder, `${name}.cjs`));
    found.push({ operation, folder: name, runs: await measured(ours, { ...ours, file }) });
  }
  return found;
}

/** Functions and handlers by hand alternate, against a running local service. */
export async function measureFirstRequests() {
  const started = await startScenarios();
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-same-calls-'));
  try {
    const firstRequests = [...(await measureByHand(started)), ...(await measureBySameCalls(started, folder))];
    return { firstRequests, environments: started.environments };
  } finally {
    rmSync(folder, { recursive: true });
    await started.stop();
  }
}
