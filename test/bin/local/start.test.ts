// The start command itself, in a separate process, on the fixture app.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const root = join(import.meta.dirname, '..', '..', '..');
const directory = mkdtempSync(join(tmpdir(), 'start-'));
const app = join(directory, 'cdk.out');
const running = new Set<ChildProcess>();

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exit: Promise<number | null>;
}

const command = [process.execPath, join(root, 'bin', 'start.cjs')];

function start(...args: readonly string[]): Started {
  return run([...command, ...(args.includes('--app') ? [] : ['--app', app]), ...args]);
}

function run([program = '', ...args]: readonly string[]): Started {
  const child = spawn(program, args);
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const exit = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  return { child, output: () => output, exit };
}

async function untilReady({ output, exit }: Started): Promise<void> {
  const ended = exit.then(() => {
    throw new Error(output());
  });
  while (!output().includes('Ready.'))
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20))]);
  ended.catch(() => undefined);
}

function template(stack: string): { readonly Resources: Record<string, unknown> } {
  return JSON.parse(readFileSync(join(app, `${stack}.template.json`), 'utf8'));
}

async function stop({ child, exit }: Started, signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
  child.kill(signal);
  return await exit;
}

type Credentials = Record<
  | 'base_url'
  | 'docs_url'
  | 'start_url'
  | 'tenant_id'
  | 'management_key'
  | 'webhook_secret'
  | 'aws_endpoint_url'
  | 'aws_access_key_id'
  | 'aws_secret_access_key',
  string
>;

const read = (file: string): Credentials => JSON.parse(readFileSync(file, 'utf8')) as Credentials;

beforeAll(() => {
  const env = { ...process.env, CDK_OUTDIR: app };
  const fixture = join(root, 'packages', 'local-aws', 'test', 'assembly', 'fixture-app.ts');
  expect(spawnSync(process.execPath, [fixture], { env }).status).toBe(0);
});

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

it('the app runs, prints how to use it, and stops', async () => {
  const file = join(directory, 'credentials.json');
  const started = start('--port', '0', '--credentials', file);
  await untilReady(started);
  const credentials = read(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const value of [
    credentials.base_url,
    credentials.tenant_id,
    credentials.management_key,
    credentials.aws_endpoint_url,
  ])
    expect(started.output()).toContain(value);
  expect(started.output()).not.toContain(credentials.aws_secret_access_key);
  const response = (await (await fetch(`${credentials.base_url}/echo/hello?x=1`)).json()) as {
    event: object;
    environment: object;
  };
  expect(response.event).toMatchObject({ rawPath: '/echo/hello', pathParameters: { proxy: 'hello' } });
  expect(response.environment).toMatchObject({ AWS_ENDPOINT_URL: credentials.aws_endpoint_url });
  expect(response.environment).not.toHaveProperty('PATH');
  expect(await stop(started)).toBe(0);
  await expect(fetch(credentials.base_url)).rejects.toThrow();
});

it('schedules run by the tick, and logs can be printed', async () => {
  const started = start(
    '--port',
    '0',
    '--credentials',
    join(directory, 'c2.json'),
    '--tick',
    '0.1',
    '--verbose',
  );
  await untilReady(started);
  while (!started.output().includes('swept')) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await stop(started, 'SIGTERM')).toBe(0);
});

it('a message reaches the function of its queue, through the address that the app uses', async () => {
  const file = join(directory, 'c7.json');
  const started = start('--port', '0', '--credentials', file, '--verbose');
  await untilReady(started);
  const { aws_endpoint_url: endpoint, ...credentials } = read(file);
  const name = Object.keys(template('Api').Resources).find((id) => /^Work[0-9A-F]{8}$/.test(id));
  // As in a function: the client gets the endpoint from its environment, and uses the queue's URL.
  process.env['AWS_ENDPOINT_URL'] = endpoint;
  const client = new SQSClient({
    region: 'us-east-1',
    credentials: {
      accessKeyId: credentials.aws_access_key_id,
      secretAccessKey: credentials.aws_secret_access_key,
    },
  });
  const QueueUrl = `${endpoint}/000000000000/Api-${name ?? ''}`;
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'something' }));
  client.destroy();
  delete process.env['AWS_ENDPOINT_URL'];
  while (!started.output().includes('worked on something')) await new Promise((r) => setTimeout(r, 20));
  expect(await stop(started)).toBe(0);
});

it('a data folder preserves the tenant, admits one start at a time, and survives a kill', async () => {
  const data = join(directory, 'data');
  const file = join(directory, 'c3.json');
  const first = start('--port', '0', '--credentials', file, '--data', data);
  await untilReady(first);
  const tenant = read(file).tenant_id;
  const second = start('--port', '0', '--credentials', join(directory, 'c4.json'), '--data', data);
  expect(await second.exit).toBe(1);
  expect(second.output()).toBe(`${data} is in use by process ${String(first.child.pid)}\n`);
  await stop(first, 'SIGKILL');
  const third = start('--port', '0', '--credentials', file, '--data', data);
  await untilReady(third);
  expect(read(file).tenant_id).toBe(tenant);
  expect(statSync(join(data, 'credentials.json')).mode & 0o777).toBe(0o600);
  expect(await stop(third)).toBe(0);
  expect(existsSync(join(data, 'lock'))).toBe(false);
});

describe('a data folder that is damaged', () => {
  const data = join(directory, 'damaged');
  const file = join(data, 'credentials.json');
  const again = () => start('--port', '0', '--credentials', join(directory, 'c8.json'), '--data', data);

  beforeAll(async () => {
    const started = again();
    await untilReady(started);
    await stop(started);
  });

  it('does not start when its keys are missing, and no other keys are created', async () => {
    const keys = join(data, 'kms', 'kms-keys.json');
    const content = readFileSync(keys);
    rmSync(keys);
    const started = again();
    expect(await started.exit).toBe(1);
    expect(started.output()).toBe(
      `${data} is damaged: kms/kms-keys.json is missing or empty; restore the data folder from a copy, or use another one\n`,
    );
    expect(existsSync(keys)).toBe(false);
    writeFileSync(keys, content);
  });

  it('does not start when its tables do not contain its tenant', async () => {
    const content = readFileSync(file, 'utf8');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(content), tenant_id: 'unknown' }));
    const started = again();
    expect(await started.exit).toBe(1);
    expect(started.output()).toBe(
      `${data} is damaged: the tenant of ${file} does not open (Error: The tenant does not exist.); ` +
        'restore the data folder from a copy, or use another one; ' +
        'if you destroyed that tenant, remove the file to get another one\n',
    );
    writeFileSync(file, content);
  });

  it('starts again when it is restored', async () => {
    const started = again();
    await untilReady(started);
    expect(await stop(started)).toBe(0);
  });
});

it('a full disk ends the start in one line', async () => {
  const data = join(directory, 'full');
  const args = ['--port', '0', '--data', data, '--credentials', join(directory, 'c9.json')];
  // No file may grow, as on a full disk.
  const started = run(['sh', '-c', 'ulimit -f 1 && exec "$@"', 'sh', ...command, '--app', app, ...args]);
  expect(await started.exit).toBe(1);
  expect(started.output()).toBe(`the disk of ${data} is full\n`);
});

it('a port in use is reported in one line, and nothing is left running', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const port = String((other.address() as AddressInfo).port);
  try {
    const started = start('--port', port, '--credentials', join(directory, 'c5.json'));
    expect(await started.exit).toBe(1);
    expect(started.output()).toBe(`port ${port} is in use\n`);
  } finally {
    other.close();
  }
});

it('a folder without an app is reported', async () => {
  const started = start('--port', '0', '--app', directory);
  expect(await started.exit).toBe(1);
  expect(started.output()).toMatch(/^not a synthesized app: cannot read .*manifest\.json\n$/);
});

it('a wrong option ends with exit code 2', async () => {
  const started = start('--nope');
  expect(await started.exit).toBe(2);
  expect(started.output()).toBe("Unknown option '--nope' (--help lists the options)\n");
});

it('a closed terminal ends it like Ctrl-C, and its credentials are deleted', async () => {
  const [file, data] = [join(directory, 'c8.json'), join(directory, 'data8')];
  const started = start('--port', '0', '--credentials', file, '--data', data);
  await untilReady(started);
  expect(await stop(started, 'SIGHUP')).toBe(0);
  expect([file, `${file}.lock`, join(data, 'lock')].filter(existsSync)).toEqual([]);
});

it('the credentials file of a running service is left unchanged', async () => {
  const file = join(directory, 'c10.json');
  const first = start('--port', '0', '--credentials', file);
  await untilReady(first);
  const { tenant_id: tenant } = read(file);
  const second = start('--port', '0', '--credentials', file);
  expect(await second.exit).toBe(1);
  expect(second.output()).toBe(`${file} is in use by process ${String(first.child.pid)}\n`);
  expect(read(file).tenant_id).toBe(tenant);
  await stop(first, 'SIGKILL');
  const third = start('--port', '0', '--credentials', file);
  await untilReady(third);
  expect(read(file).tenant_id).not.toBe(tenant);
  expect(await stop(third)).toBe(0);
});

it('browsers get the start page at / of the API, without a key; other clients get the API', async () => {
  const file = join(directory, 'c11.json');
  const started = start('--port', '0', '--credentials', file);
  await untilReady(started);
  const { base_url: url, management_key: key, docs_url: docs, start_url: startUrl } = read(file);
  const accept = { headers: { accept: 'text/html,*/*' } };
  const redirected = await fetch(url, { ...accept, redirect: 'manual' });
  expect([redirected.status, redirected.headers.get('location')]).toEqual([302, startUrl]);
  const page = await fetch(url, accept);
  const html = await page.text();
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(html).toContain(`href="${docs}/"`);
  expect(html).toContain(file);
  expect(html).not.toContain(key);
  expect((await fetch(url)).status).toBe(404);
  expect(await stop(started)).toBe(0);
});

it.each([
  ['without packages', '24.0.0', 'linux', false, 'The packages are not installed. Run: npm ci\n'],
  [
    'on an older Node of Linux',
    '20.1.0',
    'linux',
    true,
    'This is Node.js 20.1.0, and the service runs on 24. npm ci installs it with the packages. Run: npm ci && npm start\n',
  ],
  [
    'on an older Node of a Mac',
    '20.1.0',
    'darwin',
    true,
    'This is Node.js 20.1.0, and the service runs on 24. Run: brew install node@24 (or, with nvm: nvm install)\n',
  ],
])('a start %s names the command that helps', (_where, version, platform, hasPackages, message) => {
  const folder = mkdtempSync(join(directory, 'bare-'));
  mkdirSync(join(folder, 'bin'));
  copyFileSync(join(root, 'bin', 'start.cjs'), join(folder, 'bin', 'start.cjs'));
  if (hasPackages) mkdirSync(join(folder, 'node_modules', 'zod'), { recursive: true });
  const program = `
    Object.defineProperty(process.versions, 'node', { value: '${version}' });
    Object.defineProperty(process, 'platform', { value: '${platform}' });
    require('${join(folder, 'bin', 'start.cjs')}');`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, message]);
});

it('a stop in the middle of a start ends it with exit code 0', async () => {
  const data = join(directory, 'data6');
  const started = start('--port', '0', '--data', data, '--credentials', join(directory, 'c6.json'));
  // Its signal handlers exist before it locks its data.
  while (!existsSync(data)) await new Promise((resolve) => setTimeout(resolve, 5));
  started.child.kill('SIGINT');
  expect(await started.exit).toBe(0);
});
