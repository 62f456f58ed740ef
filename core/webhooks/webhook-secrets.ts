import { randomBytes } from 'node:crypto';
import { dataKeyVersion, openRecord, sealRecord } from '../crypto/record-seal.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Clock } from '../shared/clock.ts';
import { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';

/** A tenant's webhook secrets, sealed: the current one, and the one before it while both sign. */
export interface SealedWebhookSecrets {
  readonly current: Buffer;
  readonly previous?: { readonly sealed: Buffer; /** Ms since the epoch. */ readonly until: number };
}

export interface WebhookSecretStore {
  /** The secrets as they were last written; `undefined` if there is no such tenant. */
  webhookSecrets(tenantId: string): Promise<SealedWebhookSecrets | undefined>;
  /** Replaces the secrets if `before` is still the current one; `false` otherwise. */
  replaceWebhookSecrets(tenantId: string, before: Buffer, next: SealedWebhookSecrets): Promise<boolean>;
}

export interface WebhookSecretDeps {
  readonly webhookSecretStore: WebhookSecretStore;
  readonly tenantKeys: TenantKeys;
  readonly clock: Clock;
}

/** How long a replaced secret signs beside the new one (decisions.md, section 7). */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

/** `whsec_` and random bytes in base64, the form of the Standard Webhooks specification. */
export function generateWebhookSecret(): Secret<string> {
  return new Secret(`whsec_${randomBytes(32).toString('base64')}`);
}

/** What a tenant's webhook secret is bound to. */
export const webhookSecretContext = (tenantId: string) => ({
  tenantId,
  recordId: tenantId,
  field: 'webhook_secret',
});

async function sealedSecrets(
  { webhookSecretStore }: WebhookSecretDeps,
  tenantId: string,
): Promise<SealedWebhookSecrets> {
  const sealed = await webhookSecretStore.webhookSecrets(tenantId);
  if (sealed === undefined) throw new ServiceError('not_found', 'The tenant does not exist.');
  return sealed;
}

/** The secrets that sign a tenant's webhooks at this moment, the current one first. */
export async function webhookSecrets(
  deps: WebhookSecretDeps,
  tenantId: string,
): Promise<readonly Secret<string>[]> {
  const { current, previous } = await sealedSecrets(deps, tenantId);
  const isBeside = previous !== undefined && previous.until > deps.clock();
  return Promise.all(
    [current, ...(isBeside ? [previous.sealed] : [])].map(async (sealed) => {
      const key = await deps.tenantKeys.version(tenantId, 'webhook', dataKeyVersion(sealed));
      return new Secret(openRecord(key, webhookSecretContext(tenantId), sealed).toString('utf8'));
    }),
  );
}

/** Gives a tenant another webhook secret; the old one signs beside it for 24 hours. Throws `not_found`, and `conflict` if another rotation was quicker. */
export async function rotateWebhookSecret(
  deps: WebhookSecretDeps,
  tenantId: string,
): Promise<Secret<string>> {
  const { current } = await sealedSecrets(deps, tenantId);
  const secret = generateWebhookSecret();
  const key = await deps.tenantKeys.current(tenantId, 'webhook');
  const next = {
    current: sealRecord(key, webhookSecretContext(tenantId), Buffer.from(secret.reveal())),
    previous: { sealed: current, until: deps.clock() + OVERLAP_MS },
  };
  if (!(await deps.webhookSecretStore.replaceWebhookSecrets(tenantId, current, next)))
    throw new ServiceError('conflict', 'The secret is being rotated by somebody else.');
  return secret;
}
