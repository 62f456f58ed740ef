import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { strictClient, type StrictClient } from '../../../test/support/http-client.ts';
import { CARD } from '../../../test/support/sample-requests.ts';
import { startBenchService } from '../bench-service.ts';
import { effort } from '../effort.ts';
import { median } from '../median.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { processorTime } from './processor-time.ts';

const TOKENS = effort(200, 20);
/** Warm-up requests of each operation on each side: V8 compiles frequent code. */
const WARM_UP = effort(2_000, 1);
const ROUNDS = effort(12, 1);
const BATCH = effort(40, 2);

/** A service that is measured, and the processes that belong to it. */
interface Side {
  readonly client: StrictClient;
  /** The newest 20, without their number: PostgreSQL's vault does not count either. */
  readonly listPath: () => Promise<string>;
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

async function startVault(): Promise<Side & { readonly version: string }> {
  const cluster: Cluster = await startCluster();
  const server = fork(join(import.meta.dirname, 'vault-server.ts'), [cluster.socketFolder, cluster.user]);
  const [{ baseUrl, apiKey }] = (await once(server, 'message')) as [
    { readonly baseUrl: string; readonly apiKey: string },
  ];
  return {
    client: strictClient(baseUrl, apiKey),
    listPath: () => Promise.resolve('/tokens'),
    pids: [cluster.pid, server.pid ?? 0],
    version: cluster.version,
    async stop() {
      server.kill();
      await cluster.stop();
    },
  };
}

async function startCloakroom(): Promise<Side> {
  const service = await startBenchService();
  const { base_url: baseUrl, management_key: management } = service.credentials;
  const { key } = await strictClient(baseUrl, management)<{ readonly key: string }>('POST', '/applications', {
    name: 'bench',
    type: 'private',
    permissions: ['token:create', 'token:read'],
  });
  const client = strictClient(baseUrl, key);
  return {
    client,
    async listPath() {
      const page = await client<{ readonly pagination: { readonly after: string } }>('GET', '/tokens?size=1');
      return `/tokens?after=${encodeURIComponent(page.pagination.after)}`;
    },
    pids: [service.pid],
    async stop() {
      await service.stop();
    },
  };
}

export interface Driven {
  /** The median over sequential requests, which do not overlap. */
  readonly milliseconds: number;
  /** Processor time of all processes of a side, per request. */
  readonly processorMilliseconds: number;
}

export interface PostgresResult {
  readonly version: string;
  readonly operations: readonly {
    readonly name: string;
    readonly cloakroom: Driven;
    readonly postgres: Driven;
  }[];
}

interface Paths {
  readonly token: string;
  readonly list: string;
}

const NO_PATHS: Paths = { token: '', list: '' };

type Request = (client: StrictClient, paths: Paths) => Promise<unknown>;

const OPERATIONS: readonly (readonly [name: string, request: Request])[] = [
  ['create a card', (client) => client('POST', '/tokens', { type: 'card', data: CARD })],
  ['get a card', (client, { token }) => client('GET', token)],
  ['list 20', (client, { list }) => client('GET', list)],
];

async function drive(
  side: Side,
  paths: Paths,
  request: Request,
  count = BATCH,
): Promise<readonly [number[], number]> {
  const before = processorTime(side.pids);
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const started = performance.now();
    await request(side.client, paths);
    times.push(performance.now() - started);
  }
  return [times, (processorTime(side.pids) - before) / count];
}

/** Both services, filled and warmed up alike, with alternating batches. */
async function compare(cloakroom: Side, postgres: Side, request: Request) {
  const sides = [cloakroom, postgres] as const;
  const paths = new Map<Side, Paths>();
  for (const side of sides) {
    const { id } = await side.client<{ readonly id: string }>('POST', '/tokens', {
      type: 'card',
      data: CARD,
    });
    paths.set(side, { token: `/tokens/${id}`, list: await side.listPath() });
  }
  const found = new Map<Side, { times: number[]; processor: number[] }>(
    sides.map((side) => [side, { times: [], processor: [] }]),
  );
  for (const side of sides) await drive(side, paths.get(side) ?? NO_PATHS, request, WARM_UP);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const [times, processor] = await drive(side, paths.get(side) ?? NO_PATHS, request);
      found.get(side)?.times.push(...times);
      found.get(side)?.processor.push(processor);
    }
  }
  const drivenOf = (side: Side): Driven => {
    const { times = [], processor = [] } = found.get(side) ?? {};
    const total = processor.reduce((sum, value) => sum + value, 0);
    return { milliseconds: median(times), processorMilliseconds: total / processor.length };
  };
  return { cloakroom: drivenOf(cloakroom), postgres: drivenOf(postgres) };
}

/**
 * Sends the same requests to the local service and to a PostgreSQL vault. Rejects without
 * PostgreSQL.
 */
export async function measurePostgres(): Promise<PostgresResult> {
  const postgres = await startVault();
  try {
    const cloakroom = await startCloakroom();
    try {
      for (const side of [cloakroom, postgres])
        for (let index = 0; index < TOKENS; index += 1)
          await side.client('POST', '/tokens', { type: 'card', data: CARD });
      const operations = [];
      for (const [name, request] of OPERATIONS)
        operations.push({ name, ...(await compare(cloakroom, postgres, request)) });
      return { version: postgres.version, operations };
    } finally {
      await cloakroom.stop();
    }
  } finally {
    await postgres.stop();
  }
}
