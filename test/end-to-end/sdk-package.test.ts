import { noteUse } from '../budgets.ts';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { Secret } from '../../src/core/shared/secret.ts';
import { signWebhook } from '../../src/core/webhooks/sign-webhook.ts';
import { createClient } from '../../packages/sdk/src/index.ts';
import { layer } from '../reactor-runtime/a-reactor.ts';
import { inBrowser } from '../support/browser.ts';
import { needing } from '../support/needing.ts';
import { aProject, packedSdk } from '../support/packed-packages.ts';
import { temporaryFolder } from '../support/run-service.ts';
import { anApplication, aRevealingApplication, CARD, credentials } from '../support/service.ts';
import { inThoroughRun, whenTouched } from '../../packages/test-kit/src/which-runs.ts';

const run = promisify(execFile);

/** The steps of every consumer, with `sdk` and `env` in scope; the last line is its result. */
const PROGRAM = `
const main = async () => {
  const { ApiError, createClient, verifyWebhook } = sdk;
  const input = JSON.parse(process.env.INPUT);
  const routes = new Set();
  const onAttempt = ({ route }) => routes.add(route);
  const client = createClient({ baseUrl: input.baseUrl, apiKey: input.apiKey, onAttempt });
  const create = () => client.tokens.create({ type: 'card', data: input.card, metadata: { run: input.run } }, { idempotencyKey: input.run });
  const first = await create();
  const { data: again, response } = await create().withResponse();
  await client.tokenize([{ type: 'token', data: 'ü', metadata: { run: input.run } }, { type: 'token', data: 2, metadata: { run: input.run } }]);
  let iterated = 0;
  for await (const token of client.tokens.list({ metadata: { run: input.run }, size: 1 })) iterated += token.id ? 1 : 0;
  const { pagination } = await client.tokens.search({ query: 'metadata.run:"' + input.run + '"' });
  const filled = await client.detokenize({ number: '{{ ' + first.id + " | json: '$.number' }}" });
  const refused = await client.tokens.create({ type: 'card', data: { number: '1' } }).catch((error) => error);
  const controller = new AbortController();
  const searching = client.tokens.search({ query: 'type:"card"' }, { signal: controller.signal }).then(() => 'was quicker', (error) => error.name);
  controller.abort();
  const aborted = await searching;
  await client.tokens.delete(first.id);
  const gone = await client.tokens.retrieve(first.id).catch((error) => error);
  const webhook = await verifyWebhook(input.webhook);
  const forged = await verifyWebhook({ ...input.webhook, body: '{}' }).catch((error) => error.name);
  console.log(JSON.stringify({
    same: first.id === again.id, iterated, total: pagination.total_items, filled,
    refused: [refused instanceof ApiError, refused.status, Object.keys(refused.errors)],
    gone: [gone instanceof ApiError, gone.status, typeof gone.traceId], aborted, webhook, forged,
    fetch: typeof fetch, routes: routes.size, status: response.status,
  }));
};
main().catch((error) => { console.error(error); process.exitCode = 1; });
`;

const EXPECTED = {
  same: true,
  iterated: 3,
  total: 3,
  filled: { number: CARD.number },
  refused: [true, 400, ['data.number']],
  gone: [true, 404, 'string'],
  aborted: 'AbortError',
  webhook: { id: 'inv_1', status: 'succeeded', result: { raw: 'ü' } },
  forged: 'WebhookVerificationError',
  routes: 7,
  status: 201,
};

/** The modules of which the package has declarations. */
const TYPES = [
  'abort',
  'access',
  'api-error',
  'api-promise',
  'applications',
  'attempt-event',
  'card-brands',
  'connection-error',
  'create-client',
  'deliveries',
  'errors',
  'fetch',
  'generics',
  'http-client',
  'index',
  'json',
  'keys',
  'list',
  'logs',
  'permissions',
  'proxies',
  'proxy',
  'query',
  'reactors',
  'request-body',
  'resources',
  'sessions',
  'tenants',
  'token-id-of',
  'tokens',
  'transport-response',
  'verify-webhook',
];

const IMPORT = "import * as sdk from '@cloakroom/sdk';\n";
const REQUIRE = "const sdk = require('@cloakroom/sdk');\n";

let tarball: string;
let project: string;
let apiKey: string;

/** A webhook that the service signed now. */
function aWebhook() {
  const secret = credentials.webhook_secret;
  const body = JSON.stringify({ raw: 'ü' });
  return {
    body,
    headers: Object.fromEntries(signWebhook('inv_1', body, [new Secret(secret)], Date.now())),
    secret,
  };
}

const anInput = () => ({
  baseUrl: credentials.base_url,
  apiKey,
  card: CARD,
  run: randomUUID(),
  webhook: aWebhook(),
});

/** Runs a program of the project, and parses the last line that it prints as JSON. */
async function output(node: string, file: string, env: Record<string, string> = {}) {
  const { stdout } = await run(node, [join(project, file)], {
    cwd: project,
    env: { INPUT: JSON.stringify(anInput()), ...env },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown;
}

beforeAll(async () => {
  tarball = await packedSdk();
  project = await aProject(tarball, {
    files: { 'consumer.mjs': IMPORT + PROGRAM, 'consumer.cjs': REQUIRE + PROGRAM },
  });
  apiKey = (await aRevealingApplication()).key;
});

const installed = (file = '') => join(project, 'node_modules/@cloakroom/sdk', file);

describe('the package', () => {
  it('contains its own files, and nothing else of the repository', () => {
    const files = globSync('**/*', { cwd: installed() }).filter((file) => statSync(installed(file)).isFile());
    expect(files.sort()).toEqual(
      [
        ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'dist/LICENSE.credit-card-type'],
        ...['browser.cjs', 'browser.js', 'browser.min.js', 'node.cjs', 'node.js'].map(
          (file) => `dist/${file}`,
        ),
        ...TYPES.flatMap((module) => [`dist/types/${module}.d.ts`, `dist/types/${module}.d.cts`]),
      ].sort(),
    );
    expect(globSync('*', { cwd: join(project, 'node_modules') })).toEqual(['@cloakroom']);
    const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
    const minified = readFileSync(installed('dist/browser.min.js'));
    process.stdout.write(
      `SDK: packed ${kilobytes(statSync(tarball).size)}; in the browser ${kilobytes(minified.length)} minified, ${kilobytes(gzipSync(minified).length)} with gzip\n`,
    );
    // 8,107 with the walk that reads member names correctly (docs/decisions/0014); 1,158 of card
    // ranges, dropped without `cardBrand`; 90 of `code` and of errors that take one argument; 40 of
    // the reactor and the application that a webhook names; 70 of the keys of applications;
    // 70 of `access` and `transform`; 200 of stored proxies; 70 of the option `fetch`;
    // 460 of `onAttempt` and `withResponse`; 30 of the form that a trace id must have in an event;
    // 55 of parked deliveries; 1,180 of bodies as `fetch` sends them, of what JSON would lose, of
    // filters without a value and of one listener a signal; 250 of unknown options, which would
    // silently show more, and of arguments that are absent; 30 of headers and queries that have no
    // members; 220 of options without a use, of signals, BigInts and Dates that are none; 90 of
    // `force`; 50 of `ifMatch`; 280 of `tokenIdOf`.
    expect(gzipSync(minified).length).toBeLessThan(12_740);
  });

  it('names nothing of Node in the files that browsers load', () => {
    for (const file of globSync('dist/browser*', { cwd: installed() }))
      expect([
        file,
        readFileSync(installed(file), 'utf8').match(/node:|require\(|\bBuffer\b|\bprocess\./),
      ]).toEqual([file, null]);
  });

  whenTouched.it('passes publint and “Are the types wrong?”', async () => {
    // Only a page loads this file, as an ES module and without a package manager.
    const { stdout } = await run(process.execPath, ['tools/check-package.ts', tarball, './browser.min.js']);
    expect(stdout).toBe('0 findings\n');
  });

  whenTouched.it('would not pass them with types that do not belong to the code', async () => {
    const broken = temporaryFolder();
    cpSync(installed(), broken, { recursive: true });
    const manifest = readFileSync(installed('package.json'), 'utf8');
    writeFileSync(join(broken, 'package.json'), manifest.replaceAll('index.d.cts', 'index.d.ts'));
    await run('npm', ['pack', '--silent'], { cwd: broken });
    const [packed = ''] = globSync('*.tgz', { cwd: broken });
    const checked = run(process.execPath, [
      'tools/check-package.ts',
      join(broken, packed),
      './browser.min.js',
    ]);
    const { stdout } = await checked.catch((error: unknown) => error as { readonly stdout: string });
    expect(stdout).toMatch(/^publint: .*types/m);
    expect(stdout).toContain('types: {"kind":"FalseESM"');
  });
});

describe('a program that installed the tarball works as', () => {
  it.each(['consumer.mjs', 'consumer.cjs'])('%s on this Node', async (file) => {
    expect(await output(process.execPath, file)).toEqual({ ...EXPECTED, fetch: 'function' });
  });

  inThoroughRun.it.each(['consumer.mjs', 'consumer.cjs'])(
    '%s on Node 16.20.2, which has no fetch',
    async (file) => {
      const node = join(layer(), 'bin/node');
      expect((await run(node, ['--version'])).stdout).toBe('v16.20.2\n');
      expect(await output(node, file)).toEqual({ ...EXPECTED, fetch: 'undefined' });
    },
  );

  it('both builds together: an error of one is an instance of the class of the other', async () => {
    const text = `import * as esm from '@cloakroom/sdk'; import { createRequire } from 'node:module';
      const cjs = createRequire(import.meta.url)('@cloakroom/sdk');
      const error = await cjs.createClient({ baseUrl: process.env.BASE_URL, apiKey: 'unknown' }).permissions.list().catch((thrown) => thrown);
      console.log(JSON.stringify([esm.ApiError === cjs.ApiError, error instanceof esm.ApiError, error instanceof esm.ConnectionError, error.status]));`;
    writeFileSync(join(project, 'both.mjs'), text);
    expect(await output(process.execPath, 'both.mjs', { BASE_URL: credentials.base_url })).toEqual([
      ...[false, true, false, 401],
    ]);
  });

  it('the first program of the README runs as in a program that installed the tarball', async () => {
    const [, text = ''] = /^```js\n(.*?)^```$/ms.exec(readFileSync(installed('README.md'), 'utf8')) ?? [];
    writeFileSync(join(project, 'readme.mjs'), `${text}\nconsole.log(JSON.stringify(token.data));`);
    const env = { CLOAKROOM_URL: credentials.base_url, CLOAKROOM_API_KEY: apiKey };
    expect(await output(process.execPath, 'readme.mjs', env)).toEqual(CARD);
  });
});

describe('a write under an idempotency key whose response was lost', () => {
  inThoroughRun.it(
    'returns the response of its first attempt, even if that still runs; nothing is done twice',
    async () => {
      const { base_url: baseUrl, management_key: managementKey } = credentials;
      const code = `module.exports = async () => {
      await new Promise((resolve) => setTimeout(resolve, 6000));
      return { raw: Math.random() };
    };`;
      const management = createClient({ baseUrl, apiKey: managementKey });
      const reactor = await management.reactors.create({ name: 'slow', code, configuration: {} });
      const client = createClient({ baseUrl, apiKey });
      const writing = { idempotencyKey: randomUUID() };
      const first = client.reactors.react(reactor.id, {}, writing);
      await new Promise((resolve) => setTimeout(resolve, 500));
      const refused = client.reactors.react(reactor.id, {}, { ...writing, maxRetries: 0 });
      // The client waits for the rest of the first attempt's minute.
      await expect(refused).rejects.toMatchObject({ status: 409, retryAfter: expect.any(Number) });
      const repeated = await client.reactors.react(reactor.id, {}, writing);
      expect(repeated).toEqual({ raw: expect.any(Number) });
      expect(repeated).toEqual(await first);

      const other = { idempotencyKey: randomUUID() };
      const impatient = await client.reactors.react(reactor.id, {}, { ...other, timeoutMs: 2_500 });
      expect(impatient).toEqual(await client.reactors.react(reactor.id, {}, other));
      await management.reactors.delete(reactor.id);
    },
  );
});

describe('TypeScript', () => {
  const STRICT = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    // Checks our declarations only; those of the language and the DOM would take most of the time.
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    target: 'es2022',
    types: [],
  };
  const DOM = { lib: ['es2022', 'dom', 'dom.iterable'] };

  /** The output of the compiler for one file in the project. */
  async function compiled(file: string, text: string, options: object): Promise<string> {
    writeFileSync(join(project, file), text);
    const config = join(project, `tsconfig.${randomUUID()}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files: [file] }));
    const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc');
    noteUse('runs of the TypeScript compiler');
    return run(process.execPath, [tsc, '-p', config, '--pretty', 'false']).then(
      ({ stdout }) => stdout,
      (error: unknown) => (error as { stdout: string }).stdout,
    );
  }

  inThoroughRun.it.each([
    ['nodenext', 'types.mts', { module: 'nodenext' }],
    ['nodenext, from CommonJS', 'types.cts', { module: 'nodenext' }],
    ['node16', 'types.mts', { module: 'node16' }],
    ['node16, from CommonJS', 'types.cts', { module: 'node16' }],
    ['bundler', 'types.ts', { module: 'esnext', moduleResolution: 'bundler' }],
    [
      'bundler, for browsers',
      'types.ts',
      { module: 'esnext', moduleResolution: 'bundler', customConditions: ['browser'] },
    ],
    [
      'node (the classic one)',
      'types.ts',
      { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
    ],
  ])(
    'accepts right use and rejects wrong use with the module resolution %s',
    async (_name, file, options) => {
      const text = readFileSync('packages/sdk/test/fixture-types.ts', 'utf8').replace(
        '../src/index.ts',
        '@cloakroom/sdk',
      );
      expect(await compiled(file, text, { ...DOM, ...options })).toBe('');
    },
  );

  inThoroughRun.it('needs neither the types of the DOM nor those of Node', async () => {
    const text = `import { createClient, type Token } from '@cloakroom/sdk';
      export const read = (id: string): Promise<Token> => createClient({ baseUrl: '', apiKey: '' }).tokens.retrieve(id);
      export const wrong: number = createClient;`;
    const said = await compiled('bare.mts', text, { module: 'nodenext', lib: ['es2020'] });
    expect(said.match(/: error TS/g)).toHaveLength(1);
    expect(said).toContain('bare.mts(3,20)');
  });
});

needing('Chromium').describe('a page of another origin', () => {
  /** Runs the program in a page, with the module `sdk`. */
  const inPage = async (module: string) => {
    const collecting = await anApplication({ type: 'public', permissions: ['token:create'] });
    return inBrowser(
      `const { createClient, ApiError, ConnectionError, verifyWebhook } = await import(URL.createObjectURL(new Blob([args.module], { type: 'text/javascript' })));
       const page = createClient({ baseUrl: args.baseUrl, apiKey: args.publicKey });
       const token = await page.tokens.create({ type: 'card', data: args.card }, { idempotencyKey: args.run });
       const again = await page.tokens.create({ type: 'card', data: args.card }, { idempotencyKey: args.run });
       const refused = await page.tokens.create({ type: 'card', data: { number: '1' } }).catch((error) => error);
       const client = createClient({ baseUrl: args.baseUrl, apiKey: args.apiKey });
       const { session_key, nonce } = await page.sessions.create();
       await client.sessions.authorize({ nonce, permissions: ['token:read'] });
       const session = createClient({ baseUrl: args.baseUrl, apiKey: session_key });
       let listed = 0;
       for await (const { id } of session.tokens.list({ id: [token.id], size: 1 })) listed += id === token.id ? 1 : 0;
       await client.tokens.update(token.id, { metadata: { run: args.run } });
       await client.tokens.delete(token.id);
       const signal = AbortSignal.abort();
       const aborted = await client.tokens.list({}, { signal }).catch((error) => error.name);
       const failure = await createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', maxRetries: 1 }).permissions.list().catch((error) => error);
       const bodyOfGet = await client.proxy({ url: 'https://api.example.com', method: 'GET', body: 'x' }).catch((error) => error.name);
       return { bodyOfGet, same: token.id === again.id, data: token.data, listed, aborted, unreachable: failure instanceof ConnectionError,
         refused: [refused instanceof ApiError, refused.status, typeof refused.traceId], webhook: encodeURIComponent(JSON.stringify(await verifyWebhook(args.webhook))) };`,
      { ...anInput(), publicKey: collecting.key, module },
    );
  };
  const expected = {
    bodyOfGet: 'TypeError',
    same: true,
    data: { ...CARD, number: 'XXXXXXXXXXXX4242' },
    listed: 1,
    aborted: 'AbortError',
    unreachable: true,
    refused: [true, 400, 'string'],
    webhook: encodeURIComponent(JSON.stringify(EXPECTED.webhook)),
  };

  inThoroughRun.it('works with the one file that needs no bundler', async () => {
    expect(await inPage(readFileSync(installed('dist/browser.min.js'), 'utf8'))).toEqual(expected);
  });

  inThoroughRun.it.each([
    ['an ES module', 'import'],
    ['CommonJS', 'require'],
  ])('works as %s from a bundler', async (_name, how) => {
    const contents =
      how === 'import' ? "export * from '@cloakroom/sdk';" : "module.exports = require('@cloakroom/sdk');";
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: project },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      target: 'es2020',
    });
    const text = outputFiles[0]?.text ?? '';
    // CommonJS has one export, the default.
    const module =
      how === 'import'
        ? text
        : text.replace(
            /export default (\w+\(\));/,
            'export const { createClient, ApiError, ConnectionError, verifyWebhook } = $1;',
          );
    expect(await inPage(module)).toEqual(expected);
  });
});
