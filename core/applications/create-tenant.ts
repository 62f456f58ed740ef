import { generateApiKey, hashApiKey } from '../crypto/api-key.ts';
import type { KeyService } from '../crypto/key-service.ts';
import { sealRecord, type DataKey } from '../crypto/record-seal.ts';
import { KEY_PURPOSES, type KeyPurpose, type WrappedKey } from '../crypto/tenant-keys.ts';
import type { Clock } from '../shared/clock.ts';
import type { Secret } from '../shared/secret.ts';
import { orderedId } from '../shared/ordered-id.ts';
import { invalid } from '../shared/service-error.ts';
import { generateWebhookSecret, webhookSecretContext } from '../webhooks/webhook-secrets.ts';
import { NAME_MAX_LENGTH, type Application } from './application.ts';
import { isLegalFor, PERMISSION_NAMES } from './permission.ts';
import type { TenantStore } from './tenant.ts';

export interface CreateTenantDeps {
  readonly tenantStore: TenantStore;
  readonly keyService: KeyService;
  readonly clock: Clock;
  readonly newId: () => string;
  /** How long a data key seals new records, in ms. */
  readonly keyRotationMs: number;
}

export interface CreatedTenant {
  readonly tenantId: string;
  /** Key of the tenant's first management application, with every management permission. */
  readonly managementKey: Secret<string>;
  /** `whsec_` and 32 random bytes in base64, the form of the Standard Webhooks specification. */
  readonly webhookSecret: Secret<string>;
}

const FIRST_VERSION = 1;

async function generateKeys(keyService: KeyService, tenant: string) {
  const generated = await Promise.all(
    KEY_PURPOSES.map(async (purpose) => ({
      purpose,
      ...(await keyService.generateKey({ tenant, purpose, version: String(FIRST_VERSION) })),
    })),
  );
  const wrapped: WrappedKey[] = generated.map((key) => ({
    purpose: key.purpose,
    version: FIRST_VERSION,
    wrapped: key.wrapped,
  }));
  const dataKey = (purpose: KeyPurpose): DataKey => {
    const found = generated.find((key) => key.purpose === purpose);
    if (found === undefined) throw new Error(`create tenant: no key for purpose ${purpose}`);
    return { version: FIRST_VERSION, key: found.key };
  };
  return { wrapped, dataKey };
}

/**
 * Creates a tenant, its keys, its webhook secret and its first management application. An operator's act: there is no
 * route to it (decisions.md, section 5).
 */
export async function createTenant(
  deps: CreateTenantDeps,
  input: { readonly name: string },
): Promise<CreatedTenant> {
  if (input.name.length < 1 || input.name.length > NAME_MAX_LENGTH) {
    throw invalid('name', `must be 1 to ${String(NAME_MAX_LENGTH)} characters`);
  }
  const [id, now] = [deps.newId(), deps.clock()];
  const keys = await generateKeys(deps.keyService, id);
  const webhookSecret = generateWebhookSecret();
  const sealedSecret = sealRecord(
    keys.dataKey('webhook'),
    webhookSecretContext(id),
    Buffer.from(webhookSecret.reveal()),
  );
  const managementKey = generateApiKey('management');
  const application: Application = {
    id: orderedId(now, deps.newId()),
    tenantId: id,
    name: 'First management application',
    type: 'management',
    permissions: PERMISSION_NAMES.filter((permission) => isLegalFor(permission, 'management')),
    rules: [],
    createdAt: now,
    version: 1,
  };
  const tenant = {
    id,
    name: input.name,
    settings: { deduplicateTokens: false },
    keys: keys.wrapped,
    webhookSecret: sealedSecret,
    createdAt: now,
    rotateAt: now + deps.keyRotationMs,
  };
  await deps.tenantStore.create(tenant, application, hashApiKey(managementKey));
  return { tenantId: id, managementKey, webhookSecret };
}
