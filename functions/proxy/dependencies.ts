import { dynamoDbClient } from '../../src/adapters/aws/clients.ts';
import { createEgressClient } from '../../src/adapters/egress/https-egress-client.ts';
import { createStores, createTokenStores } from '../../src/adapters/stores.ts';
import type { ForwardDeps } from '../../src/core/proxy/forward.ts';
import { apiSettings } from '../../src/http/api-settings.ts';
import type { ApiDeps } from '../../src/http/create-api-handler.ts';
import { environment } from './config.ts';

export type ProxyDeps = ApiDeps & ForwardDeps;

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv): ProxyDeps {
  const config = environment.parse(env);
  const dynamodb = dynamoDbClient();
  return {
    ...apiSettings(config),
    ...createStores(dynamodb, config),
    ...createTokenStores(dynamodb, config),
    egress: createEgressClient(),
    egressAllowList: config.EGRESS_ALLOW_LIST,
  };
}
