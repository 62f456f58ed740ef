// `npm run bench -- proxy`: the overhead of the proxy over a direct call, at 1 KB and 1 MB,
// interleaved. The destination is local and as fast as possible: on a network the ratio is smaller.
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
destination.respond = (received, response) => response.end(received.body);
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
async function proxied(body: string): Promise<void> {
  const headers = {
    'SVC-API-KEY': key,
    'SVC-PROXY-URL': `https://${allowed}/`,
    'Content-Type': 'application/json',
  };
  const response = await fetch(`${baseUrl}/proxy`, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`the proxy answered ${String(response.status)}`);
  await response.arrayBuffer();
}

async function millisecondsOf(run: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
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
    const [reference, measured] = [median(times.direct), median(times.proxied)];
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
    ],
  });
} finally {
  await Promise.all([service.stop(), destination.close()]);
}
