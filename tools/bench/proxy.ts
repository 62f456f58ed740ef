// `npm run bench -- proxy`: the overhead of the proxy over a direct call, and of stored proxies
// over the ephemeral one, at 1 KB and 1 MB, in turn. The destination is local and as fast as
// possible: on a network the ratio is smaller.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { strictClient } from '../../test/support/http-client.ts';
import { startDestination } from '../../test/support/destination.ts';
import { startBenchService } from './bench-service.ts';
import { effort } from './effort.ts';
import { median } from './median.ts';
import { report } from './section.ts';

const ROUNDS = effort(60, 1);

const service = await startBenchService();
const { certificate } = service;
const destination = await startDestination(certificate);
destination.respond = (received, response) =>
  response.setHeader('Content-Type', 'application/json').end(received.body);
const allowed = `localhost:${String(destination.port)}`;
const { base_url: baseUrl, management_key: managementKey } = service.credentials;

const { key } = await strictClient(baseUrl, managementKey)<{ readonly key: string }>(
  'POST',
  '/applications',
  {
    name: 'bench',
    type: 'private',
    permissions: ['token:create', 'token:use'],
  },
);
const { id } = await strictClient(baseUrl, key)<{ readonly id: string }>('POST', '/tokens', {
  type: 'card',
  data: { number: '4242424242424242' },
});

/** One call without the proxy, over a new connection like the proxy's. */
function direct(body: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const options = {
    method: 'POST',
    agent: false,
    ca: readFileSync(certificate.certFile),
    headers: { 'Content-Type': 'application/json', 'Content-Length': body.length },
  };
  const call = request(`https://${allowed}/`, options, (response) => {
    response.resume();
    response.on('end', () => resolve(undefined));
  });
  call.on('error', reject);
  call.end(body);
  return promise;
}

/** One call through the proxy; its body is not parsed, since that would be measured too. */
async function proxied(
  body: string,
  which: Readonly<Record<string, string>> = { 'SVC-PROXY-URL': `https://${allowed}/` },
): Promise<void> {
  const headers = { 'SVC-API-KEY': key, ...which, 'Content-Type': 'application/json' };
  const response = await fetch(`${baseUrl}/proxy`, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`the proxy answered ${String(response.status)}`);
  await response.arrayBuffer();
}

async function millisecondsOf(run: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

const { id: reactor } = await strictClient(baseUrl, managementKey)<{ readonly id: string }>(
  'POST',
  '/reactors',
  {
    name: 'bench',
    code: 'module.exports = async ({ args: { body } }) => ({ raw: { body } });',
    configuration: {},
  },
);

/** Stored proxies have these, by the names of their rows. */
const STORED: Readonly<Record<string, object>> = {
  'no transform': {},
  'a secret': {
    configuration: { SECRET: 'a secret of the bench' },
    request_transforms: [{ type: 'append_header', name: 'X-Secret', value: '{{ configuration.SECRET }}' }],
  },
  append_json: { request_transforms: [{ type: 'append_json', location: '$.more', value: 1 }] },
  tokenize: {
    request_transforms: [{ type: 'tokenize', location: '$.new', token: { type: 'token' } }],
  },
  'mask a location': {
    response_transforms: [{ type: 'mask', location: '$.card', replacement: '[card]' }],
  },
  'mask card numbers': {
    response_transforms: [{ type: 'mask', matcher: 'card_number', replacement: '[card]' }],
  },
  'mask by regex': {
    response_transforms: [
      { type: 'mask', matcher: 'regex', expression: '\\d{3}-\\d{2}-\\d{4}', replacement: '[ssn]' },
    ],
  },
  'a reactor': { request_transforms: [{ type: 'reactor', reactor_id: reactor }] },
};

/** JSON of many members, of at least so many bytes. */
function bodyOf(bytes: number): string {
  const lines = Array.from({ length: Math.ceil(bytes / 60) }, (_, at) => ({
    sku: `item-${String(at)}`,
    amount: at * 100,
    note: 'as ordered',
  }));
  return JSON.stringify({ lines, new: 'a new value', card: `{{ ${id} | json: '$.number' }}` });
}

/** Medians of a call through each stored proxy, beside the ephemeral one. */
async function storedRows(): Promise<readonly string[][]> {
  const proxies: (readonly [name: string, headers: Readonly<Record<string, string>> | undefined])[] = [
    ['ephemeral', undefined],
  ];
  for (const [name, more] of Object.entries(STORED)) {
    const made = await strictClient(baseUrl, managementKey)<{ readonly key: string }>('POST', '/proxies', {
      name,
      destination_url: `https://${allowed}/`,
      ...more,
    });
    proxies.push([name, { 'SVC-PROXY-KEY': made.key }]);
  }
  const columns = new Map<string, string[]>(proxies.map(([name]) => [name, []]));
  for (const bytes of [1_000, 1_000_000]) {
    const body = bodyOf(bytes);
    const times = new Map<string, number[]>(proxies.map(([name]) => [name, []]));
    for (let round = 0; round < ROUNDS / 3; round += 1)
      for (const [name, headers] of proxies)
        times.get(name)?.push(await millisecondsOf(() => proxied(body, headers)));
    const reference = median(times.get('ephemeral') ?? []);
    for (const [name, all] of times) {
      const measured = median(all);
      columns.get(name)?.push(`${measured.toFixed(1)} ms`, (measured / reference).toFixed(2));
    }
  }
  return [...columns].map(([name, cells]) => [name, ...cells]);
}

try {
  const rows: string[][] = [];
  for (const [size, bytes] of [
    ['1 KB', 1_000],
    ['1 MB', 1_000_000],
  ] as const) {
    const filler = 'x'.repeat(bytes);
    const times = { direct: [] as number[], proxied: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.direct.push(
        await millisecondsOf(() => direct(JSON.stringify({ filler, card: '4242424242424242' }))),
      );
      times.proxied.push(
        await millisecondsOf(() =>
          proxied(JSON.stringify({ filler, card: `{{ ${id} | json: '$.number' }}` })),
        ),
      );
    }
    const reference = median(times.direct);
    const measured = median(times.proxied);
    const milliseconds = (value: number) => `${value.toFixed(1)} ms`;
    rows.push([size, milliseconds(reference), milliseconds(measured), (measured / reference).toFixed(1)]);
  }
  report({
    budgets: [],
    figures: [
      {
        title: 'Through the proxy',
        columns: ['body', 'direct', 'through the proxy', 'ratio'],
        rows,
        note: `Medians of ${String(ROUNDS)}, in turn, to a destination on this machine; on a network the ratio is smaller.`,
      },
      {
        title: 'Through stored proxies',
        columns: ['proxy', '1 KB', 'ratio to the ephemeral one', '1 MB of many members', 'ratio'],
        rows: await storedRows(),
        note: `Medians of ${String(ROUNDS / 3)}, in turn, to a destination that returns what it gets.`,
      },
    ],
  });
} finally {
  await Promise.all([service.stop(), destination.close()]);
}
