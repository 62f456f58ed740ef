import * as z from 'zod/mini';
import { createTenant } from '../../src/core/tenants/create-tenant.ts';
import { destroyTenantStep } from '../../src/core/tenants/destroy-tenant.ts';
import { health } from '../../src/core/sweep/health.ts';
import { resealStep } from '../../src/core/tenants/reseal-records.ts';
import { beginRootReplacement, continueRootReplacement } from '../../src/core/tenants/replace-root.ts';
import { rotateDataKey } from '../../src/core/tenants/rotate-data-key.ts';
import type { Invocation } from '../../src/core/reactors/invocation.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { formatTimestamp } from '../../src/core/shared/timestamp.ts';
import { listParkedDeliveries, resendDelivery } from '../../src/core/webhooks/parked-deliveries.ts';
import { rotateWebhookSecret } from '../../src/core/webhooks/webhook-secrets.ts';
import { isDestroyed } from '../../src/core/tenants/tenant.ts';
import type { OperatorDeps } from './dependencies.ts';

const PARKED_MAX = 1_000;

const tenantId = z.uuid();

/** What an operator can ask for. The payload comes from whoever may invoke the function, and is checked like any other input. */
const command = z.discriminatedUnion('command', [
  z.object({ command: z.literal('create-tenant'), name: z.string() }),
  z.object({ command: z.literal('list-tenants') }),
  z.object({ command: z.literal('rotate-keys'), tenant_id: tenantId }),
  z.object({
    command: z.literal('replace-root'),
    tenant_id: tenantId,
    start: z._default(z.boolean(), false),
  }),
  z.object({ command: z.literal('reseal'), tenant_id: tenantId }),
  z.object({ command: z.literal('destroy-tenant'), tenant_id: tenantId, confirm: z.string() }),
  z.object({ command: z.literal('health') }),
  z.object({ command: z.literal('rotate-webhook-secret'), tenant_id: tenantId }),
  z.object({
    command: z.literal('list-parked-deliveries'),
    limit: z._default(z.int().check(z.minimum(1), z.maximum(PARKED_MAX)), 100),
  }),
  z.object({ command: z.literal('resend-delivery'), tenant_id: tenantId, invocation_id: z.uuid() }),
]);

type Command<Name> = Extract<z.output<typeof command>, { readonly command: Name }>;

function presentParked(invocation: Invocation) {
  return {
    tenant_id: invocation.tenantId,
    invocation_id: invocation.id,
    reactor_id: invocation.reactorId,
    status: invocation.state,
    attempts: invocation.attempts,
    last_status: invocation.lastStatus ?? null,
    created_at: formatTimestamp(invocation.createdAt),
    kept_until: formatTimestamp(invocation.dueAt),
  };
}

const COMMANDS: {
  readonly [Name in z.output<typeof command>['command']]: (
    deps: OperatorDeps,
    given: Command<Name>,
  ) => Promise<unknown>;
} = {
  'create-tenant': async (deps: OperatorDeps, { name }: Command<'create-tenant'>) => {
    const created = await createTenant(deps, { name });
    return {
      tenant_id: created.tenantId,
      management_key: created.managementKey.reveal(),
      webhook_secret: created.webhookSecret.reveal(),
    };
  },
  'list-tenants': async (deps: OperatorDeps) => {
    const tenants = [];
    for await (const batch of deps.tenantStore.list()) tenants.push(...batch);
    return {
      tenants: tenants.map((tenant) => ({
        tenant_id: tenant.id,
        name: tenant.name,
        created_at: formatTimestamp(tenant.createdAt),
        next_rotation: isDestroyed(tenant) ? null : formatTimestamp(tenant.rotateAt),
      })),
    };
  },
  'rotate-keys': async (deps: OperatorDeps, given: Command<'rotate-keys'>) => ({
    tenant_id: given.tenant_id,
    key_version: await rotateDataKey(deps, given.tenant_id),
  }),
  /** One step; whoever asks comes again when the next one can be made. */
  'replace-root': async (deps: OperatorDeps, given: Command<'replace-root'>) => {
    const act = given.start ? beginRootReplacement : continueRootReplacement;
    const reached = await act(deps, given.tenant_id);
    return {
      tenant_id: given.tenant_id,
      state: reached.state,
      next_step: reached.state === 'ended' ? null : formatTimestamp(reached.nextAt),
    };
  },
  /** One step; whoever asks repeats until it is done. */
  reseal: async (deps: OperatorDeps, given: Command<'reseal'>) => {
    const { isDone, ...counts } = await resealStep(deps, given.tenant_id);
    return { ...counts, done: isDone };
  },
  /** One step; whoever asks repeats until it is done. */
  'destroy-tenant': async (deps: OperatorDeps, given: Command<'destroy-tenant'>) => {
    if (given.confirm !== given.tenant_id)
      throw new ServiceError('validation_failed', 'The confirmation must be the id of the tenant.');
    const { what, removed, isDone } = await destroyTenantStep(deps, given.tenant_id);
    return { what, removed, done: isDone };
  },
  health: async (deps: OperatorDeps) => {
    const found = await health(deps);
    return {
      healthy: found.isHealthy,
      overdue_seconds: found.overdueSeconds,
      waiting: found.waiting,
      parked_deliveries: found.parkedDeliveries,
      cold_reactors: found.coldReactors,
    };
  },
  'rotate-webhook-secret': async (deps: OperatorDeps, given: Command<'rotate-webhook-secret'>) => {
    const secret = await rotateWebhookSecret(deps, given.tenant_id);
    return { tenant_id: given.tenant_id, webhook_secret: secret.reveal() };
  },
  'list-parked-deliveries': async (deps: OperatorDeps, { limit }: Command<'list-parked-deliveries'>) => ({
    deliveries: (await listParkedDeliveries(deps, limit)).map(presentParked),
  }),
  'resend-delivery': async (deps: OperatorDeps, given: Command<'resend-delivery'>) => {
    await resendDelivery(deps, { tenantId: given.tenant_id, id: given.invocation_id });
    return { tenant_id: given.tenant_id, invocation_id: given.invocation_id };
  },
};

/** Carries out one command and returns its result. Throws what the command throws; Lambda reports it to the invoker. */
export async function runCommand(deps: OperatorDeps, payload: unknown): Promise<unknown> {
  const given = command.parse(payload);
  // The schema has made sure that the command gets what is its own.
  const run = COMMANDS[given.command] as (deps: OperatorDeps, given: unknown) => Promise<unknown>;
  return run(deps, given);
}
