import { createEdgeAndTokenStores } from '../../src/adapters/edge-stores.ts';
import { createEgressClient } from '../../src/adapters/egress/https-egress-client.ts';
import type { ForwardDeps } from '../../src/core/proxy/forward.ts';
import type { EdgeDeps } from '../../src/http/create-api-handler.ts';
import { consoleLog } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

export type ProxyDeps = EdgeDeps & ForwardDeps;

/** Wires the function from its environment. Throws at the start of an instance if a variable is missing. */
export function dependencies(env: NodeJS.ProcessEnv): ProxyDeps {
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
    egress: createEgressClient(),
    egressAllowList: config.EGRESS_ALLOW_LIST,
    clock: Date.now,
    headerPrefixes: config.HEADER_PREFIXES,
    edgeSecret: config.EDGE_SECRET,
    log: consoleLog,
  };
}
