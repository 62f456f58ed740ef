// The real program moves 2,000 rows in and out, and is killed twice on the way.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { tokenIdOf } from '../../packages/sdk/src/index.ts';
import { sampleCard } from '../../tools/import-samples/cards.ts';
import { csvLines, STRIPE_COLUMNS, stripeRow } from '../../tools/import-samples/files.ts';
import { temporaryFolder } from '../support/run-service.ts';
import { anApplication, credentials } from '../support/service.ts';

const ROWS = 2_000;
const PROGRAM = resolve('packages/cli/bin/cloakroom.cjs');

const folder = temporaryFolder();
const file = join(folder, 'stripe.csv');
let front: Server;
/** Called with the number of each request, before it is sent on. */
let onRequest: (count: number) => void;

beforeAll(async () => {
  const cards = Array.from({ length: ROWS }, (_, index) => stripeRow(sampleCard(index)));
  writeFileSync(file, [...csvLines(STRIPE_COLUMNS, cards)].join(''));
  let count = 0;
  front = createServer((request, response) => {
    void (async () => {
      count += 1;
      onRequest(count);
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
      const body = await buffer(request);
      const answer = await fetch(`${credentials.base_url}${request.url ?? ''}`, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(body.length > 0 && { body }),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await once(front.listen(0, '127.0.0.1'), 'listening');
});

afterAll(() => front.close());

/** Runs the program, and kills it when it has sent so many requests more. */
async function run(key: string, args: readonly string[], killAfter = Infinity) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: {
      ...process.env,
      CLOAKROOM_URL: `http://127.0.0.1:${String((front.address() as AddressInfo).port)}`,
      CLOAKROOM_API_KEY: key,
      XDG_CONFIG_HOME: folder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let sent = 0;
  onRequest = () => {
    sent += 1;
    // The request is sent on, and nothing receives its response.
    if (sent === killAfter) child.kill('SIGKILL');
  };
  const [out, err, [code]] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, out: out.toString('utf8'), err: err.toString('utf8') };
}

it('loses no row and makes none twice, though it is killed in the middle', async () => {
  const { key } = await anApplication({
    rules: [
      { priority: 1, container: '/', transform: 'reveal', permissions: ['token:create', 'token:read'] },
    ],
  });
  const report = join(folder, 'report.json');
  const importing = [
    'import',
    file,
    '--from',
    'stripe',
    '--source',
    `end-to-end-${key.slice(-8)}`,
    '--report',
    report,
  ];
  for (const killAfter of [9, 31]) expect((await run(key, importing, killAfter)).code).toBeNull();
  const last = await run(key, importing);
  expect([last.code, last.err]).toEqual([
    0,
    expect.stringMatching(/^not read.*\n2,000 rows: .* imported, .* there/),
  ]);
  const { rows, imported, there } = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>;
  expect([rows, (imported ?? 0) + (there ?? 0)]).toEqual([ROWS, ROWS]);
  expect(there).toBeGreaterThan(0);

  const exporting = ['export', '--to', 'cloakroom', '--manifest', join(folder, 'manifest.json'), '--yes'];
  const exported = await run(key, [...exporting, '--metadata', `source_id=${sampleCard(7).id}`]);
  const [line = ''] = exported.out.trim().split('\n');
  expect(JSON.parse(line)).toMatchObject({
    id: await tokenIdOf(`end-to-end-${key.slice(-8)}`, sampleCard(7).id),
    data: { number: sampleCard(7).number },
  });
});
