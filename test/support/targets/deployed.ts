import { setTimeout as sleep } from 'node:timers/promises';
import { fetchBy, httpClient, type Body } from '../http-client.ts';
import { ALL_TOKEN_PERMISSIONS, revealing } from '../sample-requests.ts';
import type { Target } from './target.ts';

/** How often a call is repeated that the deployment's own limit has refused. */
const TRIES = 8;
const PAUSE_MS = 500;

/** What the suites have made, by the path under which each can be deleted. */
type Made = Set<string>;

const DELETABLE = /^\/(applications|reactors|proxies)$/;
const TOKENS = /^\/(tokens|tokenize)$/;

/** Finds every token in a response of any shape. */
function tokensIn(value: Body): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, tenant_id: tenant, created_at: at } = value as Record<string, unknown>;
  const own = typeof id === 'string' && typeof tenant === 'string' && typeof at === 'string' ? [id] : [];
  return [...own, ...Object.values(value).flatMap(tokensIn)];
}

/** Notes what a response says was made, or is gone. */
async function note(made: Made, method: string, path: string, response: Response): Promise<void> {
  if (!response.ok) return;
  if (method === 'DELETE') made.delete(path);
  if (method !== 'POST' || !response.headers.get('content-type')?.includes('json')) return;
  const body: Body = await response.clone().json();
  if (DELETABLE.test(path)) made.add(`${path}/${String(body.id)}`);
  if (TOKENS.test(path)) for (const id of tokensIn(body)) made.add(`/tokens/${encodeURIComponent(id)}`);
  // A token of a chosen id is also made by a result of a reactor, which names it as any other.
  if (path.endsWith('/react')) for (const id of tokensIn(body)) made.add(`/tokens/${encodeURIComponent(id)}`);
}

async function withinLimits(send: () => Promise<Response>): Promise<Response> {
  for (let tried = 1; ; tried += 1) {
    const response = await send();
    const isThrottled = response.status === 429 && !response.headers.get('content-type')?.includes('problem');
    if (!isThrottled || tried === TRIES) return response;
    await sleep(PAUSE_MS * tried);
  }
}

/** Deletes what the suites made. Rejects with the paths that are still there. */
async function clean(baseUrl: string, managementKey: string, made: Made): Promise<void> {
  const management = httpClient(baseUrl, managementKey);
  const cleaner = await management.post('/applications', {
    name: 'Contract: cleans up',
    type: 'private',
    rules: [revealing('/', ALL_TOKEN_PERMISSIONS)],
  });
  const tokens = httpClient(baseUrl, cleaner.body.key as string);
  const left: string[] = [];
  // Tokens first, since the applications that may delete them are made too.
  for (const path of [...made].toSorted((a, b) => b.localeCompare(a))) {
    const { status } = await (path.startsWith('/tokens/') ? tokens : management).delete(path);
    if (status !== 204 && status !== 404) left.push(`${path} (${String(status)})`);
  }
  await management.delete(`/applications/${String(cleaner.body.id)}`);
  if (left.length > 0) throw new Error(`not deleted: ${left.join(', ')}`);
}

/**
 * A deployment that runs already (`npm run contract`). What the suites make in it is deleted at
 * their end; its clock, its tenants and its internet are not theirs.
 */
export async function deployedTarget(): Promise<Target> {
  const { CLOAKROOM_CONTRACT_URL: url = '', CLOAKROOM_CONTRACT_KEY: key = '' } = process.env;
  const made: Made = new Set();
  const forget = fetchBy(url, async (address, init) => {
    const response = await withinLimits(() => fetch(address, init));
    const { pathname } = new URL(address);
    await note(made, init.method ?? 'GET', pathname.slice(new URL(url).pathname.length - 1), response);
    return response;
  });
  const tenant = (await httpClient(url, key).get('/tenants/self')).body;
  return {
    name: 'deployed',
    credentials: { base_url: url, tenant_id: tenant.id as string, management_key: key },
    now: Date.now,
    pass: (ms) => sleep(ms),
    close: async () => {
      forget();
      await clean(url, key, made);
    },
  };
}
