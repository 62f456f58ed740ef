import { changeTenant, existingTenant, type TenantDeps } from '../tenants/change-tenant.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { dataKeyVersion, decryptRecord, encryptRecord } from '../crypto/record-encryption.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import { defined } from '../shared/defined.ts';
import { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Random } from '../shared/platform.ts';

export interface WebhookSecretDeps extends TenantDeps {
  readonly tenantKeys: TenantKeys;
}

/** How long a replaced secret signs together with the new one (docs/contract.md#delivery). */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

/**
 * `whsec_` and random bytes in base64, which is the form of the Standard Webhooks specification.
 */
export function generateWebhookSecret(random: Random): Secret<string> {
  return new Secret(`whsec_${random.bytes(32).toString('base64')}`);
}

/** The context that a tenant's webhook secret is encrypted for. */
export const webhookSecretContext = (tenantId: string) => ({
  tenantId,
  recordId: tenantId,
  field: 'webhook_secret',
});

async function openSecret(
  { tenantKeys }: WebhookSecretDeps,
  tenantId: string,
  encrypted: Buffer,
): Promise<Secret<string>> {
  const key = await tenantKeys.version(tenantId, 'webhook', dataKeyVersion(encrypted));
  return new Secret(decryptRecord(key, webhookSecretContext(tenantId), encrypted).toString('utf8'));
}

async function encryptSecret(
  { tenantKeys, random }: WebhookSecretDeps,
  tenantId: string,
  secret: Secret<string>,
) {
  const key = await tenantKeys.current(tenantId, 'webhook');
  return encryptRecord(random, key, webhookSecretContext(tenantId), Buffer.from(secret.reveal()));
}

/** The encrypted secrets of a tenant that sign now, the current one first. */
function signing({ webhookSecret, previousWebhookSecret }: Tenant, now: number): readonly Buffer[] {
  const isBeside = previousWebhookSecret !== undefined && previousWebhookSecret.until > now;
  const secrets = [webhookSecret, isBeside ? previousWebhookSecret.encrypted : undefined];
  return secrets.filter((encrypted) => encrypted !== undefined);
}

/** The secrets that sign a tenant's webhooks now, the current one first. */
export async function webhookSecrets(
  deps: WebhookSecretDeps,
  tenantId: string,
): Promise<readonly Secret<string>[]> {
  const encrypted = signing(await existingTenant(deps, tenantId), deps.clock());
  return Promise.all(encrypted.map((each) => openSecret(deps, tenantId, each)));
}

/**
 * Replaces the webhook secret of a tenant; the old one also signs for 24 hours. Throws `not_found`,
 * and `conflict` if another rotation was faster.
 */
export async function rotateWebhookSecret(
  deps: WebhookSecretDeps,
  tenantId: string,
): Promise<Secret<string>> {
  const { webhookSecret: before } = await existingTenant(deps, tenantId);
  const secret = generateWebhookSecret(deps.random);
  const webhookSecret = await encryptSecret(deps, tenantId, secret);
  await changeTenant(deps, tenantId, (tenant) => {
    const { webhookSecret: encrypted } = tenant;
    if (encrypted === undefined || before?.equals(encrypted) !== true)
      throw new ServiceError('conflict', 'The secret is being rotated by another request.');
    const previousWebhookSecret = { encrypted, until: deps.clock() + OVERLAP_MS };
    return { ...tenant, webhookSecret, previousWebhookSecret };
  });
  return secret;
}

/** The tenant with its secrets encrypted under its current root. */
export async function withReencryptedSecrets(deps: WebhookSecretDeps, tenant: Tenant): Promise<Tenant> {
  const { id, webhookSecret, previousWebhookSecret } = tenant;
  const again = async (encrypted: Buffer) => encryptSecret(deps, id, await openSecret(deps, id, encrypted));
  return defined({
    ...tenant,
    webhookSecret: webhookSecret && (await again(webhookSecret)),
    previousWebhookSecret: previousWebhookSecret && {
      ...previousWebhookSecret,
      encrypted: await again(previousWebhookSecret.encrypted),
    },
  });
}
