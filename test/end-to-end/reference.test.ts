import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { allRoutes } from '../../tools/openapi/all-routes.ts';
import { OPERATIONS } from '../../tools/openapi/create-document.ts';
import { CHROMIUM_FLAGS } from '../support/browser.ts';
import { needing } from '../support/needs.ts';
import { temporaryFolder } from '../support/run-service.ts';
import { aRevealingApplication, credentials, management } from '../support/service.ts';

const run = promisify(execFile);
const committed = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: object };

describe('the reference page', () => {
  needing('Chromium').it('is at /docs, and has every operation once its script has run', async () => {
    const redirect = await fetch(`${credentials.base_url}/docs`, { redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([308, '/docs/']);
    const { stdout, stderr } = await run(
      '/usr/bin/chromium',
      [
        ...CHROMIUM_FLAGS,
        '--enable-logging=stderr',
        `--user-data-dir=${temporaryFolder()}`,
        '--timeout=30000',
        '--virtual-time-budget=20000',
        '--dump-dom',
        `${credentials.base_url}/docs/`,
      ],
      { timeout: 55_000, maxBuffer: 64_000_000 },
    );
    for (const { summary } of Object.values(OPERATIONS)) expect(stdout).toContain(summary);
    // Without it browsers ask for /favicon.ico, which is a 404 of the API.
    expect(stdout).toContain('<link rel="icon" href="data:,"');
    // What the page's own policy keeps it from, or what it fails at.
    expect(stderr.split('\n').filter((line) => /Content Security Policy|Uncaught|ERR_/.test(line))).toEqual(
      [],
    );
  });

  it('is made of the committed document', async () => {
    const served = await fetch(`${credentials.base_url}/docs/openapi.json`);
    expect(await served.json()).toEqual(committed);
  });

  it('takes no path from the interface', async () => {
    const { key } = await aRevealingApplication();
    for (const name of ['nothing', 'constructor', '__proto__']) {
      const answer = await fetch(`${credentials.base_url}/docs/${name}`, { headers: { 'SVC-API-KEY': key } });
      expect([name, answer.status]).toEqual([name, 404]);
    }
  });
});

describe('the examples of the document', () => {
  it.each(
    allRoutes().flatMap(({ operation, method, path }) =>
      Object.entries(OPERATIONS[operation]?.requests ?? {}).flatMap(([name, { value }]) =>
        // Those that need nothing that was there before.
        path.includes('{') || ['authorizeSession', 'detokenize', 'updateTenant'].includes(operation)
          ? []
          : [[operation, name, method, path, value] as const],
      ),
    ),
  )('%s %s is accepted by the running service', async (_operation, _name, method, path, value) => {
    const caller = /^\/(applications|reactors)/.test(path) ? management : await aRevealingApplication();
    const body = method === 'POST' ? await caller.post(path, value) : await caller.put(path, value);
    expect([200, 201]).toContain(body.status);
  });
});
