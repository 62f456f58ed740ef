import * as z from 'zod/mini';
import { indexCardsStep } from '../../src/core/operator/index-cards.ts';
import { listKeysStep, type ListedKey } from '../../src/core/operator/list-keys.ts';
import { existingTenant } from '../../src/core/tenants/change-tenant.ts';
import { createTenant } from '../../src/core/operator/create-tenant.ts';
import { destroyTenantStep } from '../../src/core/operator/destroy-tenant.ts';
import { health } from '../../src/core/sweep/health.ts';
import { reencryptStep } from '../../src/core/operator/reencrypt-records.ts';
import { beginRootReplacement, continueRootReplacement } from '../../src/core/operator/replace-root.ts';
import { rotateDataKey } from '../../src/core/operator/rotate-data-key.ts';
import {
  rewrapStep,
  rotateDeploymentKey,
  wrappersOf,
  WRAPPING_KEYS,
} from '../../src/core/operator/wrap-roots.ts';
import type { Invocation } from '../../src/core/reactors/invocation.ts';
import { DEPLOYMENT, FORMS } from '../../src/core/audit/audit-record.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import { withAudit } from '../../src/lambda/with-audit.ts';
import { isUuid } from '../../src/core/shared/is-uuid.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { formatTimestamp, parseIsoTimestamp } from '../../src/core/shared/timestamp.ts';
import { listUndelivered, resendDelivery } from '../../src/core/webhooks/undelivered.ts';
import { rotateWebhookSecret, webhookSecrets } from '../../src/core/webhooks/webhook-secrets.ts';
import { isDestroyed } from '../../src/core/crypto/key-ring.ts';
import {
  COMMAND_NAMES,
  COMMANDS,
  FLAGS,
  flagsOf,
  isSent,
  LIMIT_MAX,
  takesDeployment,
  type CommandName,
  type FlagName,
  type FlagOf,
  type SentFlag,
} from './command-names.ts';
import { auditKey, exportAudit, rebuildIndex, verifyAudit, whoSaw } from './audit-commands.ts';
import type { OperatorDeps } from './dependencies.ts';

/** Parses an ISO 8601 time, and returns ms since the epoch. */
const time = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const at = parseIsoTimestamp(text)?.at;
    if (at !== undefined) return at;
    context.issues.push({ code: 'custom', input: text, message: 'must be an ISO 8601 time' });
    return z.NEVER;
  }),
);

const DAY_MS = 24 * 60 * 60 * 1000;
/** Reads a number of days, such as `90d`, in ms. */
const days = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{0,3}d$/)),
  z.transform((text) => Number(text.slice(0, -1)) * DAY_MS),
);

/**
 * Schemas of flag values. Every principal with the right to invoke the function can send any
 * payload.
 */
const VALUES = {
  name: z.string(),
  tenant: z.uuid(),
  confirm: z.string(),
  'wrapped-by': z.enum(WRAPPING_KEYS),
  start: z._default(z.boolean(), false),
  invocation: z.uuid(),
  limit: z._default(z.int().check(z.minimum(1), z.maximum(LIMIT_MAX)), 100),
  'older-than': days,
  'unused-for': days,
  token: z.string().check(z.minLength(1)),
  form: z.enum(FORMS),
  'without-index': z._default(z.boolean(), false),
  from: time,
  to: time,
  index: z._default(z.boolean(), false),
  key: z.string(),
  seal: z.string().check(z.regex(/^[\w-]{43}$/)),
} as const satisfies Readonly<Record<SentFlag, z.ZodMiniType>>;

/** The members that the payload of a command has. */
type Command<Name extends CommandName> = {
  readonly [Flag in Extract<Needed<Name>, SentFlag> as (typeof FLAGS)[Flag]['member']]: z.output<
    (typeof VALUES)[Flag]
  >;
} & {
  readonly [
    Flag in Exclude<Extract<FlagOf<Name>, SentFlag>, Needed<Name>> as (typeof FLAGS)[Flag]['member']
  ]: z.output<(typeof VALUES)[Flag]> | (undefined extends z.input<(typeof VALUES)[Flag]> ? never : undefined);
};

type Needed<Name extends CommandName> = (typeof COMMANDS)[Name]['needs'][number];

const trail = z.union([z.uuid(), z.literal(DEPLOYMENT)]);

const openChunk = z.object({
  to: z.int(),
  after: z.string(),
  open: z.array(z.tuple([z.string(), z.int()])),
});

/** Members without a flag: where the previous step ended, and the mode of the schedule. */
const UNFLAGGED: Readonly<Partial<Record<CommandName, z.core.$ZodShape>>> = {
  'list-keys': { after: z.optional(z.uuid()) },
  'index-cards': { after: z.optional(z.string()) },
  'who-saw': { at: z.optional(z.object({ tenant_id: trail, before: z.optional(z.string()) })) },
  'export-audit': { at: z.optional(z.int()) },
  'verify-audit': { chunk: z.nullish(openChunk), latest: z.optional(z.boolean()) },
};

const named = z.object({ command: z.enum(COMMAND_NAMES) });

function inputOf(name: CommandName) {
  const needs: readonly FlagName[] = COMMANDS[name].needs;
  const members = flagsOf(name)
    .filter(isSent)
    .map((flag): [string, z.ZodMiniType] => {
      const value = flag === 'tenant' && takesDeployment(name) ? trail : VALUES[flag];
      return [FLAGS[flag].member, needs.includes(flag) ? value : z.optional(value)];
    });
  return z.object({ ...Object.fromEntries(members), ...UNFLAGGED[name] });
}

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

const RUN: {
  readonly [Name in CommandName]: (deps: OperatorDeps, raw: Command<Name>) => Promise<unknown>;
} = {
  'create-tenant': async (deps: OperatorDeps, raw: Command<'create-tenant'>) => {
    const { name, wrapped_by: wrappedBy = 'deployment' } = raw;
    const created = await createTenant(deps, { name, wrappedBy });
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
  /** One step; the command line repeats it until the last. */
  'destroy-tenant': async (deps: OperatorDeps, raw: Command<'destroy-tenant'>) => {
    if (raw.confirm !== raw.tenant_id)
      throw new ServiceError('validation_failed', 'The confirmation must be the id of the tenant.');
    const { what, removed, isDone } = await destroyTenantStep(deps, raw.tenant_id);
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
  'who-saw': whoSaw,
  'verify-audit': verifyAudit,
  'export-audit': exportAudit,
  'rebuild-index': rebuildIndex,
  'audit-key': auditKey,
};

/** Throws a `ServiceError` that names the invalid members in one line. */
function parsed<Schema extends z.ZodMiniType>(schema: Schema, payload: unknown): z.output<Schema> {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const members = new Set(result.error.issues.map(({ path }) => path.join('.') || 'all of it'));
  throw new ServiceError(
    'validation_failed',
    `Missing or invalid in the payload: ${[...members].join(', ')}.`,
  );
}

/** Lambda returns only the message to the invoker, so it names the members. */
function withFields(error: ServiceError): ServiceError {
  const fields = Object.entries(error.errors ?? {}).flatMap(([path, messages]) =>
    messages.map((message) => `${path} ${message}`),
  );
  return fields.length === 0 ? error : new ServiceError(error.code, fields.join('; '), { cause: error });
}

/**
 * The AWS principal that the payload names. It is a claim; CloudTrail's record of the invocation is
 * the proof.
 */
const PRINCIPAL = /^(?:schedule|arn:[\w-]+:[\w:/.@=+,-]{1,300})$/;
const from = z.object({ principal: z.optional(z.string()) });

/** The subject of a command: a token by its id, unless the id may contain data, or a tenant. */
function resourceOf(tenantId: string | undefined, tokenId: string | undefined): string | undefined {
  if (tokenId !== undefined && isUuid(tokenId)) return `token:${tokenId}`;
  return tenantId === undefined || tenantId === DEPLOYMENT ? undefined : `tenant:${tenantId}`;
}

/** The trail of the deployment records commands about a tenant without keys, or about no tenant. */
async function trailOf(
  { tenantStore }: Pick<OperatorDeps, 'tenantStore'>,
  command: CommandName,
  tenantId: string | undefined,
): Promise<string> {
  const isOfNone = tenantId === undefined || tenantId === DEPLOYMENT || command === 'destroy-tenant';
  if (isOfNone) return DEPLOYMENT;
  const tenant = await tenantStore.find(tenantId);
  return tenant === undefined || isDestroyed(tenant) ? DEPLOYMENT : tenantId;
}

/**
 * Records a command, runs it and returns its result. Throws the error of the command, which Lambda
 * reports to the invoker.
 */
export async function runCommand(deps: Unaudited<OperatorDeps>, payload: unknown): Promise<unknown> {
  const { command } = parsed(named, payload);
  // The schema has checked that these are the members of the command.
  const run = RUN[command] as (deps: OperatorDeps, raw: unknown) => Promise<unknown>;
  const input = parsed(inputOf(command), payload);
  const { principal = '' } = parsed(from, payload);
  const { tenant_id: tenantId, token_id: tokenId } = input as {
    readonly tenant_id?: string;
    readonly token_id?: string;
  };
  const resource = resourceOf(tenantId, tokenId);
  const subject = {
    op: command,
    cred: `operator:${PRINCIPAL.test(principal) ? principal : 'unknown'}`,
    ...(resource !== undefined && { resource }),
  };
  const recorded = { trail: await trailOf(deps, command, tenantId), subject };
  try {
    return await withAudit<OperatorDeps, unknown>(
      deps,
      recorded,
      async (audited, scope) => {
        await scope.ahead({});
        return run(audited, input);
      },
      () => ({ outcome: 'ok' }),
    );
  } catch (error) {
    throw error instanceof ServiceError ? withFields(error) : error;
  }
}
