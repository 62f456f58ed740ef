import { dynamoDbClient } from '../../src/adapters/aws/clients.ts';
import { createStores, createTokenStores } from '../../src/adapters/stores.ts';
import type { CreateTokenDeps } from '../../src/core/tokens/create-tokens.ts';
import { apiSettings } from '../../src/http/api-settings.ts';
import type { ApiDeps } from '../../src/http/create-api-handler.ts';
import { environment } from './config.ts';

export type TokensDeps = ApiDeps & CreateTokenDeps;

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv): TokensDeps {
  const config = environment.parse(env);
  const dynamodb = dynamoDbClient();
  return {
    ...apiSettings(config),
    ...createStores(dynamodb, config),
    ...createTokenStores(dynamodb, config),
    cvcLifetimeMs: config.CVC_LIFETIME_SECONDS * 1000,
  };
}
