import { createEdgeAndTokenStores } from '../../src/adapters/edge-stores.ts';
import type { CreateTokenDeps } from '../../src/core/tokens/create-tokens.ts';
import type { EdgeDeps } from '../../src/http/create-api-handler.ts';
import { consoleLog } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

export type TokensDeps = EdgeDeps & CreateTokenDeps;

/** Wires the function from its environment. Throws at the start of an instance if a variable is missing. */
export function dependencies(env: NodeJS.ProcessEnv): TokensDeps {
  const config = environment.parse(env);
  const { dynamodb: _, ...stores } = createEdgeAndTokenStores(
    {
      accessTable: config.ACCESS_TABLE,
      ephemeralTable: config.EPHEMERAL_TABLE,
      tokensTable: config.TOKENS_TABLE,
      listShards: config.LIST_SHARDS,
      keyId: config.KEY_ID,
    },
    Date.now,
  );
  return {
    ...stores,
    clock: Date.now,
    headerPrefixes: config.HEADER_PREFIXES,
    edgeSecret: config.EDGE_SECRET,
    log: consoleLog,
    cvcLifetimeMs: config.CVC_LIFETIME_SECONDS * 1000,
  };
}
