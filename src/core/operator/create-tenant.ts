import { deriveKey } from '../crypto/derive-key.ts';
import { encryptRecord } from '../crypto/record-encryption.ts';
import type { Secret } from '../shared/secret.ts';
import { invalid } from '../shared/service-error.ts';
import { generateWebhookSecret, webhookSecretContext } from '../webhooks/webhook-secrets.ts';
import { NAME_MAX_LENGTH } from '../applications/application.ts';
import type { TenantStore } from '../tenants/tenant.ts';
import { newManagementApplication } from './management-application.ts';
import { newRoot, type WrapDeps, type WrappingKey } from './wrap-roots.ts';

export interface CreateTenantDeps extends WrapDeps {
  readonly tenantStore: Pick<TenantStore, 'create'>;
  /** How long a data key encrypts new records, in ms. */
  readonly keyRotationMs: number;
}

export interface CreatedTenant {
  readonly tenantId: string;
  /** Key of the tenant's first management application, which has every management permission. */
  readonly managementKey: Secret<string>;
  /**
   * `whsec_` and 32 random bytes in base64, which is the form of the Standard Webhooks
   * specification.
   */
  readonly webhookSecret: Secret<string>;
}

const FIRST_VERSION = 1;

/**
 * Creates a tenant, its root key, its webhook secret and its first management application. Only an
 * operator can do this: there is no route to it (docs/contract.md#tenants).
 */
export async function createTenant(
  deps: CreateTenantDeps,
  input: { readonly name: string; readonly wrappedBy: WrappingKey },
): Promise<CreatedTenant> {
  if (input.name.length < 1 || input.name.length > NAME_MAX_LENGTH) {
    throw invalid('name', `must be 1 to ${String(NAME_MAX_LENGTH)} characters`);
  }
  const id = deps.newId();
  const now = deps.clock();
  const { key, ...wrapping } = await newRoot(deps, id, input.wrappedBy);
  const webhookSecret = generateWebhookSecret(deps.random);
  const encryptedSecret = encryptRecord(
    deps.random,
    { version: FIRST_VERSION, key: deriveKey(key, 'webhook', FIRST_VERSION) },
    webhookSecretContext(id),
    Buffer.from(webhookSecret.reveal()),
  );
  const { application, text: managementKey } = newManagementApplication(deps, {
    tenantId: id,
    name: 'First management application',
    createdAt: now,
  });
  const tenant = {
    id,
    name: input.name,
    settings: { deduplicateTokens: false, ephemeralProxy: true },
    roots: [{ ...wrapping, since: FIRST_VERSION, addedAt: now, startedAt: now }],
    keyVersion: FIRST_VERSION,
    webhookSecret: encryptedSecret,
    createdAt: now,
    rotateAt: now + deps.keyRotationMs,
    revision: 1,
    version: 1,
  };
  await deps.tenantStore.create(tenant, application);
  return { tenantId: id, managementKey, webhookSecret };
}
