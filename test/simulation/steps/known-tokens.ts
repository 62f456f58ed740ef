import { presence, type Client, type KnownToken } from '../client.ts';
import { post, type Body } from './step.ts';

/** How long a token that is made to expire lives, in ms. */
const [SHORTEST_LIFE_MS, LONGEST_LIFE_MS] = [5_000, 90_000];

export function bodyOf(client: Client, token: KnownToken): Record<string, unknown> {
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
export function aNewToken(client: Client): KnownToken {
  const { draws, world } = client;
  const isIndexed = draws.chance(0.5);
  const lifeMs = draws.chance(0.25) ? draws.between(SHORTEST_LIFE_MS, LONGEST_LIFE_MS) : Infinity;
  return client.begin({ isIndexed, expiresAt: Math.floor(world.now() + lifeMs) });
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
