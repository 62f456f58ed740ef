// `@cloakroom/sdk` in the layer of a lenient deployment (docs/lenient.md), from which `req.bt` is
// made: requests take the members of the interface in camel case too, and answers have them.
import { createCaller, type Call, type Caller, type ClientOptions } from '../../packages/sdk/src/caller.ts';
import { clientOf, type Client } from '../../packages/sdk/src/create-client.ts';
import { readable, readableTokens, renamed, renamedTokens } from './member-names.ts';

export * from '../../packages/sdk/src/index.ts';

function lenient(caller: Caller): Caller {
  const json = async (call: Call): Promise<unknown> => {
    const { path, body, query } = call;
    // What it takes and gives is all the client's own.
    if (path === '/detokenize') return caller.json(call);
    if (path === '/tokenize')
      return readableTokens(await caller.json({ ...call, body: renamedTokens(body) }));
    const renamedQuery = renamed(query) as Call['query'];
    return readable(await caller.json({ ...call, body: renamed(body), query: renamedQuery }));
  };
  return { ...caller, json };
}

/** In the place of the SDK's own, which is exported above. */
export const createClient = (options: ClientOptions): Client => clientOf(lenient(createCaller(options)));
