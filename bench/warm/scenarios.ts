import { join } from 'node:path';
import { bundleProgram } from '../../lib/bundle.ts';
import { startDestination, testCertificate } from '../../test/support/destination.ts';
import { runService } from '../../test/support/run-service.ts';
import type { Compared } from './measure-warm.ts';

/** An operation to be measured, and what has to be stopped after all of them. */
export interface Scenarios {
  readonly scenarios: readonly (Compared & { readonly name: string })[];
  stop(): Promise<void>;
}

/** What of anything that is created is used here. */
interface Made {
  readonly id: string;
  readonly tenant_id: string;
  readonly key: string;
}

type Environments = readonly {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
}[];

const CARD = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
const TOKEN_PERMISSIONS = ['token:create', 'token:read', 'token:update', 'token:use'];

interface EventOf {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly key: string;
  readonly id?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An event of an HTTP API (payload format 2.0), with the headers that a client and API Gateway send. */
function anEvent({ method, path, query = '', key, id, headers = {}, body }: EventOf): object {
  return {
    version: '2.0',
    routeKey: `${method} ${path}`,
    rawPath: path,
    rawQueryString: query,
    headers: {
      accept: '*/*',
      'accept-encoding': 'gzip, br',
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      host: 'abcdefghij.execute-api.us-east-1.amazonaws.com',
      'svc-api-key': key,
      'user-agent': 'node',
      'x-amzn-trace-id': 'Root=1-5e6722a7-cc56xmpl46db7ae02d4da47e',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
      ...headers,
    },
    requestContext: {
      accountId: '000000000000',
      apiId: 'abcdefghij',
      domainName: 'abcdefghij.execute-api.us-east-1.amazonaws.com',
      domainPrefix: 'abcdefghij',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '203.0.113.7', userAgent: 'node' },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey: '$default',
      stage: '$default',
      time: '21/Nov/2026:10:15:30 +0000',
      timeEpoch: Date.now(),
    },
    ...(id === undefined ? {} : { pathParameters: { id } }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  };
}

/** Starts the service, puts into it what the operations need, and names the operations. */
export async function startScenarios({ minify = true } = {}): Promise<Scenarios> {
  const certificate = testCertificate();
  const destination = await startDestination(certificate);
  destination.answer = ({ body }, response) =>
    response.setHeader('content-type', 'application/json').end(body);
  const settings = [
    `egressAllowList=localhost:${String(destination.port)}`,
    'hotConcurrency=0',
    'throttleRate=100000',
    'throttleBurst=100000',
  ];
  const service = await runService(
    settings.flatMap((setting) => ['--set', setting]),
    {
      NODE_EXTRA_CA_CERTS: certificate.certFile,
    },
  );
  const { base_url: baseUrl, aws_endpoint_url: aws, management_key: manager } = service.credentials;

  async function post(path: string, key: string, body: unknown): Promise<Made> {
    const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' };
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (response.status >= 300)
      throw new Error(`${path}: ${String(response.status)} ${await response.text()}`);
    return (await response.json()) as Made;
  }

  const { key } = await post('/applications', manager, {
    name: 'bench',
    type: 'private',
    permissions: TOKEN_PERMISSIONS,
  });
  const cards: Made[] = [];
  for (let index = 0; index < 100; index += 1)
    cards.push(
      await post('/tokens', key, { type: 'card', data: { ...CARD, expiration_year: 2030 + index } }),
    );
  const [first] = cards;
  if (first === undefined) throw new Error('no card');
  const { id, tenant_id: tenantId } = first;
  const reactor = await post('/reactors', manager, {
    name: 'bench',
    code: 'module.exports = async ({ args }) => ({ raw: { last4: args.card.number.slice(-4) } });',
    configuration: { url: 'https://processor.example.com' },
  });

  const environments = (await (await fetch(`${aws}/_local/functions`)).json()) as Environments;
  const reference = join(bundleProgram('bench/warm/reference.ts', { minify }), 'index.cjs');
  const bundles = new Map<string, string>();

  function sides(folder: string, operation: string): Pick<Compared, 'ours' | 'reference'> {
    const bundle =
      bundles.get(folder) ?? join(bundleProgram(`functions/${folder}/index.ts`, { minify }), 'index.cjs');
    bundles.set(folder, bundle);
    const found = environments.find(({ name }) => name.toLowerCase().includes(`-${folder}function`));
    if (found === undefined)
      throw new Error(`no function ${folder} among ${environments.map(({ name }) => name).join(', ')}`);
    const env = {
      ...found.environment,
      PATH: process.env['PATH'] ?? '',
      NODE_EXTRA_CA_CERTS: certificate.certFile,
    };
    return {
      ours: { bundle, env },
      reference: { bundle: reference, env: { ...env, BENCH_OPERATION: operation, BENCH_TENANT: tenantId } },
    };
  }

  const repeated = (make: (index: number) => object) => (count: number) =>
    Array.from({ length: count }, (_, index) => make(index));
  const expression = (token: string) => `{{ ${token} | json: '$.number' }}`;
  const proxied = (filler: number) =>
    repeated(() =>
      anEvent({
        ...{ method: 'POST', path: '/proxy', key },
        headers: { 'svc-proxy-url': `https://localhost:${String(destination.port)}/` },
        body: { card: expression(id), filler: 'x'.repeat(filler) },
      }),
    );

  const scenarios: (Compared & { readonly name: string })[] = [
    {
      name: 'get',
      ...sides('tokens', 'get'),
      ...{ status: 200, batch: 200 },
      events: repeated(() => anEvent({ method: 'GET', path: `/tokens/${id}`, key, id })),
    },
    {
      name: 'create a card',
      ...sides('tokens', 'create'),
      ...{ status: 201, batch: 150 },
      events: repeated(() =>
        anEvent({ method: 'POST', path: '/tokens', key, body: { type: 'card', data: CARD } }),
      ),
    },
    {
      name: 'list of 20 by cursor',
      ...sides('tokens', 'list'),
      ...{ status: 200, batch: 40 },
      events: () => [],
    },
    {
      name: 'PATCH',
      ...sides('tokens', 'patch'),
      ...{ status: 200, batch: 100 },
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
      ...{ status: 200, batch: 20 },
      events: repeated(() =>
        anEvent({ method: 'POST', path: '/detokenize', key, body: cards.map((card) => `{{ ${card.id} }}`) }),
      ),
    },
    {
      name: 'proxy of 1 KB',
      ...sides('proxy', 'proxy'),
      ...{ status: 200, batch: 40, events: proxied(900) },
    },
    {
      name: 'proxy of 1 MB',
      ...sides('proxy', 'proxy'),
      ...{ status: 200, batch: 10, events: proxied(999_900) },
    },
    {
      name: 'react',
      ...sides('reactors', 'react'),
      ...{ status: 200, batch: 30 },
      events: repeated(() =>
        anEvent({
          ...{ method: 'POST', path: `/reactors/${reactor.id}/react`, key, id: reactor.id },
          body: { args: { card: `{{ ${id} }}` } },
        }),
      ),
    },
  ];

  const page = await fetch(`${baseUrl}/tokens?size=1`, { headers: { 'SVC-API-KEY': key } });
  const { after } = ((await page.json()) as { pagination: { after: string } }).pagination;
  const listed = repeated(() =>
    anEvent({ method: 'GET', path: '/tokens', query: `after=${encodeURIComponent(after)}`, key }),
  );
  return {
    scenarios: scenarios.map((scenario) =>
      scenario.name.startsWith('list') ? { ...scenario, events: listed } : scenario,
    ),
    stop: async () => {
      await Promise.all([service.stop(), destination.close()]);
    },
  };
}
