import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { CLIENT_SETTINGS } from '../../adapters/aws/client-settings.ts';
import { createTenantStore } from '../../adapters/dynamodb/tenant-store.ts';
import { createKmsKeyService } from '../../adapters/kms/kms-key-service.ts';
import type { CreateTenantDeps } from '../../core/applications/create-tenant.ts';
import { randomIdentity } from '../../core/shared/write-identity.ts';
import { environment } from './config.ts';

export type OperatorDeps = CreateTenantDeps;

/** Wires the function from its environment. Throws at the start of an instance if a variable is missing. */
export function dependencies(env: NodeJS.ProcessEnv): OperatorDeps {
  const config = environment.parse(env);
  const tenantStore = createTenantStore({
    client: new DynamoDBClient(CLIENT_SETTINGS),
    name: config.ACCESS_TABLE,
  });
  const keyService = createKmsKeyService(new KMSClient(CLIENT_SETTINGS), config.KEY_ID);
  return { tenantStore, keyService, clock: Date.now, newId: randomIdentity.newId };
}
