import { deletionFailed, mayBeDeleted, PLAINTEXT, presence, type Client, type KnownToken } from './client.ts';
import { knownValue, SETTLED_AFTER_MS } from './known-values.ts';
import type { Answer, ServiceRequest } from './service.ts';

type Step = (client: Client) => Promise<void>;
type Body = Answer['body'];

/** How long a token that is made to expire lives, in ms. */
const [SHORTEST_LIFE_MS, LONGEST_LIFE_MS] = [5_000, 90_000];

function bodyOf(client: Client, token: KnownToken): Record<string, unknown> {
  return {
    type: 'token',
    data: `${token.mark}#0`,
    ...(token.isIndexed && {
      metadata: { mark: token.mark, owner: client.name },
      search_indexes: ['{{ data }}'],
    }),
    ...(token.expiresAt !== Infinity && { expires_at: new Date(token.expiresAt).toISOString() }),
  };
}

/** A token that is not created yet: indexed or not, and one in four expires soon. */
function aNewToken(client: Client): KnownToken {
  const { draws, world } = client;
  const isIndexed = draws.chance(0.5);
  const lifeMs = draws.chance(0.25) ? draws.between(SHORTEST_LIFE_MS, LONGEST_LIFE_MS) : Infinity;
  return client.begin({ isIndexed, expiresAt: Math.floor(world.now() + lifeMs) });
}

/** An answer shows the data of a token. */
function sees(client: Client, label: string, token: KnownToken, data: unknown): void {
  if (typeof data !== 'string' || !token.data.sees(data)) {
    const possible = token.data.possible().join(' or ');
    client.problem('model', `${label} of ${token.mark} gave ${JSON.stringify(data)}, not ${possible}`);
  }
  if (token.exists === 'maybe' && client.world.now() >= token.settledAt) token.exists = 'yes';
}

function isCreated(client: Client, label: string, token: KnownToken, body: Body): void {
  if (token.id !== undefined && token.id !== body.id)
    client.problem('once', `${label}: ${token.mark} was ${token.id} and is now ${String(body.id)}`);
  token.id = body.id as string;
  token.exists = 'yes';
  sees(client, label, token, body.data);
}

const post = (client: Client, path: string, body: unknown, key?: string): ServiceRequest => ({
  method: 'POST',
  path,
  key: client.target.privateKey,
  body,
  ...(key !== undefined && { headers: { 'svc-idempotency-key': key } }),
});

const create: Step = async (client) => {
  const token = aNewToken(client);
  const answer = await client.send('create', [201], post(client, '/tokens', bodyOf(client, token)));
  if (answer) isCreated(client, 'create', token, answer.body);
};

/**
 * Repeats a request under one key, at times while it still runs: all answers are of one token.
 */
const createWithKey: Step = async (client) => {
  const { draws, world } = client;
  const token = aNewToken(client);
  const request = post(client, '/tokens', bodyOf(client, token), draws.uuid());
  const attempt = async () => {
    const answer = await client.send('create under a key', [201, 400, 404], request);
    // Its time may be over before an attempt succeeds.
    if (answer?.status === 400 && presence(client, { ...token, exists: 'yes' }) === 'yes')
      client.problem('answers', `create under a key: ${token.mark} gave ${JSON.stringify(answer.body)}`);
    // A replay does not show what has expired since.
    if (answer?.status === 404) isGone(client, 'create under a key', token);
    if (answer?.status === 201) isCreated(client, 'create under a key', token, answer.body);
    return answer !== undefined;
  };
  let successes = 0;
  for (let tries = 0; tries < 8 && successes < 2; tries += 1) {
    const done = await Promise.all(draws.chance(0.3) ? [attempt(), attempt()] : [attempt()]);
    successes += done.filter(Boolean).length;
    // The claim of an attempt that died ends after half a minute.
    if (!done.includes(true)) await world.pause(draws.pick([10, 500, 5_000, 33_000]));
  }
};

/** A failure is not stored: the same request under the same key fails in the same way. */
const failUnderKey: Step = async (client) => {
  const { draws } = client;
  const body = { type: 'token', data: `${PLAINTEXT}never`, mask: '{{ data | no_such_filter }}' };
  const request = post(client, '/tokens', body, draws.uuid());
  const statuses: (number | undefined)[] = [];
  for (let tries = 0; tries < 3; tries += 1) {
    const answer = await client.send('fail under a key', [400, 409], request);
    statuses.push(answer?.status);
  }
  // A release that fails leaves the claim until its lease ends.
  if (!client.areCallsFaulty && statuses.includes(409))
    client.problem('keys', `a failure is stored: ${statuses.join()}`);
};

/**
 * A request whose function died is not repeated before its lease ends, which Retry-After shows.
 */
const waitForLease: Step = async (client) => {
  const { draws, world, skewMs } = client;
  const token = client.begin();
  const request = post(client, '/tokens', bodyOf(client, token), draws.uuid());
  const attempt = async (isFatal = false) => {
    const answer = await client.send('wait for a lease', [201, 409], { ...request, isFatal });
    if (answer?.status === 201) isCreated(client, 'wait for a lease', token, answer.body);
    return answer;
  };
  const first = await attempt(draws.chance(0.8));
  if (first !== undefined) return;
  // What the first attempt has sent arrives, a release of the claim included.
  await world.pause(SETTLED_AFTER_MS);
  // The rest of the lease is that of a moment after this one: an answer may be late.
  const since = world.now();
  const second = await attempt();
  if (second?.status !== 409) return;
  const leftMs = Number(second.headers['retry-after']) * 1_000;
  const early = draws.between(0, 1_500);
  await world.pause(since + leftMs - 1_000 - early - world.now());
  const third = await attempt();
  const waitedMs = world.now() - since;
  // Its seconds are rounded up, and the answers of two instances are by two clocks.
  if (third?.status === 201 && waitedMs < leftMs - 1_000 - 2 * skewMs)
    client.problem('lease', `taken ${String(Math.round(leftMs - waitedMs))} ms before its end`);
};

const changeOf = (client: Client, token: KnownToken & { readonly id: string }) => {
  token.revision += 1;
  const data = `${token.mark}#${String(token.revision)}`;
  const request = {
    ...post(client, `/tokens/${token.id}`, { data }),
    method: 'PATCH',
  };
  return { request, change: token.data.request(data) };
};

/** 404 of a token that must be there, by what is known when the answer arrives. */
function isGone(client: Client, label: string, token: KnownToken): void {
  if (presence(client, token) === 'yes')
    client.problem('lost', `${label}: ${token.mark} (${String(token.id)}) is not found, and is there`);
  token.exists = 'no';
}

const update: Step = async (client) => {
  const token = client.aToken();
  if (!token) return;
  const { request, change } = changeOf(client, token);
  const answer = await client.send('update', [200, 404], request);
  if (answer?.status === 200) {
    change.done();
    sees(client, 'update', token, answer.body.data);
    return;
  }
  change.failed();
  if (answer) isGone(client, 'update', token);
};

/** A repeated update under a key has the answer of the first one. */
const updateWithKey: Step = async (client) => {
  const { draws, world } = client;
  const token = client.aToken();
  if (!token || presence(client, token) !== 'yes') return;
  const { request, change } = changeOf(client, token);
  const headers = { 'svc-idempotency-key': draws.uuid() };
  for (let tries = 0; tries < 5; tries += 1) {
    const answer = await client.send('update under a key', [200, 404], { ...request, headers });
    if (answer?.status === 404) {
      change.failed();
      isGone(client, 'update under a key', token);
      return;
    }
    if (answer) {
      change.done();
      sees(client, 'update under a key', token, answer.body.data);
      return;
    }
    await world.pause(draws.pick([10, 1_000, 33_000]));
  }
  change.failed();
};

const remove: Step = async (client) => {
  const token = client.aToken();
  if (!token) return;
  const before = presence(client, token);
  mayBeDeleted(token);
  const request = { method: 'DELETE', path: `/tokens/${token.id}`, key: client.target.privateKey };
  const answer = await client.send('delete', [204, 404], request);
  const wasLost =
    answer?.status === 404 && before === 'yes' && client.world.now() < token.expiresAt - client.skewMs;
  if (wasLost) client.problem('lost', `delete: ${token.mark} is not found, and was there`);
  if (answer) token.exists = 'no';
  else deletionFailed(client, token);
};

const get: Step = async (client) => {
  const token = client.aToken();
  if (token) await getOne(client, token);
};

async function getOne(client: Client, token: KnownToken): Promise<void> {
  const before = presence(client, token);
  const request = { method: 'GET', path: `/tokens/${String(token.id)}`, key: client.target.privateKey };
  const answer = await client.send('get', [200, 404], request);
  if (answer?.status === 404) isGone(client, 'get', token);
  if (answer?.status !== 200) return;
  if (before === 'no') client.problem('gone', `get shows ${token.mark}, which is deleted or has expired`);
  if (answer.body.id !== token.id)
    client.problem('model', `get of ${String(token.id)} gave ${String(answer.body.id)}`);
  sees(client, 'get', token, answer.body.data);
}

/** A token that was deleted, or whose time is over, is gone for ever. */
const getGone: Step = async (client) => {
  const gone = client.tokens.filter((token) => token.id !== undefined && presence(client, token) === 'no');
  if (gone.length > 0) await getOne(client, client.draws.pick(gone));
};

/** Waits until a token has expired, and a moment more. */
const getExpired: Step = async (client) => {
  const { world, skewMs } = client;
  const mortal = client.tokens.filter(
    ({ id, exists, expiresAt }) => id !== undefined && exists === 'yes' && expiresAt !== Infinity,
  );
  const [token] = mortal;
  if (token === undefined) return;
  await world.pause(Math.max(0, token.expiresAt + skewMs + 1 - world.now()));
  await getOne(client, token);
  const request = post(client, '/detokenize', { value: `{{ ${String(token.id)} }}` });
  const answer = await client.send('detokenize expired', [400], request);
  if (answer && JSON.stringify(answer.body).includes(PLAINTEXT))
    client.problem('gone', `detokenize shows ${token.mark}, which has expired`);
};

const getAsStranger: Step = async (client) => {
  const token = client.aToken();
  if (!token) return;
  const request = { method: 'GET', path: `/tokens/${token.id}`, key: client.target.strangerKey };
  await client.send('get by a stranger', [404], request);
};

const detokenize: Step = async (client) => {
  const tokens = [client.aToken(), client.aToken()].filter(
    (token): token is KnownToken & { id: string } => token !== undefined && presence(client, token) === 'yes',
  );
  const body = Object.fromEntries(tokens.map(({ mark, id }) => [mark.replace(PLAINTEXT, ''), `{{ ${id} }}`]));
  const answer = await client.send('detokenize', [200, 400], post(client, '/detokenize', body));
  const wereThere = tokens.every((token) => presence(client, token) === 'yes');
  if (answer?.status === 400 && wereThere)
    client.problem('lost', `detokenize of ${Object.keys(body).join()} gave 400`);
  if (answer?.status !== 200) return;
  for (const token of tokens)
    sees(client, 'detokenize', token, answer.body[token.mark.replace(PLAINTEXT, '')]);
};

/** What a list or search shows of the tokens of its client. */
function showsOwn(
  client: Client,
  label: string,
  found: readonly Body[],
  goneBefore: ReadonlySet<KnownToken>,
): void {
  if (new Set(found.map(({ id }) => id as string)).size !== found.length)
    client.problem('model', `${label} shows a token twice`);
  for (const { id, data } of found) {
    const token = client.tokens.find(({ mark }) => mark === String(data).split('#')[0]);
    if (token === undefined || goneBefore.has(token))
      client.problem('gone', `${label} shows ${String(id)} (${String(data)}), which is gone`);
    else sees(client, label, token, data);
  }
}

const goneTokens = (client: Client) =>
  new Set(client.tokens.filter((token) => presence(client, token) === 'no'));

/** Both go by an index that may be a moment behind, so that a fresh token may be missing. */
const search: Step = async (client) => {
  const indexed = client.tokens.filter(({ isIndexed, id }) => isIndexed && id !== undefined);
  if (indexed.length === 0) return;
  const token = client.draws.pick(indexed);
  const gone = goneTokens(client);
  const request = post(client, '/tokens/search', { query: `metadata.mark:"${token.mark}"` });
  const answer = await client.send('search', [200], request);
  if (answer) showsOwn(client, 'search', answer.body.data as readonly Body[], gone);
};

const list: Step = async (client) => {
  const gone = goneTokens(client);
  const request = {
    method: 'GET',
    path: `/tokens?size=100&metadata.owner=${client.name}`,
    key: client.target.privateKey,
  };
  const answer = await client.send('list', [200], request);
  if (answer) showsOwn(client, 'list', answer.body.data as readonly Body[], gone);
};

const tokenize: Step = (client) => tokenizeAll(client, [false, true, false]);

/** More items than fit into one transaction: the write has several steps. */
const tokenizeMany: Step = (client) =>
  tokenizeAll(
    client,
    Array.from({ length: 30 }, () => true),
  );

async function tokenizeAll(client: Client, indexed: readonly boolean[]): Promise<void> {
  const group = client.draws.uuid();
  const tokens = indexed.map((isIndexed) => client.begin({ isIndexed, group }));
  const body = Object.fromEntries(tokens.map((token, index) => [`m${String(index)}`, bodyOf(client, token)]));
  const answer = await client.send('tokenize', [200], post(client, '/tokenize', body));
  if (!answer) return;
  tokens.forEach((token, index) => isCreated(client, 'tokenize', token, answer.body[`m${String(index)}`]));
}

const deduplicate: Step = async (client) => {
  const data = client.draws.pick(client.target.duplicates);
  const body = { type: 'token', data, deduplicate_token: true };
  const answer = await client.send('deduplicate', [201], post(client, '/tokens', body));
  if (!answer) return;
  const ids = client.shared.duplicateIds.get(data) ?? new Set<string>();
  client.shared.duplicateIds.set(data, ids.add(answer.body.id as string));
};

/** One of a few ids, each of which names one token for ever; half of them are deleted at once. */
const createNamed: Step = async (client) => {
  const { draws, shared } = client;
  const id = draws.pick(client.target.names);
  const token = { ...client.begin(), id };
  const request = post(client, '/tokens', { ...bodyOf(client, token), id });
  const answer = await client.send('create by name', [201, 409], request);
  if (answer?.status !== 201) return;
  shared.named.set(id, (shared.named.get(id) ?? 0) + 1);
  const known = client.tokens.find(({ mark }) => mark === token.mark);
  if (known === undefined) return;
  isCreated(client, 'create by name', known, answer.body);
  if (!draws.chance(0.5)) return;
  mayBeDeleted(known);
  const removal = { method: 'DELETE', path: `/tokens/${id}`, key: client.target.privateKey };
  if (await client.send('delete by name', [204], removal)) known.exists = 'no';
  else deletionFailed(client, known);
};

/** Every client has its own member in one token: no update may lose another's. */
const updateShared: Step = async (client) => {
  const member = client.shared.members.get(client.name) ?? knownValue(0, client.world.now);
  client.shared.members.set(client.name, member);
  const next = Math.max(...member.possible()) + 1;
  const change = member.request(next);
  const path = `/tokens/${client.target.sharedId}`;
  const request = { ...post(client, path, { data: { [client.name]: next } }), method: 'PATCH' };
  const answer = await client.send('update shared', [200], request);
  if (answer) change.done();
  else change.failed();
};

const session: Step = async (client) => {
  const token = client.aToken();
  if (!token || presence(client, token) !== 'yes') return;
  const begun = await client.send('begin session', [201], {
    method: 'POST',
    path: '/sessions',
    key: client.target.publicKey,
  });
  if (!begun) return;
  const rules = [
    {
      priority: 1,
      transform: 'reveal',
      permissions: ['token:read'],
      conditions: [{ attribute: 'id', operator: 'equals', value: token.id }],
    },
  ];
  const grant = post(client, '/sessions/authorize', { nonce: begun.body.nonce as string, rules });
  const authorized = await client.send('authorize session', [200], grant);
  const read = { method: 'GET', path: `/tokens/${token.id}`, key: begun.body.session_key as string };
  if (!authorized) return;
  const answer = await client.send('get by session', [200, 404], read);
  if (answer?.status === 404) isGone(client, 'get by session', token);
  if (answer?.status === 200) sees(client, 'get by session', token, answer.body.data);
};

const management = (client: Client, method: string, path: string, body?: unknown): ServiceRequest => ({
  method,
  path,
  key: client.target.managementKey,
  ...(body !== undefined && { body }),
});

const createApplication: Step = async (client) => {
  const { draws, world } = client;
  const name = `app ${draws.uuid()}`;
  const body = { name, type: 'private', permissions: ['token:create'] };
  const headers = { 'svc-idempotency-key': name };
  const request = { ...management(client, 'POST', '/applications', body), headers };
  for (let tries = 0; tries < 4; tries += 1) {
    const answer = await client.send('create application', [201], request);
    if (answer) {
      const { id, key } = answer.body as { readonly id: string; readonly key: string };
      const permissions = knownValue('token:create', world.now);
      client.applications.push({ name, id, key, formerKeys: [], permissions, exists: 'yes' });
      return;
    }
    await world.pause(draws.pick([10, 1_000, 33_000]));
  }
};

type Application = Client['applications'][number];
const someApplication = (client: Client): Application | undefined => {
  const there = client.applications.filter(({ exists }) => exists !== 'no');
  return there.length === 0 ? undefined : client.draws.pick(there);
};

/** Whether a key works shows in a request that needs no permission, and rights in a create. */
async function useKeys(client: Client, application: Application): Promise<void> {
  const { key, exists, permissions, formerKeys } = application;
  const listing = (of: string) => ({ method: 'GET', path: '/permissions', key: of });
  for (const former of formerKeys.slice(-1)) await client.send('use a former key', [401], listing(former));
  if (key === undefined) return;
  if (exists === 'no') {
    await client.send('use the key of a deleted application', [401], listing(key));
    return;
  }
  if (exists === 'maybe') return;
  const before = permissions.possible();
  const token = client.begin();
  const request = { ...post(client, '/tokens', bodyOf(client, token)), key };
  const answer = await client.send('use an application', [201, 403], request);
  if (!answer) return;
  // Not shown to an application that may create alone: it is checked at the end.
  if (answer.status === 201) Object.assign(token, { id: answer.body.id as string, exists: 'yes' });
  else token.exists = 'no';
  const seen = answer.status === 201 ? 'token:create' : 'token:delete';
  if (before.length === 1 && before[0] !== seen)
    client.problem('credentials', `${application.name} may ${String(before[0])}, and was treated as ${seen}`);
}

/** Takes the only permission away, or gives it back, and uses the key right after. */
const regrant: Step = async (client) => {
  const application = someApplication(client);
  if (!application) return;
  const [now] = application.permissions.possible();
  const next = now === 'token:create' ? 'token:delete' : 'token:create';
  const change = application.permissions.request(next);
  const body = { name: application.name, permissions: [next] };
  const request = management(client, 'PUT', `/applications/${application.id}`, body);
  const answer = await client.send('change application', [200, 404], request);
  if (answer?.status === 200) change.done();
  else change.failed();
  if (answer?.status === 404 && application.exists === 'yes')
    client.problem('lost', `change: ${application.name} is not found, and is there`);
  if (answer?.status === 404) application.exists = 'no';
  for (let uses = 0; uses < 3; uses += 1) await useKeys(client, application);
};

const regenerate: Step = async (client) => {
  const application = someApplication(client);
  if (application?.exists !== 'yes') return;
  const { key, id } = application;
  const request = management(client, 'POST', `/applications/${id}/regenerate`);
  const answer = await client.send('regenerate key', [200], request);
  if (key !== undefined && answer) application.formerKeys.push(key);
  application.key = answer ? (answer.body.key as string) : undefined;
  await useKeys(client, application);
};

const deleteApplication: Step = async (client) => {
  const application = someApplication(client);
  if (!application) return;
  const request = management(client, 'DELETE', `/applications/${application.id}`);
  const answer = await client.send('delete application', [204, 404], request);
  if (answer?.status === 404 && application.exists === 'yes')
    client.problem('lost', `delete: ${application.name} is not found, and was there`);
  application.exists = answer ? 'no' : 'maybe';
  await useKeys(client, application);
};

const useApplication: Step = async (client) => {
  if (client.applications.length > 0) await useKeys(client, client.draws.pick(client.applications));
};

/** A card whose cvc is shown for its time, and never after it. */
const cvc: Step = async (client) => {
  const { world, draws, skewMs } = client;
  const data = { number: '4242424242424242', cvc: String(100 + draws.integer(900)) };
  const sentAt = world.now();
  const answer = await client.send('create card', [201], post(client, '/tokens', { type: 'card', data }));
  if (!answer) return;
  const request = { method: 'GET', path: `/tokens/${String(answer.body.id)}`, key: client.target.privateKey };
  const first = await client.send('get card', [200], request);
  // One instance has set its end, and another one looks at its own clock.
  const isEarly = world.now() < sentAt + CVC_LIFETIME_MS - 2 * skewMs;
  if (first && isEarly && first.body.data.cvc !== data.cvc)
    client.problem('lost', `the cvc of ${String(answer.body.id)} is ${String(first.body.data.cvc)}`);
  if (!draws.chance(0.6)) return;
  await world.pause(CVC_LIFETIME_MS + 2 * skewMs);
  const second = await client.send('get card', [200], request);
  if (second && second.body.data.cvc !== undefined)
    client.problem('gone', `the cvc of ${String(answer.body.id)} is shown after its time`);
};

/** Shorter than by default, so that its end is a part of a run. */
export const CVC_LIFETIME_MS = 60_000;

/** The token that is filled in, and the expression that does so. */
function aValue(client: Client) {
  const token = client.aToken();
  if (!token || presence(client, token) !== 'yes') return undefined;
  return { token, expression: `{{ ${token.id} }}` };
}

const forward: Step = async (client) => {
  const value = aValue(client);
  if (!value) return;
  const headers = { 'svc-proxy-url': 'https://echo.example/' };
  const request = { ...post(client, '/proxy', { value: value.expression }), headers };
  const answer = await client.send('proxy', [200, 400, 500, 502], request);
  // Without this header the failure is the service's own.
  if (
    answer?.status === 500 &&
    answer.headers['svc-proxy-destination-status'] === undefined &&
    !client.mayDie
  )
    client.problem('answers', `proxy gave 500 ${JSON.stringify(answer.body)}`);
  if (answer?.status === 200) sees(client, 'proxy', value.token, answer.body.value);
  if (answer?.status === 400 && presence(client, value.token) === 'yes')
    client.problem('lost', `proxy: ${value.token.mark} is unknown, and is there`);
};

/** Repeats an invocation under its key until there is an answer: its code runs once. */
async function invoke(client: Client, more: object, good: number): Promise<void> {
  const { draws, world, shared, target } = client;
  const value = aValue(client);
  if (!value) return;
  const name = `job-${draws.uuid()}`;
  const job = { name, token: value.token };
  const body = { args: { job: name, value: value.expression }, ...more };
  const request = post(client, `/reactors/${target.reactorId}/react`, body, name);
  shared.jobs.set(name, job);
  for (let tries = 0; tries < 4; tries += 1) {
    // 400: a token is gone. 409: the code ran, and its answer is unknown. 500: it was interrupted.
    const answer = await client.send('invoke', [good, 400, 409, 500], request);
    if (answer?.status === good) {
      if (good === 200) sees(client, 'invoke', value.token, answer.body.raw?.value);
      else shared.jobs.set(name, { ...job, id: answer.body.id as string });
      return;
    }
    if (answer?.status === 400) return;
    await world.pause(draws.pick([10, 1_000, 33_000]));
  }
}

const react: Step = (client) => invoke(client, {}, 200);

const reactLater: Step = (client) =>
  invoke(client, { callback_url: 'https://hooks.example/hook', timeout_ms: 10_000 }, 202);

/** Reads the result of an invocation, which may not have run yet. */
const readResult: Step = async (client) => {
  const { target, shared, draws } = client;
  const accepted = [...shared.jobs.values()].filter(({ id }) => id !== undefined);
  if (accepted.length === 0) return;
  const { id, token, name } = draws.pick(accepted);
  const path = `/reactors/${target.reactorId}/results/${String(id)}`;
  const answer = await client.send('read result', [200], { method: 'GET', path, key: target.privateKey });
  const raw = answer?.body.result?.raw as { readonly job: string } | undefined;
  if (raw !== undefined && raw.job !== name)
    client.problem('model', `the result of ${name} (${token.mark}) is ${JSON.stringify(raw)}`);
};

const readTrail: Step = async (client) => {
  const request = management(client, 'GET', '/logs?size=10');
  await client.send('read the trail', [200], request);
};

/**
 * A command of an operator, which repeats it until its last step. Resolves to undefined if it is
 * refused or fails: another operator may be at work.
 */
async function operate(client: Client, command: object, isLast: (result: Body) => boolean): Promise<Body> {
  const { world, service } = client;
  for (let steps = 0; steps < 40; steps += 1) {
    const result: Body = await service.invoke('operator', command).catch((error: unknown) => {
      world.happened(client.name, `operator: ${String(error)}`);
      return undefined;
    });
    if (result === undefined || isLast(result)) return result;
    const next = result.next_step as string | undefined;
    if (next !== undefined)
      await world.pause(Math.max(0, Date.parse(next) - world.now()) + 2 * client.skewMs);
  }
  return undefined;
}

/** Data that is encrypted under a former key is read and changed as before. */
const rotateKeys: Step = async (client) => {
  const tenant = { tenant_id: client.target.tenantId };
  await operate(client, { command: 'rotate-keys', ...tenant }, () => true);
  await operate(client, { command: 'reencrypt', ...tenant }, ({ done }) => done === true);
};

/** Each step waits until no instance has the former keys in its memory. */
const replaceRoot: Step = async (client) => {
  if (!client.draws.chance(0.1)) return;
  const command = { command: 'replace-root', tenant_id: client.target.tenantId };
  const begun = await operate(client, { ...command, start: true }, () => true);
  if (begun === undefined) return;
  await client.world.pause(Math.max(0, Date.parse(begun.next_step as string) - client.world.now()));
  await operate(client, command, ({ state }) => state === 'ended');
  await operate(client, { ...command, command: 'reencrypt' }, ({ done }) => done === true);
};

const rewrapRoots: Step = async (client) => {
  await operate(client, { command: 'rotate-deployment-key' }, () => true);
  const by = client.draws.pick(['kms', 'deployment']);
  await operate(client, { command: 'rewrap-roots', wrapped_by: by }, ({ done }) => done === true);
};

const wait: Step = async ({ world, draws }) => {
  await world.pause(draws.pick([100, 2_000, 10_000, 61_000]));
};

/** What a client does, by name; a name that stands more than once is done as often. */
const STEPS = {
  create,
  createWithKey,
  failUnderKey,
  waitForLease,
  update,
  updateWithKey,
  remove,
  get,
  getGone,
  getExpired,
  getAsStranger,
  detokenize,
  search,
  list,
  tokenize,
  tokenizeMany,
  deduplicate,
  createNamed,
  updateShared,
  session,
  createApplication,
  regrant,
  regenerate,
  deleteApplication,
  useApplication,
  cvc,
  forward,
  react,
  reactLater,
  readResult,
  readTrail,
  rotateKeys,
  replaceRoot,
  rewrapRoots,
  wait,
} as const satisfies Readonly<Record<string, Step>>;

export type StepName = keyof typeof STEPS;

const OFTEN: readonly StepName[] = [
  ...(['create', 'create', 'createWithKey', 'createWithKey', 'update', 'updateWithKey', 'remove'] as const),
  ...([
    'waitForLease',
    'waitForLease',
    'get',
    'createNamed',
    'deduplicate',
    'updateShared',
    'regrant',
    'createApplication',
  ] as const),
  ...(['reactLater', 'reactLater', 'react', 'forward'] as const),
];

/** The names to draw from, with their weights. */
export const STEP_NAMES: readonly StepName[] = [...(Object.keys(STEPS) as StepName[]), ...OFTEN];

export const takeStep = (client: Client, name: StepName): Promise<void> => STEPS[name](client);

/** Every step that needs no time of its own: a healthy service allows all of them at once. */
export const QUICK_STEPS = (Object.keys(STEPS) as readonly StepName[]).filter(
  (name) => !['wait', 'cvc', 'getExpired', 'replaceRoot', 'rewrapRoots', 'tokenizeMany'].includes(name),
);

export { getOne };
