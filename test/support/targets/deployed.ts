import { setTimeout as sleep } from 'node:timers/promises';
import { isThrottled, pauseAfter } from '../../../tools/contract/deployment.ts';
import { fetchBy, httpClient } from '../http-client.ts';
import type { Target } from './target.ts';

/** How often a request is sent that the rate of the deployment refuses. */
const TRIES = 10;

async function withinRate(send: () => Promise<Response>): Promise<Response> {
  for (let tried = 1; ; tried += 1) {
    const response = await send();
    if (response.status !== 429 || tried === TRIES) return response;
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => undefined);
    if (!isThrottled(response.status, body)) return response;
    await pauseAfter(tried);
  }
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** The paths by which a request changes or deletes something that exists. */
const CHANGES = /^\/(?:tokens|applications|reactors|proxies)\/[^/]+/;
/** These only use what they name. */
const USES = /^\/(?:tokens\/search|reactors\/[^/]+\/react)$/;

/**
 * Rejects a request that would change what the suite did not make, such as a token of the tenant
 * that has the data of a test.
 */
async function refuseForeign(
  url: string,
  { key, reader }: { readonly key: string; readonly reader: string },
  path: string,
  makers: ReadonlySet<string>,
): Promise<void> {
  const [resource = ''] = USES.test(path) ? [] : (CHANGES.exec(path) ?? []);
  if (resource === '') return;
  const { status, body } = await httpClient(url, resource.startsWith('/tokens/') ? reader : key).get(
    resource,
  );
  if (status === 200 && !makers.has(body.created_by as string))
    throw new Error(`${resource} is not of this suite, which must not change it`);
}

/**
 * A deployment that runs already. `npm run contract` deletes what the suites make in it; its clock,
 * its tenants and its internet are not theirs.
 */
export async function deployedTarget(): Promise<Target> {
  const { CLOAKROOM_CONTRACT_URL: url = '', CLOAKROOM_CONTRACT_KEY: key = '' } = process.env;
  const management = httpClient(url, key);
  const send = (address: string, init: RequestInit) => withinRate(() => fetch(address, init));
  let forget = fetchBy(url, send);
  const { body: self } = await management.get('/applications/key');
  const rules = [{ priority: 1, container: '/', transform: 'redact', permissions: ['token:read'] }];
  const { body: reader } = await management.post('/applications', { name: 'reads', type: 'private', rules });
  const makers = new Set<string>([self.id as string]);
  const keys = { key, reader: reader.key as string };
  forget();
  forget = fetchBy(url, async (address, init) => {
    const method = init.method ?? 'GET';
    const { pathname } = new URL(address);
    if (READS.has(method)) return send(address, init);
    await refuseForeign(url, keys, pathname, makers);
    const response = await send(address, init);
    if (method === 'POST' && pathname === '/applications' && response.ok)
      makers.add(((await response.clone().json()) as { readonly id: string }).id);
    return response;
  });
  return {
    name: 'deployed',
    credentials: { base_url: url, tenant_id: self.tenant_id as string, management_key: key },
    now: Date.now,
    shortLifetimeMs: 15_000,
    pass: (ms) => sleep(ms),
    close: () => {
      forget();
      return Promise.resolve();
    },
  };
}
