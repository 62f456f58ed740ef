import { indexCardsStep } from '../../src/core/operator/index-cards.ts';
import { listKeysStep, type ListedKey } from '../../src/core/operator/list-keys.ts';
import { existingTenant } from '../../src/core/tenants/change-tenant.ts';
import { health } from '../../src/core/sweep/health.ts';
import { reencryptStep } from '../../src/core/operator/reencrypt-records.ts';
import { beginRootReplacement, continueRootReplacement } from '../../src/core/operator/replace-root.ts';
import { rotateDataKey } from '../../src/core/operator/rotate-data-key.ts';
import { rewrapStep, rotateDeploymentKey, wrappersOf } from '../../src/core/operator/wrap-roots.ts';
import type { Invocation } from '../../src/core/reactors/invocation.ts';
import { formatTimestamp } from '../../src/core/shared/timestamp.ts';
import { listUndelivered, resendDelivery } from '../../src/core/webhooks/undelivered.ts';
import { rotateWebhookSecret, webhookSecrets } from '../../src/core/webhooks/webhook-secrets.ts';
import { isDestroyed } from '../../src/core/crypto/key-ring.ts';
import type { Command } from '../../src/operator/command-input.ts';
import { commandRunner, type CommandTable } from '../../src/operator/run-command.ts';
import { auditKey, exportAudit, rebuildIndex, verifyAudit, whoSaw } from './audit-commands.ts';
import type { OperatorDeps } from './dependencies.ts';
import { allowHotInstances } from './hot-commands.ts';
import { listReactors, republishReactors } from './republish-commands.ts';

function presentUndelivered(invocation: Invocation) {
  const isParked = invocation.delivery === 'parked';
  const isBeingMade = invocation.sender !== undefined;
  const dueAt = formatTimestamp(invocation.dueAt);
  return {
    tenant_id: invocation.tenantId,
    invocation_id: invocation.id,
    reactor_id: invocation.reactorId,
    status: invocation.state,
    delivery: isParked ? 'parked' : 'retried',
    attempts: invocation.attempts,
    last_status: invocation.lastStatus ?? null,
    last_reason: invocation.lastReason ?? null,
    created_at: formatTimestamp(invocation.createdAt),
    ...(isParked ? { deleted_at: dueAt } : { next_attempt_at: isBeingMade ? null : dueAt }),
  };
}

const presentListedKey = (key: ListedKey) => ({
  application_id: key.applicationId,
  application: key.applicationName,
  key_id: key.id,
  hint: key.hint,
  name: key.name ?? null,
  created_at: formatTimestamp(key.createdAt),
  created_by: key.createdBy ?? null,
  expires_at: key.expiresAtMs === undefined ? null : formatTimestamp(key.expiresAtMs),
  last_used_on: key.lastUsedOn ?? null,
  source_addresses: key.sourceAddresses,
});

const RUN: CommandTable<'operator', OperatorDeps> = {
  'list-tenants': async (deps: OperatorDeps) => {
    const tenants = [];
    for await (const batch of deps.tenantStore.list()) tenants.push(...batch);
    return {
      tenants: tenants.map((tenant) => ({
        tenant_id: tenant.id,
        name: tenant.name,
        created_at: formatTimestamp(tenant.createdAt),
        next_rotation: isDestroyed(tenant) ? null : formatTimestamp(tenant.rotateAt),
        wrapped_by: isDestroyed(tenant) ? null : wrappersOf(tenant).join(' and '),
      })),
    };
  },
  /** One step; the command line repeats it until the last. */
  'list-keys': async (deps: OperatorDeps, raw: Command<'list-keys'> & { readonly after?: string }) => {
    const { tenant_id: tenantId, older_than: olderThanMs, unused_for: unusedForMs, after } = raw;
    await existingTenant(deps, tenantId);
    const { keys, next } = await listKeysStep(deps, tenantId, { olderThanMs, unusedForMs }, after);
    return { keys: keys.map(presentListedKey), next: next === undefined ? null : { after: next } };
  },
  /** The root key replaces the key that encrypts the secrets. */
  'check-tenant': async (deps: OperatorDeps, raw: Command<'check-tenant'>) => {
    await webhookSecrets(deps, raw.tenant_id);
    return { tenant_id: raw.tenant_id, opens: true };
  },
  'rotate-keys': async (deps: OperatorDeps, raw: Command<'rotate-keys'>) => ({
    tenant_id: raw.tenant_id,
    key_version: await rotateDataKey(deps, raw.tenant_id),
  }),
  /** One step; the operator repeats the command when the next step is due. */
  'replace-root': async (deps: OperatorDeps, raw: Command<'replace-root'>) => {
    const act = raw.start ? beginRootReplacement : continueRootReplacement;
    const reached = await act(deps, raw.tenant_id);
    return {
      tenant_id: raw.tenant_id,
      state: reached.state,
      next_step: reached.state === 'ended' ? null : formatTimestamp(reached.nextAt),
    };
  },
  /** One step; the command line repeats it until the last. */
  reencrypt: async (deps: OperatorDeps, raw: Command<'reencrypt'>) => {
    const { isDone, ...counts } = await reencryptStep(deps, raw.tenant_id);
    return { ...counts, done: isDone };
  },
  /** One step; the command line repeats it until the last. */
  'index-cards': async (deps: OperatorDeps, raw: Command<'index-cards'> & { readonly after?: string }) => {
    const { indexed, seen, left, next } = await indexCardsStep(deps, raw.tenant_id, raw.after);
    return { indexed, seen, left, next: next === undefined ? null : { after: next } };
  },
  'rotate-deployment-key': async (deps: OperatorDeps) => ({
    deployment_key: (await rotateDeploymentKey(deps)).id,
  }),
  /** One step; the command line repeats it until the last. */
  'rewrap-roots': async (deps: OperatorDeps, raw: Command<'rewrap-roots'>) => {
    const { tenant_id: tenantId, wrapped_by: by } = raw;
    const { rewrapped, unreadable, isDone } = await rewrapStep(deps, { tenantId, by });
    return { rewrapped, unreadable: unreadable.join(', ') || null, done: isDone };
  },
  health: async (deps: OperatorDeps) => {
    const found = await health(deps);
    return {
      healthy: found.isHealthy,
      overdue_seconds: found.overdueSeconds,
      waiting: found.waiting,
      parked_deliveries: found.parkedDeliveries,
      cold_reactors: found.coldReactors,
      outdated_reactors: found.outdatedReactors,
    };
  },
  'rotate-webhook-secret': async (deps: OperatorDeps, raw: Command<'rotate-webhook-secret'>) => {
    const secret = await rotateWebhookSecret(deps, raw.tenant_id);
    return { tenant_id: raw.tenant_id, webhook_secret: secret.reveal() };
  },
  'list-deliveries': async (deps: OperatorDeps, { limit }: Command<'list-deliveries'>) => ({
    deliveries: (await listUndelivered(deps, limit)).map(presentUndelivered),
  }),
  'resend-delivery': async (deps: OperatorDeps, raw: Command<'resend-delivery'>) => {
    await resendDelivery(deps, { tenantId: raw.tenant_id, id: raw.invocation_id });
    return { tenant_id: raw.tenant_id, invocation_id: raw.invocation_id };
  },
  'allow-hot': allowHotInstances,
  'list-reactors': listReactors,
  'republish-reactors': republishReactors,
  'who-saw': whoSaw,
  'verify-audit': verifyAudit,
  'export-audit': exportAudit,
  'rebuild-index': rebuildIndex,
  'audit-key': auditKey,
};

export const runCommand = commandRunner<'operator', OperatorDeps>('operator', RUN);
