import { clean, type SuiteRun } from '../../../tools/contract/clean.ts';
import { createApplication } from '../../../tools/contract/create-application.ts';
import { callDeployment, type CallDeployment } from '../../../tools/contract/deployment.ts';
import { createVault } from '../../../packages/testing/src/create-vault.ts';
import type { Vault } from '../../../packages/testing/src/vault.ts';
import { ALL_TOKEN_PERMISSIONS, CARD, revealing } from '../../support/sample-requests.ts';

const MANAGING = ['application', 'reactor', 'proxy'].flatMap((kind) => [`${kind}:create`, `${kind}:read`]);
const CREATING_CODE = `module.exports = async ({ bt }) => {
  await bt.tokens.create({ type: 'token', data: 'made by code' });
  return { tokenize: { a: 'made of a result' } };
};`;

let vault: Vault;
let management: CallDeployment;
const as = (key: string) => callDeployment(vault.baseUrl, key, { send: vault.fetch });

beforeEach(async () => {
  vault = await createVault();
  management = as(vault.managementKey);
});

async function created(call: CallDeployment, path: string, body: object): Promise<any> {
  const response = await call('POST', path, body);
  expect([path, response.status]).toEqual([path, 201]);
  return response.body;
}

const anApplication = (call: CallDeployment, more: object = { permissions: ALL_TOKEN_PERMISSIONS }) =>
  created(call, '/applications', { name: 'x', type: 'private', ...more });
const aReactor = (call: CallDeployment, more: object = {}) =>
  created(call, '/reactors', { name: 'x', code: CREATING_CODE, configuration: {}, ...more });
const aProxy = (call: CallDeployment) =>
  created(call, '/proxies', { name: 'x', destination_url: 'https://api.example.com' });

/** Everything that the tenant has, as far as its own callers can see it. */
async function inventory(key: string): Promise<object> {
  const list = async (call: CallDeployment, path: string) => {
    const { status, body } = await call('GET', `${path}?size=100`);
    expect(status).toBe(200);
    return (body as { readonly data: readonly unknown[] }).data;
  };
  const tokens = await list(as(key), '/tokens');
  const applications = await list(management, '/applications');
  const reactors = await list(management, '/reactors');
  const proxies = await list(management, '/proxies');
  return { tokens, applications, reactors, proxies, tenant: (await management('GET', '/tenants/self')).body };
}

async function aRun(permissions = [...MANAGING, 'tenant:update']): Promise<SuiteRun> {
  const application = await createApplication(management, { type: 'management', permissions });
  const { url, managementKey } = { url: vault.baseUrl, managementKey: vault.managementKey };
  const tenant = (await management('GET', '/tenants/self')).body as SuiteRun['tenant'];
  const pause = () => Promise.resolve();
  return { url, managementKey, application, tenant, wasInterrupted: false, send: vault.fetch, pause };
}

/** Makes one of everything, in each way, and leaves it. */
async function litter({ application }: SuiteRun): Promise<void> {
  const suite = as(application.key);
  const app = await anApplication(suite);
  const own = as(app.key);
  await created(own, '/tokens', { type: 'card', data: CARD, containers: ['/any/'] });
  await created(own, '/tokens', { type: 'token', data: 1, id: 'of the suite: chosen' });
  const manager = await anApplication(suite, { type: 'management', permissions: MANAGING });
  await aProxy(as(manager.key));
  const reactor = await aReactor(suite, { application: { id: app.id } });
  expect((await own('POST', `/reactors/${reactor.id as string}/react`, {})).status).toBe(200);
  const shop = await anApplication(as(manager.key), { type: 'public', permissions: ['token:create'] });
  const session = await created(as(shop.key), '/sessions', {});
  await own('POST', '/sessions/authorize', { nonce: session.nonce, permissions: ['token:create'] });
  await created(as(session.session_key), '/tokens', { type: 'token', data: 'of a session' });
  const renamed = { name: 'Renamed', settings: { ephemeral_proxy: false } };
  expect((await suite('PUT', '/tenants/self', renamed)).status).toBe(200);
}

describe('the end of npm run contract', () => {
  it('leaves exactly what existed before, whatever the suites have named', async () => {
    const { key } = await anApplication(management, { rules: [revealing()] });
    const owner = as(key);
    const chosen = await created(owner, '/tokens', { type: 'token', data: 'equal', id: 'chosen' });
    await created(owner, '/tokens', { type: 'card', data: CARD, containers: ['/far/away/'] });
    await aReactor(management);
    await aProxy(management);
    const before = await inventory(key);
    const run = await aRun();
    await litter(run);
    const own = as((await anApplication(as(run.application.key))).key);
    // The trail has both as creations, although neither made a token.
    expect((await own('POST', '/tokens', { type: 'token', data: 1, id: 'chosen' })).status).toBe(409);
    const equal = { type: 'token', data: 'equal', deduplicate_token: true };
    expect(await created(own, '/tokens', equal)).toMatchObject({ id: chosen.id });
    expect(await inventory(key)).not.toEqual(before);
    // That is 5 tokens, 4 applications, a reactor and a proxy.
    expect(await clean(run)).toEqual({ deleted: 11, left: [] });
    expect(await inventory(key)).toEqual(before);
  });

  it('names what it could not delete', async () => {
    const run = await aRun();
    await litter(run);
    vault.fail({ operation: 'deleteProxy', times: 20, status: 409 });
    const { left } = await clean(run);
    expect(left).toEqual([expect.stringMatching(/^\/proxies\/[\da-f-]{36}: DELETE returned 409$/)]);
  });

  it('does not touch settings that someone else changes meanwhile', async () => {
    const run = await aRun();
    const changed = { name: 'By an operator', settings: { deduplicate_tokens: true } };
    await management('PUT', '/tenants/self', changed);
    expect(await clean(run)).toEqual({ deleted: 0, left: [] });
    expect((await management('GET', '/tenants/self')).body).toMatchObject(changed);
  });

  it('deletes what a request in flight makes after the first look at the trail', async () => {
    const { key } = await anApplication(management, { rules: [revealing()] });
    const before = await inventory(key);
    const run = await aRun();
    const own = as((await anApplication(as(run.application.key))).key);
    let looks = 0;
    const send: SuiteRun['send'] = async (url, init) => {
      const response = await vault.fetch(url, init);
      if (url.includes('/logs')) looks += 1;
      if (url.includes('/logs') && looks === 1)
        await created(own, '/tokens', { type: 'token', data: 'late' });
      return response;
    };
    expect(await clean({ ...run, send })).toEqual({ deleted: 2, left: [] });
    expect(await inventory(key)).toEqual(before);
  });
});
