// `@cloakroom/sdk` in the layer of a lenient deployment (docs/lenient.md), which creates `req.bt`.
// Requests also accept the members of the interface in camel case, and responses have them.
import {
  createHttpClient,
  type Call,
  type HttpClient,
  type ClientOptions,
} from '../../packages/sdk/src/http-client.ts';
import type { WithResponse } from '../../packages/sdk/src/api-promise.ts';
import { clientOf, type Client } from '../../packages/sdk/src/create-client.ts';
import { readable, readableTokens, renamed, renamedTokens } from './member-names.ts';

export * from '../../packages/sdk/src/index.ts';

function lenient(caller: HttpClient): HttpClient {
  const send = async (call: Call): Promise<WithResponse<unknown>> => {
    const { path, body, query } = call;
    // Its input and result contain only names of the client.
    if (path === '/detokenize') return caller.send(call);
    if (path === '/tokenize') {
      const { data, response } = await caller.send({ ...call, body: renamedTokens(body) });
      return { data: readableTokens(data), response };
    }
    const renamedQuery = renamed(query ?? {}) as NonNullable<Call['query']>;
    const { data, response } = await caller.send({ ...call, body: renamed(body), query: renamedQuery });
    return { data: readable(data), response };
  };
  return { ...caller, send };
}

/** Replaces the SDK's own, which is exported above. */
export const createClient = (options: ClientOptions = {}): Client =>
  clientOf(lenient(createHttpClient(options)));
