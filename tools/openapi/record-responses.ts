// Records a real response of each operation: the handlers of the service answer the examples of the
// document, over stores in memory.
import { createVault } from '../../packages/testing/src/index.ts';
import { allRoutes } from './all-routes.ts';
import { EXAMPLE_IDS, withExampleValues } from './example-values.ts';
import { OPERATIONS } from './operations.ts';

/**
 * Contains the bodies of successes by operation and status. An operation without a body has none.
 */
export type Recorded = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The recording begins at this time. */
const BEGIN = '2026-12-01T09:00:00Z';

/** The example of an authorization contains it. */
const EXAMPLE_NONCE = 'n0nce...';

type Body = Readonly<Record<string, unknown>>;
type Made = Record<
  'token' | 'application' | 'key' | 'reactor' | 'proxy' | 'proxyKey' | 'invocation' | 'nonce',
  string
>;

const textOf = (body: Body, member: string): string => String(body[member]);

/** Returns the first of an operation's requests. */
const exampleOf = (operation: string): unknown =>
  Object.values(OPERATIONS[operation]?.requests ?? {})[0]?.value;

/** Opens a vault. `call` sends the example of an operation and records the response. */
async function openVault() {
  const vault = await createVault({ now: BEGIN });
  const recorded: Record<string, Record<string, unknown>> = {};
  const made: Made = {
    token: '',
    application: '',
    key: '',
    reactor: '',
    proxy: '',
    proxyKey: '',
    invocation: '',
    nonce: '',
  };
  const routes = new Map(allRoutes().map((route) => [route.operation, route]));

  function pathOf(operation: string): string {
    const { path = '' } = routes.get(operation) ?? {};
    const resources = {
      tokens: made.token,
      applications: made.application,
      reactors: made.reactor,
      proxies: made.proxy,
    };
    const kind = path.split('/')[1] as keyof typeof resources;
    return path
      .replace('{id}', resources[kind])
      .replace('{key_id}', kind === 'proxies' ? made.proxyKey : made.key)
      .replace('{invocation_id}', made.invocation);
  }

  /** Sends a request with the real ids in the place of those of the examples. */
  async function call(
    operation: string,
    key: string,
    { query = '', body = exampleOf(operation) }: { readonly query?: string; readonly body?: unknown } = {},
  ): Promise<Body> {
    const { method = 'GET', mergePatch = false } = routes.get(operation) ?? {};
    const text = JSON.stringify(body ?? null)
      .replaceAll(EXAMPLE_IDS.token, made.token)
      .replaceAll(EXAMPLE_IDS.application, made.application)
      .replaceAll(EXAMPLE_NONCE, made.nonce);
    const response = await vault.fetch(pathOf(operation) + query, {
      method,
      headers: {
        'SVC-API-KEY': key,
        'Content-Type': mergePatch ? 'application/merge-patch+json' : 'application/json',
      },
      ...(body !== undefined && { body: text }),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${operation}: ${String(response.status)} ${answer}`);
    if (answer === '') return {};
    const parsed = JSON.parse(answer) as Body;
    recorded[operation] = { ...recorded[operation], [String(response.status)]: parsed };
    return parsed;
  }

  return { vault, made, call, recorded };
}

type Opened = Awaited<ReturnType<typeof openVault>>;

async function recordApplications({ vault, made, call }: Opened): Promise<void> {
  const management = vault.managementKey;
  const application = await call('createApplication', management);
  made.application = textOf(application, 'id');
  await call('listApplications', management, { query: '?name=Bill*' });
  await call('getApplicationByKey', management);
  await call('getApplication', management);
  await call('updateApplication', management);
  made.key = textOf(await call('createApplicationKey', management), 'id');
  await call('listApplicationKeys', management);
  await call('getApplicationKey', management);
  await call('updateApplicationKey', management);
  await call('listPermissions', management, { query: '?application_type=public' });
  await call('explainAccess', management);
  await call('getTenant', management);
  await call('updateTenant', management);
}

async function recordTokens({ vault, made, call }: Opened, key: string): Promise<void> {
  made.token = textOf(await call('createToken', key), 'id');
  await call('getToken', key);
  await call('listTokens', key);
  await call('searchTokens', key);
  await call('updateToken', key);
  await call('tokenize', key);
  await call('detokenize', key);
  await call('listLogs', vault.managementKey, { query: `?token_id=${made.token}&size=2` });
  const page = await vault.applications.create({
    name: 'Checkout page',
    type: 'public',
    permissions: ['token:create'],
  });
  made.nonce = textOf(await call('createSession', page.key), 'nonce');
  await call('authorizeSession', key);
}

async function recordReactors({ vault, made, call }: Opened, key: string): Promise<void> {
  const management = vault.managementKey;
  made.reactor = textOf(await call('createReactor', management), 'id');
  await call('listReactors', management);
  await call('getReactor', management);
  await call('updateReactor', management);
  await call('invokeReactor', key);
  const callback_url = 'https://shop.example.com/hooks/results';
  const later = await call('invokeReactor', key, {
    body: { ...(exampleOf('invokeReactor') as Body), callback_url },
  });
  made.invocation = textOf(later, 'id');
  await vault.settled();
  await call('getReactorResult', key);
  // No server receives the result, so all attempts fail.
  await vault.clock.advance('3h');
  await call('listReactorDeliveries', management);
}

async function recordProxies({ vault, made, call }: Opened): Promise<void> {
  const management = vault.managementKey;
  made.proxy = textOf(await call('createProxy', management), 'id');
  await call('listProxies', management);
  await call('getProxy', management);
  await call('updateProxy', management);
  await call('patchProxy', management);
  await call('listProxyVersions', management);
  await call('listProxyFailures', management);
  await call('revertProxy', management);
  made.proxyKey = textOf(await call('createProxyKey', management), 'id');
  await call('listProxyKeys', management);
  await call('getProxyKey', management);
  await call('updateProxyKey', management);
}

/** Records every operation whose success has a body. */
export async function recordResponses(): Promise<Recorded> {
  const opened = await openVault();
  const { vault, call } = opened;
  await recordApplications(opened);
  const shop = await vault.applications.create({
    name: 'Shop',
    type: 'private',
    permissions: ['token:create', 'token:read', 'token:update', 'token:delete', 'token:search', 'token:use'],
  });
  await recordTokens(opened, shop.key);
  await recordReactors(opened, shop.key);
  await recordProxies(opened);
  await call('regenerateApplicationKey', vault.managementKey);
  vault.reset();
  const known = new Map(
    (['token', 'application', 'key', 'reactor', 'proxy', 'invocation'] as const).map(
      (name) => [opened.made[name], EXAMPLE_IDS[name]] as const,
    ),
  ).set(opened.made.proxyKey, EXAMPLE_IDS.key);
  return withExampleValues(opened.recorded, known) as Recorded;
}
