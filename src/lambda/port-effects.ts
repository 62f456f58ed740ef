import { CREDENTIAL_STORE_EFFECTS, KEY_USES_EFFECTS } from '../core/access/credential-store.ts';
import { SESSION_STORE_EFFECTS } from '../core/access/session-effects.ts';
import { TENANT_BASICS_STORE_EFFECTS } from '../core/access/tenant-basics.ts';
import {
  APPLICATION_GRANTS_STORE_EFFECTS,
  APPLICATION_STORE_EFFECTS,
} from '../core/applications/application-store.ts';
import type { PortEffects } from '../core/audit/effect.ts';
import type { KeyService } from '../core/crypto/key-service.ts';
import type { TenantKeys } from '../core/crypto/tenant-keys.ts';
import type { Vault } from '../core/crypto/vault.ts';
import { EGRESS_CLIENT_EFFECTS } from '../core/egress/egress-client.ts';
import { IDEMPOTENCY_STORE_EFFECTS } from '../core/idempotency/idempotency-store.ts';
import { DEPLOYMENT_KEY_STORE_EFFECTS } from '../core/operator/deployment-key-effects.ts';
import { PROXY_FAILURE_STORE_EFFECTS } from '../core/stored-proxies/proxy-failure-store.ts';
import { PROXY_STORE_EFFECTS } from '../core/stored-proxies/proxy-store.ts';
import { INVOCATION_CREDENTIAL_STORE_EFFECTS } from '../core/reactors/invocation-credential-effects.ts';
import { INVOCATION_QUEUE_EFFECTS, INVOCATION_STORE_EFFECTS } from '../core/reactors/invocation-store.ts';
import { HOT_ALLOWANCE_STORE_EFFECTS } from '../core/reactors/hot-allowances.ts';
import { REACTOR_MAKER_EFFECTS } from '../core/reactors/reactor-maker.ts';
import { PROXY_PINS_EFFECTS } from '../core/reactors/proxy-pins.ts';
import { REACTOR_FUNCTIONS_EFFECTS } from '../core/reactors/reactor-functions.ts';
import { REACTOR_RUNNER_EFFECTS } from '../core/reactors/reactor-runner.ts';
import { REACTOR_STORE_EFFECTS } from '../core/reactors/reactor-store.ts';
import {
  LAYER_FINDER_EFFECTS,
  REACTOR_INDEX_EFFECTS,
  ROLL_QUEUE_EFFECTS,
  ROLL_STORE_EFFECTS,
} from '../core/republish/roll-effects.ts';
import { TENANT_STORE_EFFECTS } from '../core/tenants/tenant.ts';
import { TOKEN_STORE_EFFECTS } from '../core/tokens/token-store.ts';
import { INDEX_REQUESTS_EFFECTS } from '../core/trail/index-store.ts';

// The ports of `crypto` change nothing that lasts. They cannot state so themselves: the trail needs
// their keys, so `crypto` is below `audit`.
const KEY_SERVICE_EFFECTS: PortEffects<KeyService> = {
  generateKey: 'none',
  wrapKey: 'none',
  unwrapKey: 'none',
};
const TENANT_KEYS_EFFECTS: PortEffects<TenantKeys> = {
  current: 'none',
  version: 'none',
  all: 'none',
  searched: 'none',
  settled: 'none',
  newest: 'none',
  holds: 'none',
  learn: 'none',
};
const VAULT_EFFECTS: PortEffects<Vault> = {
  encrypt: 'none',
  decrypt: 'none',
  encryptBytes: 'none',
  decryptBytes: 'none',
  mac: 'none',
  verify: 'none',
};

/**
 * All ports through which functions act, by the names of their dependencies. Each port states its
 * effects beside its interface.
 */
export const PORT_EFFECTS = {
  applicationStore: APPLICATION_STORE_EFFECTS,
  applicationGrantsStore: APPLICATION_GRANTS_STORE_EFFECTS,
  credentialStore: CREDENTIAL_STORE_EFFECTS,
  deliveryQueue: INVOCATION_QUEUE_EFFECTS,
  deploymentKeyStore: DEPLOYMENT_KEY_STORE_EFFECTS,
  egress: EGRESS_CLIENT_EFFECTS,
  hotAllowanceStore: HOT_ALLOWANCE_STORE_EFFECTS,
  idempotencyStore: IDEMPOTENCY_STORE_EFFECTS,
  indexRequests: INDEX_REQUESTS_EFFECTS,
  invocationCredentials: { ...INVOCATION_CREDENTIAL_STORE_EFFECTS, ...CREDENTIAL_STORE_EFFECTS },
  invocationQueue: INVOCATION_QUEUE_EFFECTS,
  invocationStore: INVOCATION_STORE_EFFECTS,
  keyService: KEY_SERVICE_EFFECTS,
  keyUses: KEY_USES_EFFECTS,
  proxyFailureStore: PROXY_FAILURE_STORE_EFFECTS,
  proxyPins: PROXY_PINS_EFFECTS,
  proxyStore: PROXY_STORE_EFFECTS,
  reactorFunctions: REACTOR_FUNCTIONS_EFFECTS,
  reactorRunner: REACTOR_RUNNER_EFFECTS,
  reactorStore: REACTOR_STORE_EFFECTS,
  reactorMaker: REACTOR_MAKER_EFFECTS,
  layerFinder: LAYER_FINDER_EFFECTS,
  reactorIndex: REACTOR_INDEX_EFFECTS,
  rollQueue: ROLL_QUEUE_EFFECTS,
  rollStore: ROLL_STORE_EFFECTS,
  sessionStore: { ...SESSION_STORE_EFFECTS, ...CREDENTIAL_STORE_EFFECTS },
  storedTokens: { find: TOKEN_STORE_EFFECTS.find },
  tenantBasicsStore: TENANT_BASICS_STORE_EFFECTS,
  tenantKeys: TENANT_KEYS_EFFECTS,
  tenantStore: TENANT_STORE_EFFECTS,
  tokenStore: TOKEN_STORE_EFFECTS,
  vault: VAULT_EFFECTS,
} as const;
