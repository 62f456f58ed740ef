import { setTimeout as sleep } from 'node:timers/promises';
import { runContract } from '../../tools/contract/run.ts';
import { ALL_TOKEN_PERMISSIONS, CARD, client, credentials, operator, revealing } from '../support/service.ts';
import { IS_THOROUGH } from '../../packages/test-kit/src/thoroughness.ts';
import { inThoroughRun } from '../../packages/test-kit/src/which-runs.ts';

const QUICK = IS_THOROUGH ? [] : ['--only', 'deduplication'];

/** A tenant of its own with one of everything, and what its callers see of it. */
async function aTenant() {
  const { management_key: managementKey = '' } = await operator({
    command: 'create-tenant',
    name: 'Contract',
  });
  const management = client(managementKey);
  const rules = [revealing('/', ALL_TOKEN_PERMISSIONS)];
  const { body: app } = await management.post('/applications', { name: 'x', type: 'private', rules });
  const own = client(app.key as string);
  await own.post('/tokens', { type: 'card', data: CARD, metadata: { a: 'b' } });
  await own.post('/tokens', { type: 'token', data: 'x', id: 'chosen' });
  await management.post('/reactors', { name: 'x', code: 'module.exports = () => ({});', configuration: {} });
  await management.post('/proxies', { name: 'x', destination_url: 'https://api.example.com' });
  const inventory = async () =>
    Promise.all([
      own.get('/tokens?size=100'),
      ...['/applications', '/reactors', '/proxies'].map((path) => management.get(`${path}?size=100`)),
      management.get('/tenants/self'),
    ]).then((responses) => responses.map(({ status, body }) => [status, body.data ?? body]));
  return { managementKey, inventory };
}

async function contract(args: readonly string[], managementKey: string, signal: AbortSignal) {
  let printed = '';
  let progress = '';
  const code = await runContract(['--url', credentials.base_url, ...args], {
    env: { CLOAKROOM_MANAGEMENT_KEY: managementKey },
    print: (text) => (printed += text),
    printError: (text) => (progress += text),
    signal,
  });
  expect(printed + progress).not.toContain(managementKey);
  return { code, printed, progress };
}

describe('npm run contract', () => {
  it('passes against the service, and leaves exactly what existed before', async () => {
    const { managementKey, inventory } = await aTenant();
    const before = await inventory();
    const { signal } = new AbortController();
    const { code, printed, progress } = await contract(QUICK, managementKey, signal);
    expect({ code, printed, progress }).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/^deleted \d+ tokens.*\n\d+ passed, 0 failed\n$/m),
    });
    if (IS_THOROUGH) expect(printed).toContain('they need a destination');
    expect(await inventory()).toEqual(before);
  });

  inThoroughRun.it('leaves what existed before if it is interrupted', async () => {
    const { managementKey, inventory } = await aTenant();
    const before = await inventory();
    const interrupted = new AbortController();
    const management = client(managementKey);
    const creations = async () =>
      (await management.get('/logs?operation=createToken&size=20')).body.data.length as number;
    const own = await creations();
    const ended = contract(['--only', 'tokens'], managementKey, interrupted.signal);
    while ((await creations()) < own + 5) await sleep(100);
    interrupted.abort();
    expect(await ended).toMatchObject({ code: 1, printed: expect.stringContaining('1 failed') });
    expect(await inventory()).toEqual(before);
  });

  it('does nothing with a key that it cannot use', async () => {
    const { managementKey } = await aTenant();
    const { signal } = new AbortController();
    const { body: weak } = await client(managementKey).post('/applications', {
      name: 'x',
      type: 'management',
      permissions: ['application:read', 'application:create'],
    });
    for (const [key, reason] of [
      [weak.key, 'the key lacks application:update'],
      [`${managementKey}x`, 'rejects the key'],
    ])
      expect(await contract([], key, signal)).toMatchObject({
        code: 2,
        progress: expect.stringContaining(reason),
      });
  });
});
