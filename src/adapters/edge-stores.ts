import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { createTenantKeys } from '../core/crypto/tenant-keys.ts';
import { createVault } from '../core/crypto/vault.ts';
import type { Clock } from '../core/shared/clock.ts';
import { CLIENT_SETTINGS, withoutLogger } from './aws/client-settings.ts';
import { createApplicationStore } from './dynamodb/application-store.ts';
import { createCredentialStore } from './dynamodb/credential-store.ts';
import { createIdempotencyStore } from './dynamodb/idempotency-store.ts';
import { createInvocationCredentialStore } from './dynamodb/invocation-credential-store.ts';
import { createSessionStore } from './dynamodb/session-store.ts';
import { createTenantStore } from './dynamodb/tenant-store.ts';
import { createTokenStore } from './dynamodb/token-store.ts';
import { createKmsKeyService } from './kms/kms-key-service.ts';

/** What the stores behind the edge need to know. */
export interface EdgeStoreSettings {
  readonly accessTable: string;
  readonly ephemeralTable: string;
  readonly keyId: string;
}

/** The stores, keys and vault that authenticate, seal and remember for every function behind the API, over one client of each service. */
export function createEdgeStores(settings: EdgeStoreSettings, clock: Clock) {
  const dynamodb = withoutLogger(new DynamoDBClient(CLIENT_SETTINGS));
  const access = { client: dynamodb, name: settings.accessTable };
  const ephemeral = { client: dynamodb, name: settings.ephemeralTable };
  const tenantStore = createTenantStore(access);
  const credentialStore = createCredentialStore(access);
  const keyService = createKmsKeyService(withoutLogger(new KMSClient(CLIENT_SETTINGS)), settings.keyId);
  const tenantKeys = createTenantKeys({ keyService, keyRingStore: tenantStore, clock });
  return {
    dynamodb,
    applicationStore: createApplicationStore(access),
    tenantStore,
    tenantBasicsStore: tenantStore,
    applicationGrantsStore: credentialStore,
    credentialStore,
    sessionStore: createSessionStore(ephemeral, credentialStore),
    invocationCredentials: createInvocationCredentialStore(ephemeral, credentialStore),
    idempotencyStore: createIdempotencyStore(ephemeral),
    tenantKeys,
    vault: createVault(tenantKeys),
  };
}

/** What the stores of a function that touches tokens need to know beside. */
export interface TokenStoreSettings extends EdgeStoreSettings {
  readonly tokensTable: string;
  readonly listShards: number;
}

/** {@link createEdgeStores} with the tokens. */
export function createEdgeAndTokenStores(settings: TokenStoreSettings, clock: Clock) {
  const { dynamodb, ...stores } = createEdgeStores(settings, clock);
  const { tokensTable, ephemeralTable, listShards } = settings;
  return {
    ...stores,
    dynamodb,
    tokenStore: createTokenStore({ client: dynamodb, tokensTable, ephemeralTable, listShards }, clock),
  };
}
