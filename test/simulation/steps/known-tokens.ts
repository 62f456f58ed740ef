import { deletionFailed, mayBeDeleted, presence, type Client, type KnownToken } from '../client.ts';
import type { ServiceRequest } from '../service.ts';
import { post, type Body } from './step.ts';

/** How long a token that is made to expire lives, in ms. */
const SHORTEST_LIFE_MS = 5_000;
const LONGEST_LIFE_MS = 90_000;

export function bodyOf(client: Client, token: KnownToken): Record<string, unknown> {
  return {
    type: 'token',
    data: `${token.mark}#0`,
    ...(token.isIndexed && {
      metadata: { mark: token.mark, owner: client.name },
      search_indexes: ['{{ data }}'],
    }),
    ...(token.isDeduplicated && { deduplicate_token: true }),
    ...(token.expiresAt !== Infinity && { expires_at: new Date(token.expiresAt).toISOString() }),
  };
}

/** A token that is not created yet: indexed or not, and one in four expires soon. */
export function aNewToken(client: Client): KnownToken {
  const { draws, world } = client;
  const isIndexed = draws.chance(0.5);
  const lifeMs = draws.chance(0.25) ? draws.between(SHORTEST_LIFE_MS, LONGEST_LIFE_MS) : Infinity;
  const isDeduplicated = draws.chance(0.2);
  return client.begin({ isIndexed, isDeduplicated, expiresAt: Math.floor(world.now() + lifeMs) });
}

/** An answer shows the data of a token. */
export function sees(client: Client, label: string, token: KnownToken, data: unknown): void {
  if (typeof data !== 'string' || !token.data.sees(data)) {
    const possible = token.data.possible().join(' or ');
    client.problem('model', `${label} of ${token.mark} gave ${JSON.stringify(data)}, not ${possible}`);
  }
  if (token.exists === 'maybe' && client.world.now() >= token.settledAt) token.exists = 'yes';
}

export function isCreated(client: Client, label: string, token: KnownToken, body: Body): void {
  if (token.id !== undefined && token.id !== body.id)
    client.problem('once', `${label}: ${token.mark} was ${token.id} and is now ${String(body.id)}`);
  token.id = body.id as string;
  token.exists = 'yes';
  sees(client, label, token, body.data);
}

export const changeOf = (client: Client, token: KnownToken & { readonly id: string }) => {
  token.revision += 1;
  const data = `${token.mark}#${String(token.revision)}`;
  const request = {
    ...post(client, `/tokens/${token.id}`, { data }),
    method: 'PATCH',
  };
  return { request, change: token.data.request(data) };
};

/** 404 of a token that must be there, by what is known when the answer arrives. */
export function isGone(client: Client, label: string, token: KnownToken): void {
  if (presence(client, token) === 'yes')
    client.problem('lost', `${label}: ${token.mark} (${String(token.id)}) is not found, and is there`);
  token.exists = 'no';
}

/** Deletes a token, and resolves to whether it certainly is deleted. */
export async function removeOne(client: Client, label: string, token: KnownToken): Promise<boolean> {
  const before = presence(client, token);
  mayBeDeleted(token);
  const request = { method: 'DELETE', path: `/tokens/${String(token.id)}`, key: client.target.privateKey };
  const answer = await client.send(label, [204, 404], request);
  const wasLost =
    answer?.status === 404 && before === 'yes' && client.world.now() < token.expiresAt - client.skewMs;
  if (wasLost) client.problem('lost', `${label}: ${token.mark} is not found, and was there`);
  if (answer) token.exists = 'no';
  else deletionFailed(client, token);
  return answer !== undefined;
}

/** Repeats a request under a key until it succeeds. Resolves to the body, if it does. */
export async function untilDone(
  client: Client,
  label: string,
  good: number,
  request: ServiceRequest,
): Promise<Body> {
  for (let tries = 0; tries < 4; tries += 1) {
    const answer = await client.send(label, [good], request);
    if (answer) return answer.body;
    // The claim of an attempt that died ends after half a minute.
    await client.world.pause(client.draws.pick([10, 1_000, 33_000]));
  }
  return undefined;
}
