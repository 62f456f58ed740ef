import { dynamoDbClient, kmsClient } from '../../src/adapters/aws/clients.ts';
import type { Instance } from '../../src/adapters/instance.ts';
import { createStores, createTokenStores, createTrail } from '../../src/adapters/stores.ts';
import type { CreateTokenDeps } from '../../src/core/tokens/create-tokens.ts';
import type { UnprovenTokenStore } from '../../src/core/tokens/token-store.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import { apiSettings } from '../../src/http/api-settings.ts';
import type { ApiDeps } from '../../src/http/create-api-handler.ts';
import { auditReports } from '../../src/lambda/audit-metrics.ts';
import { environment } from './config.ts';

export type TokensDeps = ApiDeps &
  CreateTokenDeps & {
    /** Before the caller is known: no request without a valid key costs a call of KMS. */
    readonly storedTokens: Pick<UnprovenTokenStore, 'find'>;
  };

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv, instance: Instance): Unaudited<TokensDeps> {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const stores = createStores(dynamodb, kmsClient(aws), config);
  return {
    ...apiSettings(config, instance),
    ...stores,
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(print, config.SERVICE_NAME) }),
    ...createTokenStores(dynamodb, config, stores.vault),
    cvcLifetimeMs: config.CVC_LIFETIME_SECONDS * 1000,
  };
}
