// `npm run bench -- testing`: the testing package as a test loads it, next to the SDK alone and to
// the local service. The limits are those of docs/testing.md.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../packages/sdk/src/index.ts';
import { buildSdk } from '../build-sdk.ts';
import { buildTesting } from '../build-testing.ts';
import { startBenchService } from './bench-service.ts';
import { median } from './median.ts';
import { printFigures } from './section.ts';

const ROUNDS = 15;
const CALLS = 1_000;
const CARD = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
const SHOP = { name: 'x', type: 'private', permissions: ['token:create', 'token:read'] } as const;

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-testing-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const packages = join(folder, 'node_modules/@cloakroom');
for (const name of ['sdk', 'testing']) mkdirSync(join(packages, name), { recursive: true });
await Promise.all([buildSdk(join(packages, 'sdk')), buildTesting(join(packages, 'testing'))]);

/** Runs a program of the folder in a new process; returns the numbers that it prints. */
function measured(program: string): readonly number[] {
  writeFileSync(join(folder, 'program.mjs'), program);
  return JSON.parse(
    execFileSync(process.execPath, [join(folder, 'program.mjs')], { encoding: 'utf8' }),
  ) as number[];
}

const ready = (what: string, make: string): number =>
  median(
    Array.from({ length: ROUNDS }, () => {
      const [ms = 0] = measured(`const start = performance.now();
        const { ${what} } = await import('@cloakroom/${what === 'createVault' ? 'testing' : 'sdk'}');
        ${make};
        console.log(JSON.stringify([performance.now() - start]));`);
      return ms;
    }),
  );

const CALLING = `
  for (let at = 0; at < ${String(CALLS)}; at += 1) {
    const { id } = await client.tokens.create({ type: 'card', data: ${JSON.stringify(CARD)} });
    await client.tokens.retrieve(id);
  }`;
/** Creates and gets of the first thousand, and of the second. */
const inVault = () =>
  measured(`import { createVault } from '@cloakroom/testing';
    const vault = await createVault();
    const { key } = await vault.applications.create(${JSON.stringify(SHOP)});
    const client = vault.client({ apiKey: key });
    const times = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const start = performance.now();
      ${CALLING}
      times.push(performance.now() - start);
    }
    console.log(JSON.stringify(times));`);

async function inService(): Promise<number> {
  const service = await startBenchService();
  try {
    const { base_url: baseUrl, management_key: apiKey } = service.credentials;
    const { key } = await createClient({ baseUrl, apiKey }).applications.create(SHOP);
    const client = createClient({ baseUrl, apiKey: key });
    const start = performance.now();
    for (let at = 0; at < CALLS; at += 1) {
      const { id } = await client.tokens.create({ type: 'card', data: CARD });
      await client.tokens.retrieve(id);
    }
    return performance.now() - start;
  } finally {
    await service.stop();
  }
}

const files = globSync('**/*', { cwd: join(packages, 'testing') });
const bytes = files.reduce((sum, file) => sum + statSync(join(packages, 'testing', file)).size, 0);
const vaults = Array.from({ length: 3 }, inVault);
const nth = (at: number) => median(vaults.map((times) => times[at] ?? 0));
const ms = (value: number) => `${value.toFixed(0)} ms`;
printFigures([
  {
    title: 'The testing package',
    columns: ['what', 'limit', 'measured', 'reference'],
    rows: [
      [
        'ready in a new process: loaded, with a tenant',
        '150 ms',
        ms(ready('createVault', 'await createVault()')),
        `${ms(ready('createClient', "createClient({ baseUrl: 'https://x.example', apiKey: 'x' })"))}: the SDK alone`,
      ],
      [
        `${String(CALLS)} creates and ${String(CALLS)} gets, the first`,
        '',
        ms(nth(0)),
        `${ms(await inService())}: the local service`,
      ],
      [`${String(CALLS)} creates and ${String(CALLS)} gets, warm`, '1,000 ms', ms(nth(1)), ''],
      ['unpacked', '1,500,000 bytes', `${String(bytes)} bytes`, ''],
    ],
  },
]);
