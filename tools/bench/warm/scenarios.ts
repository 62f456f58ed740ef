import { BUDGETS } from '../budgets.ts';
import { bundleByHand, bundleProgram } from '../bundle-program.ts';
import { startDestination } from '../../../test/support/destination.ts';
import { strictClient } from '../../../test/support/http-client.ts';
import { CARD } from '../../../test/support/sample-requests.ts';
import { anEvent } from '../an-event.ts';
import { startBenchService } from '../bench-service.ts';
import { effort } from '../effort.ts';
import { environmentOf, functionEnvironments, type FunctionEnvironments } from '../local-functions.ts';
import { startTls } from '../tls-endpoint.ts';
import type { Compared, Side } from './measure-warm.ts';
import { otherCommit } from './other-commit.ts';
import type { LocalAdministrator } from '../../../packages/local-aws/src/control.ts';

/** The handler by hand makes other calls (GetItem) than the role of the function allows. */
const asAdministrator = ({ aws_access_key_id, aws_secret_access_key }: LocalAdministrator) => ({
  AWS_ACCESS_KEY_ID: aws_access_key_id,
  AWS_SECRET_ACCESS_KEY: aws_secret_access_key,
  AWS_SESSION_TOKEN: '',
});

/** Whether the operation has a budget over a handler that writes no record. */
const hasBudget = (name: Scenario['name']) => Object.hasOwn(BUDGETS.warmCpuWithoutRecord, name);

/** Makes a value for each name once. */
function madeFor<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const found = made.has(name) ? (made.get(name) as T) : make(name);
    made.set(name, found);
    return found;
  };
}

interface Card {
  readonly id: string;
  readonly tenant_id: string;
}

/** An operation that is measured. */
export interface Scenario extends Compared {
  readonly name: keyof (typeof BUDGETS)['warmCpu'];
}

/** The measured operations, and the service behind them, which has to be stopped afterwards. */
export interface Scenarios {
  readonly scenarios: readonly Scenario[];
  readonly environments: FunctionEnvironments;
  /** Other events need these. */
  readonly others: {
    readonly manager: string;
    readonly tenantId: string;
    readonly applicationId: string;
    readonly proxyId: string;
  };
  /** It is the endpoint of AWS without TLS. */
  readonly endpoint: string;
  /** The environment of a function whose calls to AWS go by TLS. */
  readonly byTls: (folder: string) => Side['env'];
  stop(): Promise<void>;
}

interface ScenarioOptions {
  readonly minify?: boolean;
  /** Another commit of this repository, whose bundles are measured as well. */
  readonly against?: string | undefined;
}

const CARDS = effort(100, 2);
const TOKEN_PERMISSIONS = ['token:create', 'token:read', 'token:update', 'token:use'];

/** Starts the service, creates the data of the operations, and lists them. */
// oxlint-disable-next-line max-lines-per-function -- a table: one row for each scenario
export async function startScenarios({ minify = true, against }: ScenarioOptions = {}): Promise<Scenarios> {
  const service = await startBenchService();
  const { certificate } = service;
  const destination = await startDestination(certificate);
  destination.respond = ({ body }, response) =>
    response.setHeader('content-type', 'application/json').end(body);
  const { base_url: baseUrl, management_key: manager } = service.credentials;

  const post = <T>(path: string, key: string, body: unknown): Promise<T> =>
    strictClient(baseUrl, key)<T>('POST', path, body);

  const { key, id: applicationId } = await post<{ readonly key: string; readonly id: string }>(
    '/applications',
    manager,
    {
      name: 'bench',
      type: 'private',
      permissions: TOKEN_PERMISSIONS,
    },
  );
  const cards: Card[] = [];
  for (let index = 0; index < CARDS; index += 1)
    cards.push(
      await post<Card>('/tokens', key, { type: 'card', data: { ...CARD, expiration_year: 2030 + index } }),
    );
  const [first] = cards;
  if (first === undefined) throw new Error('no card');
  const { id, tenant_id: tenantId } = first;
  const reactor = await post<{ readonly id: string }>('/reactors', manager, {
    name: 'bench',
    code: 'module.exports = async ({ args }) => ({ raw: { last4: args.card.number.slice(-4) } });',
    configuration: { url: 'https://processor.example.com' },
  });

  const proxy = await post<{ readonly id: string }>('/proxies', manager, {
    name: 'bench',
    destination_url: 'https://processor.example.com',
  });

  const environments = await functionEnvironments(service.credentials);
  const tls = await startTls(service.credentials.aws_endpoint_url, certificate);
  const REFERENCE = 'tools/bench/warm/reference.ts';
  const reference = bundleByHand(REFERENCE, { minify });
  const commit = against === undefined ? undefined : otherCommit(against);
  const referenceBefore = commit?.bundleByHand(REFERENCE);
  const bundleOf = madeFor((folder) => bundleProgram(`functions/${folder}/index.ts`, { minify }));
  const bundleBefore = madeFor((folder) => commit?.bundle(`functions/${folder}/index.ts`));

  const byTls = (folder: string) => ({
    ...environmentOf(environments, folder),
    AWS_ENDPOINT_URL: tls.url,
    PATH: process.env['PATH'] ?? '',
    NODE_EXTRA_CA_CERTS: certificate.certFile,
  });

  function sides(name: Scenario['name'], folder: string, operation: string) {
    const env = byTls(folder);
    const byHand = (bundle: string, more: Readonly<Record<string, string>>) => ({
      bundle,
      env: {
        ...env,
        ...asAdministrator(service.credentials),
        BENCH_OPERATION: operation,
        BENCH_TENANT: tenantId,
        ...more,
      },
    });
    const before = bundleBefore(folder);
    return {
      name,
      ours: { bundle: bundleOf(folder), env },
      withRecord: byHand(reference, { BENCH_RECORD: 'yes' }),
      ...(hasBudget(name) && { withoutRecord: byHand(reference, { BENCH_RECORD: '' }) }),
      ...(before !== undefined && { before: { bundle: before, env } }),
      ...(referenceBefore !== undefined && {
        byHandBefore: byHand(referenceBefore, { BENCH_RECORD: 'yes' }),
      }),
    };
  }

  const repeated = (make: (index: number) => object) => (count: number) =>
    Array.from({ length: count }, (_, index) => make(index));
  const expression = (token: string) => `{{ ${token} | json: '$.number' }}`;
  const proxied = (filler: unknown) =>
    repeated(() =>
      anEvent({
        method: 'POST',
        path: '/proxy',
        key,
        headers: { 'svc-proxy-url': `https://localhost:${String(destination.port)}/` },
        body: { card: expression(id), filler },
      }),
    );
  const order = {
    id: 'ord_93ab',
    sku: 'A-1001',
    count: 3,
    price: 19.9,
    currency: 'EUR',
    paid: true,
    note: null,
  };

  const page = await strictClient(baseUrl, key)<{ readonly pagination: { readonly after: string } }>(
    'GET',
    '/tokens?size=1',
  );
  const query = `after=${encodeURIComponent(page.pagination.after)}`;

  const scenarios: readonly Scenario[] = [
    {
      ...sides('get', 'tokens', 'get'),
      status: 200,
      batch: 200,
      events: repeated(() => anEvent({ method: 'GET', path: `/tokens/${id}`, key, id })),
    },
    {
      ...sides('create a card', 'tokens', 'create'),
      status: 201,
      batch: 150,
      events: repeated(() =>
        anEvent({ method: 'POST', path: '/tokens', key, body: { type: 'card', data: CARD } }),
      ),
    },
    {
      ...sides('list of 20 by cursor', 'tokens', 'list'),
      status: 200,
      batch: 40,
      events: repeated(() => anEvent({ method: 'GET', path: '/tokens', query, key })),
    },
    {
      ...sides('PATCH', 'tokens', 'patch'),
      status: 200,
      batch: 100,
      events: repeated((index) =>
        anEvent({
          method: 'PATCH',
          path: `/tokens/${id}`,
          key,
          id,
          body: { data: { expiration_year: 2031 + (index % 50) } },
        }),
      ),
    },
    {
      ...sides('detokenize 100', 'tokens', 'detokenize'),
      status: 200,
      batch: 20,
      events: repeated(() =>
        anEvent({ method: 'POST', path: '/detokenize', key, body: cards.map((card) => `{{ ${card.id} }}`) }),
      ),
    },
    {
      ...sides('proxy of 1 KB', 'proxy', 'proxy'),
      status: 200,
      batch: 40,
      events: proxied('x'.repeat(900)),
    },
    {
      ...sides('proxy of 1 MB', 'proxy', 'proxy'),
      status: 200,
      batch: 20,
      events: proxied('x'.repeat(999_900)),
    },
    {
      ...sides('proxy of 1 MB, many members', 'proxy', 'proxy'),
      status: 200,
      batch: 20,
      events: proxied(Array.from({ length: 10_000 }, () => order)),
    },
    {
      ...sides('react', 'reactors', 'react'),
      status: 200,
      batch: 25,
      events: repeated(() =>
        anEvent({
          method: 'POST',
          path: `/reactors/${reactor.id}/react`,
          key,
          id: reactor.id,
          body: { args: { card: `{{ ${id} }}` } },
        }),
      ),
    },
  ];

  return {
    scenarios,
    environments,
    others: { manager, tenantId, applicationId, proxyId: proxy.id },
    endpoint: service.credentials.aws_endpoint_url,
    byTls,
    stop: async () => {
      tls.close();
      await Promise.all([service.stop(), destination.close()]);
    },
  };
}
