import type { BUDGETS } from '../budgets.ts';
import { bundleByHand, bundleProgram } from '../bundle-program.ts';
import { startDestination } from '../../../test/support/destination.ts';
import { strictClient } from '../../../test/support/http-client.ts';
import { CARD } from '../../../test/support/sample-requests.ts';
import { anEvent } from '../an-event.ts';
import { startBenchService } from '../bench-service.ts';
import { effort } from '../effort.ts';
import { environmentOf, functionEnvironments, type FunctionEnvironments } from '../local-functions.ts';
import type { Compared } from './measure-warm.ts';
import type { LocalAdministrator } from '../../../packages/local-aws/src/control.ts';

/** The handler by hand makes other calls (GetItem) than the role of the function allows. */
const asAdministrator = ({ aws_access_key_id, aws_secret_access_key }: LocalAdministrator) => ({
  AWS_ACCESS_KEY_ID: aws_access_key_id,
  AWS_SECRET_ACCESS_KEY: aws_secret_access_key,
  AWS_SESSION_TOKEN: '',
});

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
  stop(): Promise<void>;
}

const CARDS = effort(100, 2);
const TOKEN_PERMISSIONS = ['token:create', 'token:read', 'token:update', 'token:use'];

/** Starts the service, creates the data of the operations, and lists them. */
// oxlint-disable-next-line max-lines-per-function -- a table: one row for each scenario
export async function startScenarios({ minify = true } = {}): Promise<Scenarios> {
  const service = await startBenchService();
  const { certificate } = service;
  const destination = await startDestination(certificate);
  destination.respond = ({ body }, response) =>
    response.setHeader('content-type', 'application/json').end(body);
  const { base_url: baseUrl, management_key: manager } = service.credentials;

  const post = <T>(path: string, key: string, body: unknown): Promise<T> =>
    strictClient(baseUrl, key)<T>('POST', path, body);

  const { key } = await post<{ readonly key: string }>('/applications', manager, {
    name: 'bench',
    type: 'private',
    permissions: TOKEN_PERMISSIONS,
  });
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

  const environments = await functionEnvironments(service.credentials);
  const reference = bundleByHand('tools/bench/warm/reference.ts', { minify });
  const bundles = new Map<string, string>();

  function sides(folder: string, operation: string): Pick<Compared, 'ours' | 'withRecord' | 'withoutRecord'> {
    const bundle = bundles.get(folder) ?? bundleProgram(`functions/${folder}/index.ts`, { minify });
    bundles.set(folder, bundle);
    const env = {
      ...environmentOf(environments, folder),
      PATH: process.env['PATH'] ?? '',
      NODE_EXTRA_CA_CERTS: certificate.certFile,
    };
    const byHand = (more: Readonly<Record<string, string>>) => ({
      bundle: reference,
      env: {
        ...env,
        ...asAdministrator(service.credentials),
        BENCH_OPERATION: operation,
        BENCH_TENANT: tenantId,
        ...more,
      },
    });
    return {
      ours: { bundle, env },
      withRecord: byHand({ BENCH_RECORD: 'yes' }),
      withoutRecord: byHand({ BENCH_RECORD: '' }),
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
      name: 'get',
      ...sides('tokens', 'get'),
      status: 200,
      batch: 200,
      events: repeated(() => anEvent({ method: 'GET', path: `/tokens/${id}`, key, id })),
    },
    {
      name: 'create a card',
      ...sides('tokens', 'create'),
      status: 201,
      batch: 150,
      events: repeated(() =>
        anEvent({ method: 'POST', path: '/tokens', key, body: { type: 'card', data: CARD } }),
      ),
    },
    {
      name: 'list of 20 by cursor',
      ...sides('tokens', 'list'),
      status: 200,
      batch: 40,
      events: repeated(() => anEvent({ method: 'GET', path: '/tokens', query, key })),
    },
    {
      name: 'PATCH',
      ...sides('tokens', 'patch'),
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
      name: 'detokenize 100',
      ...sides('tokens', 'detokenize'),
      status: 200,
      batch: 20,
      events: repeated(() =>
        anEvent({ method: 'POST', path: '/detokenize', key, body: cards.map((card) => `{{ ${card.id} }}`) }),
      ),
    },
    {
      name: 'proxy of 1 KB',
      ...sides('proxy', 'proxy'),
      status: 200,
      batch: 40,
      events: proxied('x'.repeat(900)),
    },
    {
      name: 'proxy of 1 MB',
      ...sides('proxy', 'proxy'),
      status: 200,
      batch: 10,
      events: proxied('x'.repeat(999_900)),
    },
    {
      name: 'proxy of 1 MB, many members',
      ...sides('proxy', 'proxy'),
      status: 200,
      batch: 10,
      events: proxied(Array.from({ length: 10_000 }, () => order)),
    },
    {
      name: 'react',
      ...sides('reactors', 'react'),
      status: 200,
      batch: 15,
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
    stop: async () => {
      await Promise.all([service.stop(), destination.close()]);
    },
  };
}
