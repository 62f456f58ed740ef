import { dynamoDbClient, kmsClient } from '../../src/adapters/aws/clients.ts';
import type { EgressInstance } from '../../src/adapters/egress/egress-instance.ts';
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
export function dependencies(env: NodeJS.ProcessEnv, instance: EgressInstance): Unaudited<ProxyDeps> {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const stores = createStores(dynamodb, kmsClient(aws), config);
  return {
    ...apiSettings(config, instance),
    ...stores,
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(print, config.SERVICE_NAME) }),
    ...createTokenStores(dynamodb, config, stores.vault),
    egress: instance.createEgress(),
    egressAllowList: config.EGRESS_ALLOW_LIST,
  };
}
