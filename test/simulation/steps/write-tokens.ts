import { deletionFailed, mayBeDeleted, presence, type Client } from '../client.ts';
import { knownValue } from '../known-values.ts';
import { aNewToken, bodyOf, changeOf, isCreated, isGone, sees } from './known-tokens.ts';
import { post, type Step } from './step.ts';

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

export const tokenize: Step = (client) => tokenizeAll(client, [false, true, false]);

/** More items than fit into one transaction: the write has several steps. */
export const tokenizeMany: Step = (client) =>
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

export const deduplicate: Step = async (client) => {
  const data = client.draws.pick(client.target.duplicates);
  const body = { type: 'token', data, deduplicate_token: true };
  const answer = await client.send('deduplicate', [201], post(client, '/tokens', body));
  if (!answer) return;
  const ids = client.shared.duplicateIds.get(data) ?? new Set<string>();
  client.shared.duplicateIds.set(data, ids.add(answer.body.id as string));
};

/** One of a few ids, each of which names one token for ever; half of them are deleted at once. */
export const createNamed: Step = async (client) => {
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
export const updateShared: Step = async (client) => {
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
