import { noteUse } from '../budgets.ts';
import { untilTrue } from '../../packages/test-kit/src/until.ts';
import { execFile, spawn } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '../../packages/sdk/src/index.ts';
import { startCheckout } from '../support/checkout.ts';
import { startDestination, testCertificate, type TestDestination } from '../support/destination.ts';
import { needing } from '../support/needing.ts';
import { aProject, packedSdk } from '../support/packed-packages.ts';
import { DESTINATION_PORTS, runService, TEST_SETTINGS, type RunningService } from '../support/run-service.ts';
import { inThoroughRun } from '../../packages/test-kit/src/which-runs.ts';

const { describe } = needing('openssl');

const run = promisify(execFile);

let service: RunningService;
/** The host that the proxy forwards to. */
let bank: TestDestination;
/** Terminates TLS in front of the receiver. */
let front: TestDestination;
let tarball: string;
const projects = new Map<string, string>();

/** A copy of an example that has installed the packed SDK. */
async function copyOf(example: string): Promise<string> {
  const copy = projects.get(example) ?? (await aProject(tarball, { from: `examples/${example}` }));
  projects.set(example, copy);
  return copy;
}

/** The example gets the credentials file of the service, as after `npm start`. */
async function runExample(example: string, env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await run(process.execPath, ['index.js'], {
    cwd: await copyOf(example),
    env: { CLOAKROOM_CREDENTIALS: service.credentialsFile, ...env },
  });
  return stdout;
}

/** Ids of all tokens of the tenant. */
async function tokensLeft(): Promise<readonly string[]> {
  const { base_url: baseUrl, management_key: managementKey } = service.credentials;
  const { key } = await createClient({ baseUrl, apiKey: managementKey }).applications.create({
    name: 'sees all',
    type: 'private',
    permissions: ['token:read'],
  });
  const ids: string[] = [];
  for await (const { id } of createClient({ baseUrl, apiKey: key }).tokens.list()) ids.push(id);
  return ids;
}

interface RunningReceiver {
  readonly port: number;
  output(): string;
  stop(): Promise<void>;
}

/** Starts the receiver in a separate process. */
async function startReceiver(): Promise<RunningReceiver> {
  const child = spawn(process.execPath, ['index.js'], {
    cwd: await copyOf('webhook-receiver'),
    env: { PORT: '0', CLOAKROOM_CREDENTIALS: service.credentialsFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await untilTrue(() => printed.includes('listening') || child.exitCode !== null);
  const port = Number(/listening on port (\d+)/.exec(printed)?.[1]);
  if (!(port > 0)) throw new Error(printed);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    port,
    output: () => printed,
    stop: () => {
      child.kill();
      return ended;
    },
  };
}

beforeAll(async () => {
  const certificate = testCertificate();
  [tarball, bank, front] = [
    await packedSdk(),
    await startDestination(certificate),
    await startDestination(certificate),
  ];
  service = await runService([...TEST_SETTINGS, '--trust', certificate.certFile]);
});

afterAll(async () => {
  await service.stop();
  await bank.close();
  await front.close();
});

describe('examples/node', () => {
  it('stores a card, reads it masked, finds it, uses it, deletes it, and cleans up', async () => {
    bank.respond = ({ body }, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ got: (JSON.parse(body.toString()) as { card: string }).card.length }));
    };
    const printed = await runExample('node', {
      DESTINATION_URL: `https://localhost:${String(bank.port)}/charges`,
    });
    expect(printed).toMatch(/^stored as \S+$/m);
    expect(printed).toContain("number: 'XXXXXXXXXXXX4242'");
    expect(printed).toContain('found by its last digits: true');
    expect(printed).toContain('charged: 200 { got: 16 }');
    expect(printed).toContain('gone: Not Found');
    expect(bank.received.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([
      { card: '4242424242424242', amount: 1299 },
    ]);
    expect(printed).not.toContain('4242424242424242');
    expect(await tokensLeft()).toEqual([]);
  });

  inThoroughRun.it('treats a 404 as an error unless it is for the token that it deleted', async () => {
    const { base_url, management_key: MANAGEMENT_KEY } = service.credentials;
    const failing = runExample('node', { BASE_URL: `${base_url}/elsewhere`, MANAGEMENT_KEY });
    await expect(failing).rejects.toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^ApiError: 404.*\n$/),
    });
  });

  inThoroughRun.it('prefers address and key in the environment to those in the file', async () => {
    const { base_url: BASE_URL, management_key: MANAGEMENT_KEY } = service.credentials;
    const env = { BASE_URL, MANAGEMENT_KEY, CLOAKROOM_CREDENTIALS: '/nowhere' };
    expect(await runExample('node', env)).toContain('gone');
    const elsewhere = { BASE_URL: 'http://127.0.0.1:20479', MANAGEMENT_KEY };
    await expect(runExample('node', elsewhere)).rejects.toMatchObject({
      code: 1,
      stderr: 'ConnectionError: No complete response came from http://127.0.0.1:20479: ECONNREFUSED\n',
    });
  });

  inThoroughRun.it('needs no destination', async () => {
    expect(await runExample('node')).not.toContain('charged');
  });
});

describe('examples/reactor and examples/webhook-receiver', () => {
  it('run synchronously and asynchronously; a delivery is verified, and handled once despite duplicates', async () => {
    const receiver = await startReceiver();
    try {
      front.respond = ({ method, headers, body }, response) => {
        const fields = Object.entries(headers).filter(([name]) => /^(webhook|content-type)/.test(name));
        const forwarded = { method, headers: Object.fromEntries(fields) as Record<string, string> };
        void fetch(`http://127.0.0.1:${String(receiver.port)}/`, {
          ...forwarded,
          body: Buffer.from(body),
        }).then(
          ({ status }) => response.writeHead(status).end(),
          () => response.writeHead(502).end(),
        );
      };
      const printed = await runExample('reactor', {
        CALLBACK_URL: `https://localhost:${String(front.port)}/done`,
      });
      expect(printed).toMatch(/^at once: { charged: 1299, last4: '4242' } { receipt: '\S+' }$/m);
      expect(printed).toContain('refused: 402 The card was declined.');
      expect(printed).toContain("status: 'succeeded'");
      expect(await tokensLeft()).toEqual([]);
      const id = /^later: (\S+)/m.exec(printed)?.[1] ?? '';
      await untilTrue(() => receiver.output().includes(`invocation ${id} succeeded`));

      const [delivery] = front.received;
      const again = (changes: Record<string, string> = {}, body = delivery?.body ?? Buffer.alloc(0)) =>
        fetch(`http://127.0.0.1:${String(receiver.port)}/`, {
          method: 'POST',
          headers: { ...(delivery?.headers as Record<string, string>), host: 'localhost', ...changes },
          body: Buffer.from(body),
        }).then(({ status }) => status);
      expect(await again()).toBe(204);
      expect(receiver.output().match(new RegExp(id, 'g'))).toEqual([id]);
      expect(await again({ 'webhook-id': 'another' })).toBe(400);
      expect(await again({ 'content-length': '2' }, Buffer.from('{}'))).toBe(400);
    } finally {
      await receiver.stop();
    }
  });

  inThoroughRun.it(
    'cloakroom receiver starts it with a certificate that --trust accepts, and gets a result',
    async () => {
      const port = String(DESTINATION_PORTS.at(-1));
      const credentials = join(mkdtempSync(join(tmpdir(), 'cloakroom-receiver-')), 'credentials.json');
      const args = [
        'packages/cli/bin/cloakroom.cjs',
        'receiver',
        '--port',
        port,
        '--credentials',
        credentials,
      ];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      const until = (text: string) => untilTrue(() => printed.includes(text));
      let trusting: RunningService | undefined;
      try {
        // As a person does, who pastes what it prints.
        await until(`egressAllowList=localhost:${port}`);
        const [, trusted = ''] = /--trust (\S+)/.exec(printed) ?? [];
        // A file that an earlier start has left, with the secret of a tenant that is gone.
        writeFileSync(credentials, JSON.stringify({ webhook_secret: `whsec_${'A'.repeat(43)}=` }));
        await until(`listening on port ${port}`);
        printed = '';
        trusting = await runService([...TEST_SETTINGS, '--trust', trusted]);
        cpSync(trusting.credentialsFile, credentials);
        await until(`listening on port ${port}`);
        const said = await runExample('reactor', {
          CLOAKROOM_CREDENTIALS: credentials,
          CALLBACK_URL: `https://localhost:${port}/`,
        });
        const [, id = '?'] = /^later: (\S+)/m.exec(said) ?? [];
        await until(`invocation ${id} succeeded`);
      } finally {
        child.kill();
        await ended;
        await trusting?.stop();
      }
    },
  );

  inThoroughRun.it('the receiver reports in one line that its port is missing or in use', async () => {
    const inUse = runExample('webhook-receiver', { PORT: new URL(service.credentials.base_url).port });
    await expect(inUse).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^listen EADDRINUSE.*\n$/),
    });
    await expect(runExample('webhook-receiver', { PORT: 'abc' })).rejects.toMatchObject({
      code: 2,
      stderr: 'PORT must be a number from 0 to 65535: abc\n',
    });
  });

  inThoroughRun.it('the receiver does not start with an invalid secret', async () => {
    await expect(runExample('webhook-receiver', { WEBHOOK_SECRET: '?' })).rejects.toMatchObject({
      code: 2,
      stderr: 'WEBHOOK_SECRET: The webhook secret must be base64 text, with or without whsec_\n',
    });
  });
});

describe('examples/browser', () => {
  it('creates its keys on the service of npm start', async () => {
    const checkout = await startCheckout({ CLOAKROOM_CREDENTIALS: service.credentialsFile });
    try {
      const page = await (await fetch(checkout.origin)).text();
      expect(page).toContain(`data-service-url="${service.credentials.base_url}"`);
      expect(page).toMatch(/data-public-key="key_public_/);
    } finally {
      await checkout.stop();
    }
  });

  inThoroughRun.it.each([
    [{ CLOAKROOM_CREDENTIALS: '/nowhere' }, /^Set CLOAKROOM_URL, .* \/nowhere cannot be read\n$/],
    [
      { CLOAKROOM_URL: 'https://other.example' },
      /^Set CLOAKROOM_FIELDS_URL and CLOAKROOM_PUBLIC_KEY and CLOAKROOM_PRIVATE_KEY as well, or none of .*\n$/,
    ],
    [
      {
        CLOAKROOM_URL: 'vault',
        CLOAKROOM_FIELDS_URL: 'fields',
        CLOAKROOM_PUBLIC_KEY: 'a',
        CLOAKROOM_PRIVATE_KEY: 'b',
      },
      /^CLOAKROOM_URL and CLOAKROOM_FIELDS_URL must be addresses such as .*\n$/,
    ],
    [{ PORT: 'abc' }, /^PORT must be a number from 0 to 65535: abc\n$/],
  ])('reports in one line what is missing or wrong with %j', async (env, said) => {
    const starting = run(process.execPath, ['examples/browser/server.js'], { env });
    await expect(starting).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(said) });
  });
});

/** Runs the blocks of a page against the service, or those between two headings. */
async function pasteBlocks(page: string, [from, to]: readonly [string?, string?] = []) {
  const text = readFileSync(page, 'utf8');
  const place = (heading: string | undefined, otherwise: number) => {
    if (heading === undefined) return otherwise;
    const found = text.indexOf(`\n## ${heading}\n`);
    if (found === -1) throw new Error(`${page} has no heading "${heading}"`);
    return found;
  };
  const section = text.slice(place(from, 0), place(to, text.length));
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const pasted = blocks
    .join('\n')
    .replaceAll('http://localhost:8787', service.credentials.base_url)
    .replaceAll('.local/credentials.json', service.credentialsFile);
  const { stdout } = await run('bash', ['-eu', '-o', 'pipefail', '-c', pasted]);
  return { blocks: blocks.length, stdout };
}

describe('a page whose blocks are pasted one after another into one shell', () => {
  it('stores a card and shows its mask: README.md', async () => {
    const { blocks, stdout } = await pasteBlocks('README.md', ['A first token', 'Deploy']);
    expect(blocks).toBe(1);
    expect(stdout).toContain('"number":"XXXXXXXXXXXX4242"');
  });

  it('shows a card masked and revealed, and runs code: docs/start.md', async () => {
    const { blocks, stdout } = await pasteBlocks('docs/start.md', ['Store a card']);
    expect(blocks).toBe(6);
    expect(stdout).toContain('"number":"XXXXXXXXXXXX4242"');
    expect(stdout).toContain('"number":"4242424242424242"');
    // The SDK prints one, and a vault of the testing package the other.
    expect(stdout.match(/number: 'XXXXXXXXXXXX4242'/g)).toHaveLength(2);
    expect(stdout).toContain('"last4": "4242"');
  });
});

describe('every example', () => {
  const OURS = ['node', 'reactor', 'webhook-receiver'];

  inThoroughRun.it.each(OURS)(
    'compiles as strict JavaScript against the packed declarations: %s',
    async (example) => {
      const copy = await copyOf(example);
      const types = join(process.cwd(), 'node_modules/@types');
      const compilerOptions = {
        strict: true,
        allowJs: true,
        checkJs: true,
        noEmit: true,
        module: 'nodenext',
        target: 'es2022',
        lib: ['es2022'],
        typeRoots: [types],
        types: ['node'],
        skipLibCheck: true,
      };
      writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['index.js'] }));
      const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc');
      noteUse('runs of the TypeScript compiler');
      const said = await run(process.execPath, [tsc, '-p', copy]).then(
        ({ stdout }) => stdout,
        (error: unknown) => (error as { stdout: string }).stdout,
      );
      expect(said).toBe('');
    },
  );

  inThoroughRun.it.each([
    ['node', 'BASE_URL and MANAGEMENT_KEY', 'base_url'],
    ['reactor', 'BASE_URL and MANAGEMENT_KEY', 'base_url'],
    ['webhook-receiver', 'WEBHOOK_SECRET', 'webhook_secret'],
  ])('reports in one line what is missing: %s', async (example, variables, member) => {
    await expect(runExample(example, { CLOAKROOM_CREDENTIALS: '/nowhere' })).rejects.toMatchObject({
      code: 2,
      stderr: `Set ${variables}, or run npm start in the repository: /nowhere has no ${member}\n`,
    });
  });

  inThoroughRun.it.each([
    ['node', 'BASE_URL', 'MANAGEMENT_KEY'],
    ['node', 'MANAGEMENT_KEY', 'BASE_URL'],
    ['reactor', 'BASE_URL', 'MANAGEMENT_KEY'],
  ])('sends no key of the file to the host of another service: %s with %s', async (example, set, missing) => {
    await expect(runExample(example, { [set]: 'http://127.0.0.1:20479' })).rejects.toMatchObject({
      code: 2,
      stderr: `Set ${missing} as well, or none of BASE_URL, MANAGEMENT_KEY\n`,
    });
  });

  inThoroughRun.it.each(OURS)('reports in one line that the SDK is missing: %s', async (example) => {
    const copy = mkdtempSync(join(tmpdir(), 'cloakroom-example-'));
    cpSync(`examples/${example}`, copy, { recursive: true });
    await expect(run(process.execPath, ['index.js'], { cwd: copy, env: {} })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^@cloakroom\/sdk is missing: npm run build -- sdk .*\n$/),
    });
    rmSync(copy, { recursive: true });
  });

  it('reads its settings as the others do', () => {
    const texts = OURS.map((example) => readFileSync(`examples/${example}/settings.js`, 'utf8'));
    expect(new Set(texts).size).toBe(1);
  });

  it('documents in its README how to start it', () => {
    for (const example of OURS) {
      expect(globSync(`examples/${example}/README.md`)).toHaveLength(1);
      expect(readFileSync(`examples/${example}/README.md`, 'utf8')).toContain('npm start');
    }
  });
});
