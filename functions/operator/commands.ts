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
import { rotateWebhookSecret, webhookSecrets } from '../../src/core/webhooks/webhook-secrets.ts';
import { isDestroyed } from '../../src/core/tenants/tenant.ts';
import {
  COMMAND_NAMES,
  FLAGS,
  flagsOf,
  LIMIT_MAX,
  type CommandName,
  type FlagName,
  type FlagOf,
} from './command-names.ts';
import type { OperatorDeps } from './dependencies.ts';

/** What flags hold. Anyone with the right to invoke the function can send any payload. */
const VALUES = {
  name: z.string(),
  tenant: z.uuid(),
  confirm: z.string(),
  start: z._default(z.boolean(), false),
  invocation: z.uuid(),
  limit: z._default(z.int().check(z.minimum(1), z.maximum(LIMIT_MAX)), 100),
} as const satisfies Readonly<Record<FlagName, z.ZodMiniType>>;

/** A command's part of the payload, by its members. */
type Command<Name extends CommandName> = {
  readonly [Flag in FlagOf<Name> as (typeof FLAGS)[Flag]['member']]: z.output<(typeof VALUES)[Flag]>;
};

const named = z.object({ command: z.enum(COMMAND_NAMES) });

const inputOf = (name: CommandName) =>
  z.object(Object.fromEntries(flagsOf(name).map((flag) => [FLAGS[flag].member, VALUES[flag]])));

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

const RUN: {
  readonly [Name in CommandName]: (deps: OperatorDeps, given: Command<Name>) => Promise<unknown>;
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
  /** What the secrets are sealed under is derived from the root. */
  'check-tenant': async (deps: OperatorDeps, given: Command<'check-tenant'>) => {
    await webhookSecrets(deps, given.tenant_id);
    return { tenant_id: given.tenant_id, opens: true };
  },
  'rotate-keys': async (deps: OperatorDeps, given: Command<'rotate-keys'>) => ({
    tenant_id: given.tenant_id,
    key_version: await rotateDataKey(deps, given.tenant_id),
  }),
  /** One step; the operator repeats the command when the next step is due. */
  'replace-root': async (deps: OperatorDeps, given: Command<'replace-root'>) => {
    const act = given.start ? beginRootReplacement : continueRootReplacement;
    const reached = await act(deps, given.tenant_id);
    return {
      tenant_id: given.tenant_id,
      state: reached.state,
      next_step: reached.state === 'ended' ? null : formatTimestamp(reached.nextAt),
    };
  },
  /** One step; the command line repeats it until it is done. */
  reseal: async (deps: OperatorDeps, given: Command<'reseal'>) => {
    const { isDone, ...counts } = await resealStep(deps, given.tenant_id);
    return { ...counts, done: isDone };
  },
  /** One step; the command line repeats it until it is done. */
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

/** Throws a `ServiceError` that names the wrong members in one line. */
function parsed<Schema extends z.ZodMiniType>(schema: Schema, payload: unknown): z.output<Schema> {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const members = new Set(result.error.issues.map(({ path }) => path.join('.') || 'all of it'));
  throw new ServiceError('validation_failed', `Missing or wrong in the payload: ${[...members].join(', ')}.`);
}

/** The message is all that Lambda returns to the invoker, so it has to name the fields. */
function withFields(error: ServiceError): ServiceError {
  const fields = Object.entries(error.errors ?? {}).flatMap(([path, messages]) =>
    messages.map((message) => `${path} ${message}`),
  );
  return fields.length === 0 ? error : new ServiceError(error.code, fields.join('; '), { cause: error });
}

/**
 * Carries out one command and returns its result. Throws what the command throws; Lambda reports it
 * to the invoker.
 */
export async function runCommand(deps: OperatorDeps, payload: unknown): Promise<unknown> {
  const { command } = parsed(named, payload);
  // The schema has made sure that the command gets what is its own.
  const run = RUN[command] as (deps: OperatorDeps, given: unknown) => Promise<unknown>;
  const input = parsed(inputOf(command), payload);
  try {
    return await run(deps, input);
  } catch (error) {
    throw error instanceof ServiceError ? withFields(error) : error;
  }
}
