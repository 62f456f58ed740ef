import { deletionFailed, mayBeDeleted, newName, type Client, type KnownToken } from '../client.ts';
import { knownValue } from '../known-values.ts';
import {
  aNewToken,
  bodyOf,
  changeOf,
  isCreated,
  isGone,
  removeOne,
  sees,
  untilDone,
} from './known-tokens.ts';
import { post, type Body, type Step } from './step.ts';

export const create: Step = async (client) => {
  const token = aNewToken(client);
  const answer = await client.send('create', [201], post(client, '/tokens', bodyOf(client, token)));
  if (answer) isCreated(client, 'create', token, answer.body);
};

export const update: Step = async (client) => {
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

export const remove: Step = async (client) => {
  const token = client.aToken();
  if (token) await removeOne(client, 'delete', token);
};

/** The answer of a request that creates several tokens, as its client expects it. */
function tokenizing(client: Client, indexed: readonly boolean[]) {
  const group = client.draws.uuid();
  const tokens = indexed.map((isIndexed) => client.begin({ isIndexed, group }));
  return {
    tokens,
    body: Object.fromEntries(tokens.map((token, index) => [`m${String(index)}`, bodyOf(client, token)])),
    isDone: (body: Body) => {
      tokens.forEach((token, index) => isCreated(client, 'tokenize', token, body[`m${String(index)}`]));
    },
  };
}

export const tokenize: Step = async (client) => {
  const { body, isDone } = tokenizing(client, [false, true, false]);
  const request = { ...post(client, '/tokenize', body), isFatal: client.draws.chance(0.4) };
  const answer = await client.send('tokenize', [200], request);
  if (answer) isDone(answer.body);
};

/**
 * Three items for each of so many tokens do not fit into one transaction: the write has several
 * steps, each of which can arrive late, when the tokens are deleted again.
 */
export const tokenizeMany: Step = async (client) => {
  const { draws } = client;
  const { tokens, body, isDone } = tokenizing(
    client,
    Array.from({ length: 26 }, () => true),
  );
  const request = post(client, '/tokenize', body, draws.uuid());
  const done = await untilDone(client, 'tokenize many', 200, request);
  if (done === undefined) return;
  isDone(done);
  const from = draws.integer(tokens.length - 4);
  await Promise.all(tokens.slice(from, from + 4).map((token) => removeOne(client, 'delete of many', token)));
};

/** Containers and metadata with a hundred terms, by which a token is found. */
function manyTerms(version: string) {
  const deep = Array.from({ length: 7 }, (_, level) => `l${String(level)}`).join('/');
  return {
    containers: Array.from({ length: 10 }, (_, index) => `/${version}${String(index)}/${deep}/`),
    metadata: Object.fromEntries(
      Array.from({ length: 22 }, (_, index) => [`name${String(index)}`, version] as const),
    ),
  };
}

/** A token with more entries than a transaction can write: each write of it has several steps. */
export const changeLarge: Step = async (client) => {
  const { draws } = client;
  const token = client.begin({ isIndexed: true });
  const body = bodyOf(client, token);
  const first = manyTerms('a');
  const metadata = { ...(body['metadata'] as object), ...first.metadata };
  const creation = post(client, '/tokens', { ...body, ...first, metadata }, draws.uuid());
  const created = await untilDone(client, 'create large', 201, creation);
  if (created === undefined) return;
  isCreated(client, 'create large', token, created);
  if (draws.chance(0.7)) {
    const { request, change } = changeOf(client, { ...token, id: String(token.id) });
    const changed = { ...request, body: { ...(request.body as object), ...manyTerms('b') } };
    const answer = await client.send('update large', [200], changed);
    if (answer) change.done();
    else change.failed();
    if (answer) sees(client, 'update large', token, answer.body.data);
  }
  if (draws.chance(0.7)) await removeOne(client, 'delete large', token);
};

/** More data than an item can have. Lists leave it out, so what remains of it is judged. */
export const changeParts: Step = async (client) => {
  const { draws, target } = client;
  if (!draws.chance(0.3)) return;
  const token = client.begin({ isApart: true });
  const data = (revision: number) => `${token.mark}#${String(revision)} ${'x'.repeat(380_000)}`;
  const creation = post(client, '/tokens', { type: 'token', data: data(0) }, draws.uuid());
  const created = await untilDone(client, 'create parts', 201, creation);
  if (created === undefined) return;
  token.id = created.id as string;
  token.exists = 'yes';
  const path = `/tokens/${token.id}`;
  const patch = { ...post(client, path, { data: data(1) }), method: 'PATCH' };
  const changed = await client.send('update parts', [200], patch);
  const read = await client.send('get parts', [200], { method: 'GET', path, key: target.privateKey });
  const possible = changed ? [data(1)] : [data(0), data(1)];
  if (read && !possible.includes(read.body.data as string))
    client.problem('model', `get of ${token.mark} gave ${String(read.body.data).slice(0, 100)}`);
  await removeOne(client, 'delete parts', token);
};

/** Equal data is one token, and after its deletion another one. */
export const deduplicateAgain: Step = async (client) => {
  const former = client.begin({ isDeduplicated: true });
  const request = post(client, '/tokens', bodyOf(client, former));
  for (let times = 0; times < 2; times += 1) {
    const answer = await client.send('deduplicate own', [201], request);
    if (answer) isCreated(client, 'deduplicate own', former, answer.body);
  }
  if (former.id === undefined || !(await removeOne(client, 'delete own', former))) return;
  // The data is that of another token from now on.
  client.tokens[client.tokens.indexOf(former)] = { ...former, mark: `${former.mark} (deleted)` };
  const { id, ...same } = former;
  const token: KnownToken = { ...same, exists: 'maybe', settledAt: Infinity };
  client.tokens.push(token);
  const answer = await client.send('deduplicate again', [201], request);
  if (answer?.body.id === id) client.problem('gone', `${former.mark} was deleted, and a create returned it`);
  else if (answer) isCreated(client, 'deduplicate again', token, answer.body);
};

export const deduplicate: Step = async (client) => {
  const data = client.draws.pick(client.target.duplicates);
  const body = { type: 'token', data, deduplicate_token: true };
  const ids = client.shared.duplicateIds.get(data) ?? new Set<string>();
  client.shared.duplicateIds.set(data, ids);
  const attempt = async () => {
    const answer = await client.send('deduplicate', [201], post(client, '/tokens', body));
    if (answer) ids.add(answer.body.id as string);
  };
  await Promise.all(client.draws.chance(0.3) ? [attempt(), attempt()] : [attempt()]);
};

/**
 * One of a few ids, each of which names one token for ever; half of them are deleted at once. A new
 * name is free.
 */
export const createNamed: Step = async (client) => {
  const { draws, shared } = client;
  const isNew = !client.areCallsFaulty;
  const id = isNew ? newName(`new-${draws.uuid()}`) : draws.pick(client.target.names);
  const token = { ...client.begin(), id };
  const request = post(client, '/tokens', { ...bodyOf(client, token), id });
  const answer = await client.send('create by name', isNew ? [201] : [201, 409], request);
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
export const updateShared: Step = async (client) => {
  const member = client.shared.members.get(client.name) ?? knownValue(0, client.world.now);
  client.shared.members.set(client.name, member);
  const path = `/tokens/${client.target.sharedId}`;
  // Several in a row meet those of other clients.
  for (let times = 0; times < 3; times += 1) {
    const next = Math.max(...member.possible()) + 1;
    const change = member.request(next);
    const request = { ...post(client, path, { data: { [client.name]: next } }), method: 'PATCH' };
    const answer = await client.send('update shared', [200], request);
    if (answer) change.done();
    else change.failed();
  }
};
