import { dynamoDbClient } from '../../src/adapters/aws/clients.ts';
import { createHttpsEgressClient } from '../../src/adapters/egress/https-egress-client.ts';
import { createStores, createTokenStores, createTrail } from '../../src/adapters/stores.ts';
import type { ForwardDeps } from '../../src/core/proxy/forward.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import { apiSettings } from '../../src/http/api-settings.ts';
import type { ApiDeps } from '../../src/http/create-api-handler.ts';
import { auditReports } from '../../src/lambda/audit-metrics.ts';
import { environment } from './config.ts';

export type ProxyDeps = ApiDeps & ForwardDeps;

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv): Unaudited<ProxyDeps> {
  const config = environment.parse(env);
  const dynamodb = dynamoDbClient();
  const stores = createStores(dynamodb, config);
  return {
    ...apiSettings(config),
    ...stores,
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(config.SERVICE_NAME) }),
    ...createTokenStores(dynamodb, config, stores.vault),
    egress: createHttpsEgressClient(),
    egressAllowList: config.EGRESS_ALLOW_LIST,
  };
}
