import type { KMSClient } from '@aws-sdk/client-kms';
import { createAuditLog, type AuditLogDeps } from '../core/audit/audit-log.ts';
import { createTenantKeys } from '../core/crypto/tenant-keys.ts';
import { createVault, type Vault } from '../core/crypto/vault.ts';
import { createProvenTokenStore } from '../core/tokens/proven-token-store.ts';
import { createApplicationStore } from './dynamodb/application-store.ts';
import { createCredentialStore } from './dynamodb/credential-store.ts';
import { createIdempotencyStore } from './dynamodb/idempotency-store.ts';
import { createInvocationCredentialStore } from './dynamodb/invocation-credential-store.ts';
import { createInvocationStore } from './dynamodb/invocation-store.ts';
import { createKeyUses } from './dynamodb/key-uses.ts';
import { createProxyFailureStore } from './dynamodb/proxy-failure-store.ts';
import { createProxyReads, createProxyStore } from './dynamodb/proxy-store.ts';
import { createReactorStore } from './dynamodb/reactor-store.ts';
import { createSessionStore } from './dynamodb/session-store.ts';
import { createTenantBasicsStore } from './dynamodb/tenant-basics-store.ts';
import type { DynamoDb } from './dynamodb/table-client.ts';
import { createTenantStore } from './dynamodb/tenant-store.ts';
import { createTokenStore } from './dynamodb/token-store.ts';
import { createTrailWriter } from './dynamodb/trail-writer.ts';
import { LIST_SHARDS } from './dynamodb/token-tables.ts';
import { createProxyPins } from '../core/stored-proxies/pinning-proxies.ts';
import { createKmsUnwrapper } from './kms/kms-key-service.ts';

/** The variables of a function's environment that name the stores of keys and credentials. */
export interface StoreConfig {
  readonly ACCESS_TABLE: string;
  readonly EPHEMERAL_TABLE: string;
  readonly KEY_ID: string;
}

/** The variables that name the stores of tokens. */
export interface TokenStoreConfig {
  readonly TOKENS_TABLE: string;
  readonly EPHEMERAL_TABLE: string;
}

/** The variables that name the stores of reactors. */
export interface ReactorStoreConfig {
  readonly REACTORS_TABLE: string;
  readonly EPHEMERAL_TABLE: string;
}

/** The variables that configure the audit trail. */
export interface AuditConfig {
  readonly AUDIT_TABLE: string;
  readonly AUDIT_RETENTION_DAYS: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes the audit trail for functions that may append to it. */
export function createTrail(
  dynamodb: DynamoDb,
  config: AuditConfig,
  deps: Pick<AuditLogDeps, 'tenantKeys' | 'onAuditUnavailable' | 'onAuditEndMissing'>,
) {
  return createAuditLog({
    ...deps,
    trailWriter: createTrailWriter({ ...dynamodb, name: config.AUDIT_TABLE }),
    ...dynamodb.platform,
    auditRetentionMs: config.AUDIT_RETENTION_DAYS * DAY_MS,
  });
}

/**
 * Makes the stores of tenants, applications, sessions and idempotency records, and the keys and the
 * vault.
 */
export function createStores(dynamodb: DynamoDb, kms: KMSClient, config: StoreConfig) {
  const { clock, random } = dynamodb.platform;
  const access = { ...dynamodb, name: config.ACCESS_TABLE };
  const ephemeral = { ...dynamodb, name: config.EPHEMERAL_TABLE };
  const tenantBasicsStore = createTenantBasicsStore(access);
  const credentialStore = createCredentialStore(access);
  const tenantKeys = createTenantKeys({
    keyService: createKmsUnwrapper(kms, config.KEY_ID),
    keyRingStore: tenantBasicsStore,
    clock,
  });
  return {
    applicationStore: createApplicationStore(access),
    tenantStore: createTenantStore(access),
    tenantBasicsStore,
    applicationGrantsStore: credentialStore,
    credentialStore,
    keyUses: createKeyUses(access),
    sessionStore: createSessionStore(ephemeral, credentialStore),
    invocationCredentials: createInvocationCredentialStore(ephemeral, credentialStore),
    idempotencyStore: createIdempotencyStore(ephemeral),
    tenantKeys,
    vault: createVault(tenantKeys, random),
  };
}

/**
 * The token store, and the same store for callers who are known, which returns only proven tokens.
 */
export function createTokenStores(dynamodb: DynamoDb, config: TokenStoreConfig, vault: Vault) {
  const { TOKENS_TABLE: tokensTable, EPHEMERAL_TABLE: ephemeralTable } = config;
  const tables = { ...dynamodb, tokensTable, ephemeralTable, listShards: LIST_SHARDS };
  const storedTokens = createTokenStore(tables, dynamodb.platform.clock);
  return { storedTokens, tokenStore: createProvenTokenStore(storedTokens, vault) };
}

/** The store of stored proxies, for the functions that change or call them. */
export const createProxies = (dynamodb: DynamoDb, config: Pick<StoreConfig, 'ACCESS_TABLE'>) => ({
  proxyStore: createProxyStore({ ...dynamodb, name: config.ACCESS_TABLE }),
});

/** Finds the proxies that run code of a reactor. */
export const createPins = (dynamodb: DynamoDb, config: Pick<StoreConfig, 'ACCESS_TABLE'>, vault: Vault) => ({
  proxyPins: createProxyPins({
    proxyStore: createProxyReads({ ...dynamodb, name: config.ACCESS_TABLE }),
    vault,
  }),
});

/** Makes the store of the failed transforms of proxies. */
export const createProxyFailures = (
  dynamodb: DynamoDb,
  config: Pick<StoreConfig, 'EPHEMERAL_TABLE'>,
  vault: Vault,
) => ({
  proxyFailureStore: createProxyFailureStore({ ...dynamodb, name: config.EPHEMERAL_TABLE }, vault),
});

export function createReactorStores(dynamodb: DynamoDb, config: ReactorStoreConfig) {
  const reactors = { ...dynamodb, name: config.REACTORS_TABLE };
  const ephemeral = { ...dynamodb, name: config.EPHEMERAL_TABLE };
  return {
    reactorStore: createReactorStore(reactors),
    invocationStore: createInvocationStore(reactors, ephemeral),
  };
}
