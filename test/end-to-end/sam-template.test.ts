import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { environment as applicationsEnvironment } from '../../functions/applications/config.ts';
import { routes as applicationsRoutes } from '../../functions/applications/routes.ts';
import { environment as sealerEnvironment } from '../../functions/audit-sealer/config.ts';
import { environment as logsEnvironment } from '../../functions/logs/config.ts';
import { routes as logsRoutes } from '../../functions/logs/routes.ts';
import { environment as operatorEnvironment } from '../../functions/operator/config.ts';
import { environment as accessEnvironment } from '../../functions/operator-access/config.ts';
import { environment as republisherEnvironment } from '../../functions/republisher/config.ts';
import { environment as proxiesEnvironment } from '../../functions/proxies/config.ts';
import { routes as proxiesRoutes } from '../../functions/proxies/routes.ts';
import { environment as proxyEnvironment } from '../../functions/proxy/config.ts';
import { routes as proxyRoutes } from '../../functions/proxy/routes.ts';
import { environment as workerEnvironment } from '../../functions/reactor-worker/config.ts';
import { environment as reactorsEnvironment } from '../../functions/reactors/config.ts';
import { routes as reactorsRoutes } from '../../functions/reactors/routes.ts';
import { environment as sweeperEnvironment } from '../../functions/sweeper/config.ts';
import { environment as tokensEnvironment } from '../../functions/tokens/config.ts';
import { routes as tokensRoutes } from '../../functions/tokens/routes.ts';
import { environment as senderEnvironment } from '../../functions/webhook-sender/config.ts';
import type { Body } from '../support/service.ts';

const CONFIGURATIONS = {
  Applications: applicationsEnvironment,
  AuditSealer: sealerEnvironment,
  Logs: logsEnvironment,
  Operator: operatorEnvironment,
  OperatorAccess: accessEnvironment,
  Proxies: proxiesEnvironment,
  Proxy: proxyEnvironment,
  ReactorWorker: workerEnvironment,
  Reactors: reactorsEnvironment,
  Republisher: republisherEnvironment,
  Sweeper: sweeperEnvironment,
  Tokens: tokensEnvironment,
  WebhookSender: senderEnvironment,
};
const IDS = Object.keys(CONFIGURATIONS);

const ROUTES = {
  Applications: applicationsRoutes,
  Logs: logsRoutes,
  Proxies: proxiesRoutes,
  Proxy: proxyRoutes,
  Reactors: reactorsRoutes,
  Tokens: tokensRoutes,
};

/** The variables that separate a function from the AWS account of the developer. */
const AWS_VARIABLES = [
  'AWS_ENDPOINT_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
];

type Variables = Readonly<Record<string, string>>;

const output = mkdtempSync(join(tmpdir(), 'cloakroom-sam-'));
let tool: ChildProcess;
let printed = '';

const read = (name: string): Body => JSON.parse(readFileSync(join(output, name), 'utf8'));
const resources = (): Body => read('sam.template.json').Resources;
const properties = (id: string): Body => resources()[id].Properties;
const event = (name: string): Body => read(join('sam-events', `${name}.json`));

/**
 * As SAM 1.164 (samcli/local/lambdafn/env_vars.py): the file overrides the shell, and the shell the
 * template.
 */
function variablesBySam(id: string, shell: Variables): Variables {
  const overrides = read('sam.env.json')[id] as Variables;
  const declared = Object.entries(properties(id).Environment.Variables as Variables);
  const fromShell = Object.entries(shell).filter(([name]) => AWS_VARIABLES.includes(name));
  return {
    ...Object.fromEntries(fromShell),
    ...Object.fromEntries(
      declared.map(([name, value]) => [name, overrides[name] ?? shell[name] ?? value] as const),
    ),
  };
}

const PROGRAM = `
  const [, code, event] = process.argv;
  require(code).handler(JSON.parse(event)).then((answer) => process.stdout.write('\\n' + JSON.stringify(answer)));
`;

/** Runs a function in a process that has only its variables and PATH. */
async function invoke(id: string, sent: object): Promise<Body> {
  const { Code, Handler } = properties(id);
  const [module = ''] = Handler.split('.');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['-e', PROGRAM, join(Code, `${module}.cjs`), JSON.stringify(sent)],
    { cwd: Code, env: { PATH: process.env['PATH'], ...variablesBySam(id, {}) } },
  );
  const reply = JSON.parse(stdout.slice(stdout.lastIndexOf('\n')));
  return { status: reply.statusCode, body: JSON.parse(reply.body) };
}

beforeAll(async () => {
  const credentials = process.env['CLOAKROOM_CREDENTIALS'] ?? '';
  const options = ['--credentials', credentials, '--output', output, '--host', '127.0.0.1'];
  tool = spawn(process.execPath, ['tools/sam-template.ts', ...options]);
  await new Promise<void>((resolve, reject) => {
    for (const stream of [tool.stdout, tool.stderr])
      stream?.on('data', (chunk: Buffer) => {
        printed += chunk.toString('utf8');
        if (printed.includes('Ready')) resolve();
      });
    tool.once('exit', () => reject(new Error(printed)));
  });
});

afterAll(async () => {
  const ended = new Promise((resolve) => tool.once('exit', resolve));
  tool.kill();
  await ended;
});

describe('the template for sam local', () => {
  it('contains no reference for SAM to resolve', () => {
    expect(readFileSync(join(output, 'sam.template.json'), 'utf8')).not.toMatch(/"(Ref|Fn::\w+)":/);
  });

  it('contains every function of the service under a plain name', () => {
    const found = Object.entries<Body>(resources()).filter(
      ([, { Type }]) => Type === 'AWS::Lambda::Function',
    );
    expect(found.map(([id]) => id).sort()).toEqual(IDS);
  });

  it.each(IDS)('declares every variable of the configuration, as text that its schema accepts: %s', (id) => {
    const variables = properties(id).Environment.Variables;
    const schema = CONFIGURATIONS[id as keyof typeof CONFIGURATIONS];
    expect(Object.keys(variables)).toEqual(expect.arrayContaining(Object.keys(schema.shape)));
    expect(schema.safeParse(variables).success).toBe(true);
    expect(Object.values(variables).every((value) => typeof value === 'string')).toBe(true);
  });

  it.each(IDS)('passes no credentials and no endpoint of the shell into the container: %s', (id) => {
    const shell = Object.fromEntries(AWS_VARIABLES.map((name) => [name, 'of the developer']));
    const variables = variablesBySam(id, shell);
    expect(Object.keys(variables)).toEqual(expect.arrayContaining(AWS_VARIABLES));
    expect(JSON.stringify(variables)).not.toContain('of the developer');
    expect(variables['AWS_ENDPOINT_URL']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it.each(IDS)('names code that exists, built for this machine: %s', (id) => {
    const { Code, Handler, Runtime, Architectures } = properties(id);
    expect(existsSync(join(Code, `${Handler.split('.')[0]}.cjs`))).toBe(true);
    expect(Runtime).toBe('nodejs24.x');
    expect(Architectures).toEqual([process.arch === 'arm64' ? 'arm64' : 'x86_64']);
  });

  it.each(Object.entries(ROUTES))('routes the paths of a function to it: %s', (id, routes) => {
    const found = Object.values<Body>(resources()).filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route');
    const functionOf = new Map(
      found.map(({ Properties: { RouteKey, Target } }): [string, string] => {
        const { IntegrationUri } = properties(Target.slice('integrations/'.length));
        return [RouteKey, String(IntegrationUri).split(':').at(-1) ?? ''];
      }),
    );
    expect(routes.length).toBeGreaterThan(0);
    for (const { path } of routes) {
      const root = `ANY /${path.split('/')[1] ?? ''}`;
      expect([functionOf.get(root), functionOf.get(`${root}/{proxy+}`)]).toEqual([id, id]);
    }
  });

  it('prints commands whose files exist, readable by their owner alone', () => {
    const files = [...printed.matchAll(/(?:-t|--env-vars|-e) (\S+)/g)].map(([, file = '']) => file);
    expect(new Set(files.map((file) => basename(file)))).toEqual(
      new Set(['sam.template.json', 'sam.env.json', 'get-token.json']),
    );
    for (const file of files) expect(statSync(file).mode & 0o077).toBe(0);
  });
});

describe('a function of the template', () => {
  it('reads a token', async () => {
    const { status, body } = await invoke('Tokens', event('get-token'));
    expect([status, body.data.number]).toEqual([200, 'XXXXXXXXXXXX4242']);
  });

  it('returns 404 for a token that does not exist', async () => {
    const missing = { ...event('get-token'), rawPath: '/tokens/00000000-0000-4000-8000-000000000000' };
    expect(await invoke('Tokens', missing)).toMatchObject({ status: 404 });
  });

  it.each([
    ['Applications', 'list-applications'],
    ['Reactors', 'list-reactors'],
    ['Logs', 'list-logs'],
  ])('handles its event file: %s', async (id, name) => {
    expect(await invoke(id, event(name))).toMatchObject({ status: 200 });
  });

  it('has an event file in which nothing is left to fill in', () => {
    const written = globSync(join(output, 'sam-events', '*.json'));
    expect(written.map((file) => basename(file)).sort()).toEqual(
      globSync('examples/sam/*.json')
        .map((file) => basename(file))
        .sort(),
    );
    for (const file of written) expect(readFileSync(file, 'utf8')).not.toMatch(/<[A-Z_]+>/);
  });
});

describe('the address that containers call', () => {
  const variables = (): Body => properties('Tokens').Environment.Variables;

  /** Resolves to the status code. Unlike `fetch`, sends the path unchanged. */
  const call = (path: string, headers: Variables) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(variables().AWS_ENDPOINT_URL);
      get({ hostname, port, path, headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });

  it('rejects a caller without the session token of a function', async () => {
    expect(await call('/_local/calls', {})).toBe(403);
    expect(await call('/', { 'x-amz-security-token': 'another' })).toBe(403);
  });

  it.each(['/_local/functions', '/x/../_local/functions', 'http://127.0.0.1/_local/functions'])(
    'rejects a function that controls the local account: %s',
    async (path) => {
      expect(await call(path, { 'x-amz-security-token': variables().AWS_SESSION_TOKEN })).toBe(403);
    },
  );
});
