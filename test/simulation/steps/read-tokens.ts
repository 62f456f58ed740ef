import { PLAINTEXT, presence, type Client, type KnownToken } from '../client.ts';
import { isGone, sees } from './known-tokens.ts';
import { post, type Body, type Step } from './step.ts';

export const get: Step = async (client) => {
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
export const getGone: Step = async (client) => {
  const gone = client.tokens.filter((token) => token.id !== undefined && presence(client, token) === 'no');
  if (gone.length > 0) await getOne(client, client.draws.pick(gone));
};

/** Waits until a token has expired, and a moment more. */
export const getExpired: Step = async (client) => {
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

export const getAsStranger: Step = async (client) => {
  const token = client.aToken();
  if (!token) return;
  const request = { method: 'GET', path: `/tokens/${token.id}`, key: client.target.strangerKey };
  await client.send('get by a stranger', [404], request);
};

export const detokenize: Step = async (client) => {
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

/** Checks what a list or search shows of the tokens of its client. */
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
export const search: Step = async (client) => {
  const indexed = client.tokens.filter(({ isIndexed, id }) => isIndexed && id !== undefined);
  if (indexed.length === 0) return;
  const token = client.draws.pick(indexed);
  const gone = goneTokens(client);
  const request = post(client, '/tokens/search', { query: `metadata.mark:"${token.mark}"` });
  const answer = await client.send('search', [200], request);
  if (answer) showsOwn(client, 'search', answer.body.data as readonly Body[], gone);
};

export const list: Step = async (client) => {
  const gone = goneTokens(client);
  const request = {
    method: 'GET',
    path: `/tokens?size=100&metadata.owner=${client.name}`,
    key: client.target.privateKey,
  };
  const answer = await client.send('list', [200], request);
  if (answer) showsOwn(client, 'list', answer.body.data as readonly Body[], gone);
};
