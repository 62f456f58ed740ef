import { dynamoDbClient, kmsClient } from '../../src/adapters/aws/clients.ts';
import type { Instance } from '../../src/adapters/instance.ts';
import {
  createProxies,
  createProxyFailures,
  createReactorStores,
  createStores,
  createTrail,
} from '../../src/adapters/stores.ts';
import type { ListFailuresDeps } from '../../src/core/stored-proxies/list-failures.ts';
import type { ChangeProxyDeps } from '../../src/core/stored-proxies/change-proxy.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import { apiSettings } from '../../src/http/api-settings.ts';
import type { ApiDeps } from '../../src/http/create-api-handler.ts';
import { tokenInputParser } from '../../src/http/parse-token-input.ts';
import { auditReports } from '../../src/lambda/audit-metrics.ts';
import { proxyReports } from '../../src/lambda/proxy-metrics.ts';
import { environment } from './config.ts';

export type ProxiesDeps = ApiDeps &
  ChangeProxyDeps &
  ListFailuresDeps & {
    /** Absent if the gateway's own address is the address of the service. */
    readonly publicUrl?: string;
  };

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv, instance: Instance): Unaudited<ProxiesDeps> {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const stores = createStores(dynamodb, kmsClient(aws), config);
  const { reactorStore } = createReactorStores(dynamodb, config);
  return {
    ...apiSettings(config, instance),
    ...stores,
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(print, config.SERVICE_NAME) }),
    ...createProxies(dynamodb, config),
    ...createProxyFailures(dynamodb, config, stores.vault),
    ...proxyReports(print, config.SERVICE_NAME),
    reactorStore,
    parseTokenInput: tokenInputParser(config.CLIENT_COMPATIBILITY),
    egressAllowList: config.EGRESS_ALLOW_LIST,
    ...(config.PUBLIC_URL !== '' && { publicUrl: config.PUBLIC_URL }),
  };
}
