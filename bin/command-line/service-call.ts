import type { ApiError, Client, Fetch } from '../../packages/sdk/src/index.ts';
import { connectionOf, type Connection, type ConnectionFlags } from './connection.ts';
import { CommandFailure, UsageError } from './failures.ts';
import type { Surroundings } from './surroundings.ts';

/** Tests send the requests without a network. */
export interface ServiceSurroundings extends Surroundings {
  readonly fetch?: Fetch;
}

/** The problem of a response in one line. Responses of the service have no data in it. */
export function lineOf({ message, errors = {} }: ApiError): string {
  const places = Object.entries(errors).map(([place, problems]) => `${place}: ${problems.join(', ')}`);
  return [message, ...places].join('; ');
}

/** Explains why a call failed: a rejected key or argument is a mistake of the command line. */
async function explained(error: unknown, { keySource, baseUrl }: Connection): Promise<unknown> {
  const { ApiError, ConnectionError } = await import('../../packages/sdk/src/index.ts');
  if (error instanceof ApiError)
    return error.status === 401
      ? new UsageError(`the service rejects the key of ${keySource}: ${error.message}`)
      : new CommandFailure(lineOf(error));
  if (error instanceof ConnectionError) {
    const { cause, message } = error;
    return new CommandFailure(cause === undefined ? message : `${baseUrl} is unreachable (${cause.code})`);
  }
  // The SDK throws them for an argument that no request can have, before it sends any.
  if (error instanceof TypeError || error instanceof RangeError) return new UsageError(error.message);
  return error;
}

/** Calls a service. Rejects with {@link UsageError} or {@link CommandFailure}. */
export async function callService<T>(
  flags: ConnectionFlags,
  { environment, fetch }: ServiceSurroundings,
  call: (client: Client, connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connectionOf(flags, environment);
  const { createClient } = await import('../../packages/sdk/src/index.ts');
  const { baseUrl, apiKey, headerPrefix } = connection;
  try {
    const client = createClient({ baseUrl, apiKey, headerPrefix, ...(fetch !== undefined && { fetch }) });
    return await call(client, connection);
  } catch (error) {
    throw await explained(error, connection);
  }
}

/** The first items of a list, of as many pages as they need. */
export async function firstOf<T>(items: AsyncIterable<T>, limit: number): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length >= limit) break;
  }
  return found;
}
