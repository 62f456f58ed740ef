import { dynamoDbClient, kmsClient, lambdaInvokeClient } from '../../src/adapters/aws/clients.ts';
import type { EgressInstance } from '../../src/adapters/egress/egress-instance.ts';
import { createMakeRequests } from '../../src/adapters/lambda/make-requests.ts';
import { createReactorRunner } from '../../src/adapters/lambda/reactor-runner.ts';
import {
  createProxies,
  createProxyFailures,
  createReactorStores,
  createStores,
  createTokenStores,
  createTrail,
} from '../../src/adapters/stores.ts';
import type { CallProxyDeps } from '../../src/core/stored-proxies/call-proxy.ts';
import type { ProxyStore } from '../../src/core/stored-proxies/proxy-store.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import { apiSettings } from '../../src/http/api-settings.ts';
import { tokenInputParser } from '../../src/http/parse-token-input.ts';
import type { ApiDeps } from '../../src/http/create-api-handler.ts';
import { auditReports } from '../../src/lambda/audit-metrics.ts';
import { proxyReports } from '../../src/lambda/proxy-metrics.ts';
import { environment } from './config.ts';

export type ProxyDeps = ApiDeps &
  CallProxyDeps & {
    readonly proxyStore: ProxyStore;
    /** How the address of a redirect is returned: under a name that no client follows, or raw. */
    readonly proxyRedirects: 'told' | 'raw';
    /** Absent if the gateway's own address is the address of the service. */
    readonly publicUrl?: string;
  };

/** The wait for a reactor, in ms, must be less than the gateway's timeout. */
const RESPONSE_WITHIN_MS = 30_000;

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv, instance: EgressInstance): Unaudited<ProxyDeps> {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const egressAllowList = config.EGRESS_ALLOW_LIST;
  const invoking = lambdaInvokeClient(aws, RESPONSE_WITHIN_MS);
  const stores = createStores(dynamodb, kmsClient(aws), config);
  return {
    ...apiSettings(config, instance),
    ...stores,
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(print, config.SERVICE_NAME) }),
    ...createTokenStores(dynamodb, config, stores.vault),
    egress: instance.createEgress(),
    egressAllowList,
    proxyRedirects: config.PROXY_REDIRECTS,
    ...createProxies(dynamodb, config),
    ...createProxyFailures(dynamodb, config, stores.vault),
    ...proxyReports(print, config.SERVICE_NAME),
    reactorStore: createReactorStores(dynamodb, config).reactorStore,
    reactorMaker: createMakeRequests(invoking, config.REACTORS_FUNCTION),
    reactorRunner: createReactorRunner(
      { client: invoking, platform },
      { namePrefix: config.REACTOR_FUNCTION_PREFIX, egressAllowList },
    ),
    parseTokenInput: tokenInputParser(config.CLIENT_COMPATIBILITY),
    cvcLifetimeMs: config.CVC_LIFETIME_SECONDS * 1000,
    ...(config.PUBLIC_URL !== '' && { publicUrl: config.PUBLIC_URL }),
  };
}
