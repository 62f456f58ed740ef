// The start command itself, in a separate process, on the fixture app.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { untilTrue } from '../../../packages/test-kit/src/until.ts';

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
  await Promise.race([ended, untilTrue(() => output().includes('Ready.'))]);
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

afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

describe('a running app', () => {
  const data = join(directory, 'data');
  const file = join(directory, 'credentials.json');
  const args = ['--port', '0', '--credentials', file, '--data', data];
  let first: Started;
  let credentials: Credentials;

  beforeAll(async () => {
    first = start(...args, '--tick', '0.1', '--verbose');
    await untilReady(first);
    credentials = read(file);
  });

  it('has printed how to use it, and serves its routes', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const value of [
      credentials.base_url,
      credentials.tenant_id,
      credentials.management_key,
      credentials.aws_endpoint_url,
    ])
      expect(first.output()).toContain(value);
    expect(first.output()).not.toContain(credentials.aws_secret_access_key);
    const response = (await (await fetch(`${credentials.base_url}/echo/hello?x=1`)).json()) as {
      event: object;
      environment: object;
    };
    expect(response.event).toMatchObject({ rawPath: '/echo/hello', pathParameters: { proxy: 'hello' } });
    expect(response.environment).toMatchObject({ AWS_ENDPOINT_URL: credentials.aws_endpoint_url });
    expect(response.environment).not.toHaveProperty('PATH');
  });

  it('runs schedules by the tick, and prints logs', async () => {
    await untilTrue(() => first.output().includes('swept'));
  });

  it('has a message reach the function of its queue, through the address that the app uses', async () => {
    const { aws_endpoint_url: endpoint } = credentials;
    const name = Object.keys(template('Api').Resources).find((id) => /^Work[0-9A-F]{8}$/.test(id));
    // As in a function: the client has the endpoint of its environment, and the URL of the queue.
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
    await untilTrue(() => first.output().includes('worked on something'));
  });

  it('gives browsers the start page at / of the API, without a key, and others the API', async () => {
    const { base_url: url, management_key: key, docs_url: docs, start_url: startUrl } = credentials;
    const accept = { headers: { accept: 'text/html,*/*' } };
    const redirected = await fetch(url, { ...accept, redirect: 'manual' });
    expect([redirected.status, redirected.headers.get('location')]).toEqual([302, startUrl]);
    const page = await fetch(url, accept);
    const html = await page.text();
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(html).toContain(`href="${docs}/"`);
    expect(html.match(/<button>Copy/g)).toHaveLength(3);
    expect(html).toContain(file);
    expect(html).not.toContain(key);
    expect((await fetch(url)).status).toBe(404);
  });

  it('admits no other start in its data folder, or with its credentials file', async () => {
    const pid = String(first.child.pid);
    const inFolder = start('--port', '0', '--credentials', join(directory, 'c4.json'), '--data', data);
    expect(await inFolder.exit).toBe(1);
    expect(inFolder.output()).toBe(`cloakroom: ${data} is in use by process ${pid}\n`);
    const withFile = start('--port', '0', '--credentials', file);
    expect(await withFile.exit).toBe(1);
    expect(withFile.output()).toBe(`cloakroom: ${file} is in use by process ${pid}\n`);
    expect(read(file).tenant_id).toBe(credentials.tenant_id);
  });

  it('has the same tenant after a kill, and stops at Ctrl-C', async () => {
    await stop(first, 'SIGKILL');
    const again = start(...args);
    await untilReady(again);
    const { base_url: url, tenant_id: tenant } = read(file);
    expect(tenant).toBe(credentials.tenant_id);
    expect(statSync(join(data, 'credentials.json')).mode & 0o777).toBe(0o600);
    expect(await stop(again)).toBe(0);
    expect(existsSync(join(data, 'lock'))).toBe(false);
    await expect(fetch(url)).rejects.toThrow();
  });
});

describe('a data folder that is damaged', () => {
  const data = join(directory, 'damaged');
  const file = join(data, 'credentials.json');
  const again = () => start('--port', '0', '--credentials', join(directory, 'c8.json'), '--data', data);

  beforeAll(async () => {
    const started = again();
    await untilReady(started);
    expect(await stop(started, 'SIGTERM')).toBe(0);
  });

  it('does not start when its keys are missing, and no other keys are created', async () => {
    const keys = join(data, 'kms', 'kms-keys.json');
    const content = readFileSync(keys);
    rmSync(keys);
    const started = again();
    expect(await started.exit).toBe(1);
    expect(started.output()).toBe(
      `cloakroom: ${data} is damaged: kms/kms-keys.json is missing or empty; restore the data folder from a copy, or use another one\n`,
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
      `cloakroom: ${data} is damaged: the tenant of ${file} does not open (Error: The tenant does not exist.); ` +
        'restore the data folder from a copy, or use another one; ' +
        'if you destroyed that tenant, remove the file to get another one\n',
    );
    writeFileSync(file, content);
  });

  it('starts again when it is restored, and deletes its credentials when its terminal is closed', async () => {
    const started = again();
    await untilReady(started);
    expect(await stop(started, 'SIGHUP')).toBe(0);
    const shown = join(directory, 'c8.json');
    expect([shown, `${shown}.lock`, join(data, 'lock')].filter(existsSync)).toEqual([]);
  });
});

it('a full disk ends the start in one line', async () => {
  const data = join(directory, 'full');
  const args = ['--port', '0', '--data', data, '--credentials', join(directory, 'c9.json')];
  // No file may grow, as on a full disk.
  const started = run(['sh', '-c', 'ulimit -f 1 && exec "$@"', 'sh', ...command, '--app', app, ...args]);
  expect(await started.exit).toBe(1);
  expect(started.output()).toBe(`cloakroom: the disk of ${data} is full\n`);
});

it('a port in use is reported in one line, and nothing is left running', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const port = String((other.address() as AddressInfo).port);
  try {
    const started = start('--port', port, '--credentials', join(directory, 'c5.json'));
    expect(await started.exit).toBe(1);
    expect(started.output()).toMatch(
      new RegExp(`^cloakroom: port ${port} is in use(?: by process \\d+ \\([^)]*\\))?\n$`),
    );
  } finally {
    other.close();
  }
});

it('a stage that the app lacks ends with exit code 2', async () => {
  const args = ['--port', '0', '--credentials', join(directory, 'c10.json'), '--app', app];
  const started = start(...args, '--stage', 'Nope');
  expect(await started.exit).toBe(2);
  expect(started.output()).toBe(`cloakroom: ${app} has no stage Nope; it has: none\n`);
});

it('a wrong option ends with exit code 2', async () => {
  const started = start('--nope');
  expect(await started.exit).toBe(2);
  expect(started.output()).toBe("cloakroom: unknown option '--nope'\n");
});

describe('npm start and npm test, on any Node', () => {
  const LOCK = { packages: { '': {}, 'node_modules/a': { version: '2.0.0', integrity: 'sha512-a' } } };
  const installed = (version: string) =>
    JSON.stringify({ packages: { 'node_modules/a': { version, integrity: 'sha512-a' } } });

  /** A repository, and an npm that does what `npm` says. Its own Node prints what it has to run. */
  function aFolder(npm: string, version?: string): string {
    const folder = mkdtempSync(join(directory, 'bare-'));
    const file = (path: string, content: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content, { mode: 0o755 });
    };
    for (const name of ['start.cjs', 'run.cjs', 'with-packages.cjs'])
      file(`bin/${name}`, readFileSync(join(root, 'bin', name), 'utf8'));
    file('package-lock.json', JSON.stringify(LOCK));
    file('own/node', '#!/bin/sh\necho "24: $@"\n');
    file('programs/npm', `#!/bin/sh\necho "npm $1"\n${npm}\n`);
    file('program.ts', "process.stdout.write(`ran ${process.argv.slice(2).join(' ')}`);");
    file('by-20.cjs', "Object.defineProperty(process.versions, 'node', { value: '20.1.0' });");
    if (version !== undefined) {
      file('node_modules/.package-lock.json', installed(version));
      file('node_modules/.bin/node', readFileSync(join(folder, 'own/node'), 'utf8'));
    }
    return folder;
  }

  const INSTALL = `mkdir -p node_modules && cp -r own node_modules/.bin && echo '${installed('2.0.0')}' > node_modules/.package-lock.json`;

  function runIn(folder: string, ...args: readonly string[]) {
    const env = { PATH: `${join(folder, 'programs')}:/usr/bin:/bin` };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    return [status, stdout, stderr];
  }

  it.each([
    ['no packages are installed', undefined, 'The packages are not installed'],
    ['other packages are installed', '1.0.0', 'The packages are not those of package-lock.json'],
  ])('%s: npm ci runs, and the program runs under the Node that it brought', (_case, version, reason) => {
    const folder = aFolder(INSTALL, version);
    expect(runIn(folder, 'bin/run.cjs', 'program.ts', '--a')).toEqual([
      0,
      `24: ${join(folder, 'bin', 'run.cjs')} program.ts --a\n`,
      `${reason}. Running npm ci, which takes about a minute\n`,
    ]);
  });

  it('the packages of the lockfile are installed: the program runs at once', () => {
    const folder = aFolder('exit 1', '2.0.0');
    expect(runIn(folder, 'bin/run.cjs', 'program.ts', '--a')).toEqual([0, 'ran --a', '']);
  });

  it('an older Node with packages hands over to that of the packages', () => {
    const folder = aFolder('exit 1', '2.0.0');
    expect(runIn(folder, '--require', './by-20.cjs', 'bin/start.cjs', '--help')).toEqual([
      0,
      `24: --require ./by-20.cjs ${join(folder, 'bin', 'start.cjs')} --help\n`,
      '',
    ]);
  });

  it('a machine without a network gets one line', () => {
    const folder = aFolder("echo 'npm error code ENOTFOUND' >&2; echo 'npm error network ...' >&2; exit 1");
    const [status, , stderr] = runIn(folder, 'bin/start.cjs');
    expect([status, stderr]).toEqual([
      1,
      'The packages are not installed. Running npm ci, which takes about a minute\n' +
        'The packages are not installed, and npm reaches no registry (ENOTFOUND): connect this machine to the network, and try again\n',
    ]);
  });

  it('another failure of npm is printed', () => {
    const folder = aFolder("echo 'npm error code EUSAGE' >&2; exit 1");
    const [status, , stderr] = runIn(folder, 'bin/start.cjs');
    expect(status).toBe(1);
    expect(stderr).toContain('npm error code EUSAGE\nThe packages are not installed, and npm ci failed\n');
  });
});

it('a stop in the middle of a start ends it with exit code 0', async () => {
  const data = join(directory, 'data6');
  const started = start('--port', '0', '--data', data, '--credentials', join(directory, 'c6.json'));
  // Its signal handlers exist before it locks its data.
  while (!existsSync(data)) await new Promise((resolve) => setTimeout(resolve, 5));
  started.child.kill('SIGINT');
  expect(await started.exit).toBe(0);
});
