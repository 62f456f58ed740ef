import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { SYNTHESIS_INPUTS } from '../../bin/start/synthesis-inputs.ts';
import { advanceClock } from '../support/advance-clock.ts';
import { allItems, bytesOf } from '../support/aws.ts';
import { httpClient } from '../support/http-client.ts';
import { runService, temporaryFolder, TEST_SETTINGS } from '../support/run-service.ts';
import { aRevealingApplication, call, CARD, credentials } from '../support/service.ts';
import { setFaults } from '../support/set-faults.ts';
import type { Health } from '../../packages/local-aws/src/cloudwatch/health.ts';
import { control } from '../../packages/local-aws/src/control.ts';
import { inThoroughRun, whenTouched } from '../../packages/test-kit/src/which-runs.ts';

const run = promisify(execFile);

/** The same application and token requests against any running service. */
async function anApplicationOf(baseUrl: string, managementKey: string) {
  const rules = [
    { priority: 1, container: '/', transform: 'reveal', permissions: ['token:create', 'token:read'] },
  ];
  const { body } = await httpClient(baseUrl, managementKey).post('/applications', {
    name: 'x',
    type: 'private',
    rules,
  });
  const { send } = httpClient(baseUrl, body.key);
  return (method: string, path: string, sent?: unknown) => send(method, path, { body: sent });
}

/** The command of the build reads these too, and builds nothing of them. */
const BESIDE_INPUTS = ['assets/reactor-node', 'published-package', 'read-arguments'].map(
  (name) => `tools/${name}.ts`,
);

/** The app built in a folder with only the declared inputs of `npm start`. */
function synthesizedFromInputs(): string {
  const root = temporaryFolder();
  const declared = SYNTHESIS_INPUTS.paths.filter((each) => !each.startsWith('node_modules'));
  for (const path of [...declared, ...BESIDE_INPUTS]) cpSync(path, join(root, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { readonly context: object };
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64';
  const app = join(root, 'cdk.out');
  const assets = ['functions', 'reactor-layer', '--node', 'none'];
  execFileSync(process.execPath, ['tools/build-assets.ts', ...assets], { cwd: root });
  execFileSync(process.execPath, ['bin/cloakroom.ts'], {
    cwd: root,
    env: {
      ...process.env,
      CDK_OUTDIR: app,
      CDK_CONTEXT_JSON: JSON.stringify({ ...context, architecture }),
    },
  });
  return app;
}

interface RunningFunction {
  readonly codeDirectory: string;
}

const functionsOf = async () => (await control(credentials, 'functions')) as readonly RunningFunction[];

/** A copy of the running app, whose stack of the API is another one. */
async function changedApp(change: (template: string) => string): Promise<string> {
  // Others are reactors.
  const ofApp = (await functionsOf()).find(({ codeDirectory }) => codeDirectory.includes('/app/asset.'));
  const app = join(temporaryFolder(), 'app');
  cpSync(dirname(String(ofApp?.codeDirectory)), app, { recursive: true });
  const [file = ''] = globSync(join(app, '*-Api.template.json'));
  const template = readFileSync(file, 'utf8');
  expect(change(template)).not.toBe(template);
  writeFileSync(file, change(template));
  return app;
}

/**
 * A function's bundle; the folder of its packages, from which modules get their names, is not
 * compared.
 */
function bundleIn(folder: string): string | undefined {
  const file = join(folder, 'index.cjs');
  if (!existsSync(file)) return undefined;
  return readFileSync(file, 'utf8').replaceAll(/(?:\.\.\/)*[\w./-]*node_modules\//g, 'node_modules/');
}

describe('the store', () => {
  it('contains no digit of a card, no metadata and no key in plain text', async () => {
    const app = await aRevealingApplication();
    const number = '5555341244441115';
    const marks = [
      number,
      number.slice(0, 12),
      'metadata-mark-51',
      'mask-mark-52',
      app.key,
      credentials.management_key,
    ];
    const token = {
      type: 'card',
      data: { ...CARD, number, cvc: '9137' },
      metadata: { mark: 'metadata-mark-51' },
      mask: 'mask-mark-52',
    };
    const { body } = await app.post('/tokens', token, { headers: { 'SVC-IDEMPOTENCY-KEY': 'ciphertext' } });
    const items = (await allItems(credentials)).map(bytesOf);
    expect(items.filter((item) => item.includes(body.id)).length).toBeGreaterThanOrEqual(2);
    for (const mark of [...marks, '"9137"']) {
      for (const form of [mark, Buffer.from(mark).toString('base64'), Buffer.from(mark).toString('hex')]) {
        expect(items.filter((item) => item.includes(form))).toEqual([]);
      }
    }
  });
});

describe('the operator command line', () => {
  const operator = (...args: string[]) =>
    run(process.execPath, [
      'packages/cli/bin/cloakroom.cjs',
      'operator',
      ...args,
      '--local',
      process.env['CLOAKROOM_CREDENTIALS'] ?? '',
    ]);

  it('creates a tenant whose management key works', async () => {
    const { stdout } = await operator('create-tenant', '--name', 'Another shop', '--json');
    const created = JSON.parse(stdout);
    expect(created).toEqual({
      tenant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      management_key: expect.stringMatching(/^key_management_/),
      webhook_secret: expect.stringMatching(/^whsec_/),
    });
    const own = await call(created.management_key, 'GET', '/applications/key');
    expect(own.body.tenant_id).toBe(created.tenant_id);
  });

  it('reports what is wrong with its arguments', async () => {
    await expect(operator('create-tenant')).rejects.toMatchObject({
      code: 2,
      stderr: "cloakroom: required option '--name <NAME>' not specified\n",
    });
    await expect(operator('create-tenant', '--name', 'x'.repeat(201))).rejects.toMatchObject({
      code: 1,
      stderr: 'cloakroom: name must be 1 to 200 characters\n',
    });
    await expect(operator('rotate-keys', '--tenant', randomUUID())).rejects.toMatchObject({
      code: 1,
      stderr: 'cloakroom: The tenant does not exist.\n',
    });
  });
});

describe('a separate service', () => {
  whenTouched.it('preserves acknowledged writes across kill -9 with --data', async () => {
    const data = temporaryFolder();
    const first = await runService([...TEST_SETTINGS, '--data', data]);
    const before = await anApplicationOf(first.credentials.base_url, first.credentials.management_key);
    const created = await Promise.all(
      Array.from({ length: 20 }, (_, index) => before('POST', '/tokens', { type: 'token', data: index })),
    );
    await first.stop('SIGKILL');

    const second = await runService([...TEST_SETTINGS, '--data', data]);
    try {
      expect(second.credentials).toMatchObject({
        tenant_id: first.credentials.tenant_id,
        management_key: first.credentials.management_key,
      });
      const after = await anApplicationOf(second.credentials.base_url, second.credentials.management_key);
      for (const [index, { body }] of created.entries())
        expect((await after('GET', `/tokens/${body.id}`)).body.data).toBe(index);
    } finally {
      expect(await second.stop()).toBe(0);
    }
  });

  inThoroughRun.it('depends on its declared inputs only, so no other change can make it stale', async () => {
    const bundles = (await functionsOf()).map(({ codeDirectory }) => bundleIn(codeDirectory));
    expect(bundles.length).toBeGreaterThan(5);
    const made = globSync(join(synthesizedFromInputs(), 'asset.*')).map(bundleIn);
    expect(made).toEqual(expect.arrayContaining(bundles));
  });

  whenTouched.it('fails with AccessDenied where the stack lacks a grant', async () => {
    const app = await changedApp((template) =>
      template.replaceAll('"dynamodb:PutItem"', '"dynamodb:DescribeTable"'),
    );
    const service = await runService(['--app', app]);
    try {
      const manage = httpClient(service.credentials.base_url, service.credentials.management_key);
      const { status, body } = await manage.post('/applications', {
        name: 'x',
        type: 'private',
        permissions: ['token:read'],
      });
      expect([status, body]).toEqual([
        500,
        {
          type: '/docs/errors/internal_error',
          title: 'Internal Server Error',
          status: 500,
          code: 'internal_error',
        },
      ]);
      expect(service.output()).toMatch(/AccessDeniedException.*not authorized to perform: dynamodb:PutItem/);
      expect((await manage.get('/applications/key')).status).toBe(200);
    } finally {
      await service.stop();
    }
  });

  whenTouched.it(
    'returns 429 for throttled requests in the form of the interface, by the limits of the deployment',
    async () => {
      // So low that a dozen requests exceed it.
      const app = await changedApp((template) =>
        template
          .replace(/"ThrottlingRateLimit": *\d+/, '"ThrottlingRateLimit":1')
          .replace(/"ThrottlingBurstLimit": *\d+/, '"ThrottlingBurstLimit":2'),
      );
      const service = await runService(['--app', app]);
      try {
        const manage = httpClient(service.credentials.base_url, service.credentials.management_key);
        const responses = await Promise.all(Array.from({ length: 12 }, () => manage.get('/permissions')));
        const throttled = responses.filter(({ status }) => status === 429);
        expect(throttled.length).toBeGreaterThanOrEqual(8);
        expect(throttled[0]?.body).toMatchObject({ title: 'Too Many Requests', status: 429 });
        expect(throttled[0]?.headers.get('retry-after')).toBe('1');
      } finally {
        await service.stop();
      }
    },
  );

  inThoroughRun.it(
    'shows the failures that a fault causes, rings their alarms, and shows no data',
    async () => {
      const service = await runService(TEST_SETTINGS);
      try {
        const { credentials: local } = service;
        const send = await anApplicationOf(local.base_url, local.management_key);
        const create = () => send('POST', '/tokens', { type: 'card', data: CARD });
        const health = async () => (await control(local, 'health')) as Health;
        const stateOf = async (name: string) =>
          (await health()).alarms.find((alarm) => alarm.name === `Cloakroom-${name}`)?.state;
        expect((await create()).status).toBe(201);
        await advanceClock(local, 60);
        expect([await stateOf('ServerErrors'), await stateOf('StoreThrottled')]).toEqual(['OK', 'OK']);
        await setFaults(local, ['dynamodb:throttle:1']);
        for (let minute = 0; minute < 3; minute += 1) {
          await Promise.all([1, 2, 3].map(create));
          await advanceClock(local, 60);
        }
        expect([await stateOf('ServerErrors'), await stateOf('StoreThrottled')]).toEqual(['ALARM', 'ALARM']);
        const { functions, queues, alarms, ...times } = await health();
        expect(functions.find(({ name }) => /Tokens/.test(name))).toMatchObject({
          invocations: 10,
          errors: 0,
        });
        expect(queues.filter(({ dead_letter }) => dead_letter)).toHaveLength(2);
        expect(Date.parse(times.now) - Date.parse(times.since)).toBeGreaterThanOrEqual(240_000);
        const shown = JSON.stringify({ functions, queues, alarms });
        for (const secret of [CARD.number, local.management_key, local.tenant_id])
          expect(shown).not.toContain(secret);
        await setFaults(local, []);
        for (let minute = 0; minute < 16; minute += 1) await advanceClock(local, 60);
        expect([await stateOf('ServerErrors'), await stateOf('StoreThrottled')]).toEqual(['OK', 'OK']);
      } finally {
        await service.stop();
      }
    },
  );

  it('rejects unknown settings and options', async () => {
    const start = (...args: string[]) => run(process.execPath, ['bin/start.cjs', '--port', '0', ...args]);
    await expect(start('--set', 'cvcLifetime=1')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown setting cvcLifetime'),
    });
    await expect(start('--set', 'cvcLifetimeSeconds=soon')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cvcLifetimeSeconds must be a whole number'),
    });
    await expect(start('--tick', 'x')).rejects.toMatchObject({ code: 2 });
    await expect(start('--nothing')).rejects.toMatchObject({ code: 2 });
    const port = new URL(credentials.base_url).port;
    await expect(run(process.execPath, ['bin/start.cjs', '--port', port])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(port),
    });
  });
});
