import { presence, type Client } from '../client.ts';
import { isGone, sees } from './known-tokens.ts';
import { addKey } from './keys.ts';
import { management, post, type Step } from './step.ts';

/** A session is as long as that, in ms: its end is a part of a run. */
const LIFETIME_MS = 20_000;

interface Grant {
  readonly attribute: 'id';
  readonly operator: 'equals';
  readonly value: string;
}

interface WantedSession {
  readonly conditions: readonly Grant[];
  readonly endsAt: number;
  /** The key that authorizes the session. */
  readonly by: string;
}

/** Begins a session that can read what the conditions say. Resolves to its key. */
async function beginSession(client: Client, { conditions, endsAt, by }: WantedSession) {
  const begun = await client.send('begin session', [201], {
    method: 'POST',
    path: '/sessions',
    key: client.target.publicKey,
  });
  if (!begun) return undefined;
  const rules = [{ priority: 1, transform: 'reveal', permissions: ['token:read'], conditions }];
  const grant = post(client, '/sessions/authorize', {
    nonce: begun.body.nonce as string,
    rules,
    expires_at: new Date(endsAt).toISOString(),
  });
  if (!(await client.send('authorize session', [200], { ...grant, key: by }))) return undefined;
  return begun.body.session_key as string;
}

/** A key of the private application, and how to delete it. */
async function authorizingKey(client: Client) {
  const id = client.target.applicationIds.get(client.target.privateKey) ?? '';
  const made = await addKey(client, { id }, { name: 'authorizes a session' });
  if (made === undefined) return undefined;
  return { key: made.key as string, path: `/applications/${id}/keys/${made.id as string}` };
}

/** A session reads one token, no other one, and nothing after its end or that of its keys. */
export const session: Step = async (client) => {
  const { world, draws, skewMs } = client;
  const token = client.aToken();
  const other = client.aToken();
  if (!token || presence(client, token) !== 'yes') return;
  const endsAt = Math.ceil((world.now() + LIFETIME_MS) / 1_000) * 1_000;
  const authorizer = draws.chance(0.3) ? await authorizingKey(client) : undefined;
  const conditions = [{ attribute: 'id', operator: 'equals', value: token.id }] as const;
  const by = authorizer?.key ?? client.target.privateKey;
  const key = await beginSession(client, { conditions, endsAt, by });
  if (key === undefined) return;
  const reading = (id: string) => ({ method: 'GET', path: `/tokens/${id}`, key });
  // Answers of a service that fails take their time, or an instance has a clock that is ahead.
  const mayHaveEnded = () => world.now() >= endsAt - skewMs;
  const answer = await client.send('get by session', [200, 401, 404], reading(token.id));
  if (answer?.status === 401 && !mayHaveEnded()) client.problem('credentials', 'a session ended too early');
  if (answer?.status === 404) isGone(client, 'get by session', token);
  if (answer?.status === 200) sees(client, 'get by session', token, answer.body.data);
  if (other && other.id !== token.id)
    await client.send('get another by session', [401, 403, 404], reading(other.id));
  if (authorizer !== undefined) {
    const removal = management(client, 'DELETE', authorizer.path);
    if (await client.send('delete key', [204, 404], removal))
      await client.send('get without the key behind a session', [401], reading(token.id));
    return;
  }
  if (!draws.chance(0.5)) return;
  await world.pause(endsAt + skewMs + 1 - world.now());
  await client.send('get after a session', [401], reading(token.id));
};
