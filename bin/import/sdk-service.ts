import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, TokenChange } from '../../packages/sdk/src/index.ts';
import { isJsonObject, type JsonObject } from '../../src/core/shared/json.ts';
import { CallFailed, type ImportService, type ShownToken } from './service.ts';

/** The command shows no data, so it asks for none. */
const REDACTED = { transform: 'redact' } as const;

/** Explains a failed call without anything of its request. */
async function explained(error: unknown): Promise<unknown> {
  const { ApiError, ConnectionError } = await import('../../packages/sdk/src/index.ts');
  if (error instanceof ApiError) return new CallFailed(error.status, error.message, error.errors);
  if (error instanceof ConnectionError)
    return new CallFailed(0, error.cause === undefined ? error.message : `unreachable (${error.cause.code})`);
  return error;
}

async function call<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw await explained(error);
  }
}

function idOf(token: unknown): string {
  if (isJsonObject(token) && typeof token['id'] === 'string') return token['id'];
  throw new CallFailed(200, 'the service sent a token without an id');
}

async function tenant(client: Client): Promise<{ id: string; deduplicates: boolean } | undefined> {
  try {
    const { id, settings } = await call(() => client.tenants.retrieve());
    return { id, deduplicates: settings.deduplicate_tokens };
  } catch (error) {
    if (error instanceof CallFailed && error.status === 403) return undefined;
    throw error;
  }
}

type Pause = (ms: number) => Promise<unknown>;

const ATTEMPTS = 6;
const PAUSE_MS = 500;

/** No answer, or one that a later attempt may not get. */
const isPassing = ({ status }: CallFailed): boolean => status === 0 || status === 429 || status >= 500;

/**
 * Repeats a request that failed in passing. It needs no idempotency key: the ids are chosen, so
 * that a request which was done makes nothing twice.
 */
async function repeated<T>(attempt: (isRepeated: boolean) => Promise<T>, pause: Pause): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt(count > 1);
    } catch (error) {
      if (!(error instanceof CallFailed) || !isPassing(error) || count === ATTEMPTS) throw error;
      await pause(PAUSE_MS * 2 ** (count - 1));
    }
  }
}

async function create(
  client: Client,
  bodies: readonly JsonObject[],
  isRepeated: boolean,
): Promise<readonly string[]> {
  try {
    const tokens: unknown = await call(() => client.tokenize(bodies));
    if (!Array.isArray(tokens) || tokens.length !== bodies.length)
      throw new CallFailed(200, 'the service sent another number of tokens than it got');
    return tokens.map(idOf);
  } catch (error) {
    if (!(error instanceof CallFailed) || !isRepeated) throw error;
    throw new CallFailed(error.status, error.message, error.places, true);
  }
}

/** Reaches the service by a client of the SDK. */
export const sdkService = (client: Client, pause: Pause = sleep): ImportService => ({
  tenant: () => tenant(client),
  create: (bodies) => repeated((isRepeated) => create(client, bodies, isRepeated), pause),
  find: (ids) =>
    call(async () => {
      const found: ShownToken[] = [];
      const query = { id: ids, size: ids.length };
      for await (const token of client.tokens.list(query, REDACTED)) {
        const { id, type, containers, metadata = {}, mask, search_indexes: indexes } = token;
        const { fingerprint_expression: expression } = token;
        found.push({
          id,
          type,
          containers,
          metadata,
          ...(mask !== undefined && { mask }),
          ...(indexes !== undefined && { search_indexes: indexes }),
          ...(expression !== undefined && { fingerprint_expression: expression }),
        });
      }
      return found;
    }),
  change: (id, patch: JsonObject) =>
    call(async () => {
      const sent: unknown = patch;
      const writing = { ...REDACTED, idempotencyKey: randomUUID() };
      await client.tokens.update(id, sent as TokenChange, writing);
    }),
});
