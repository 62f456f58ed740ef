import { DEPLOYMENT } from '../core/audit/audit-record.ts';
import type { AuditLog } from '../core/audit/audit-log.ts';
import type { Sightings } from '../core/audit/audit-scope.ts';
import { isDestroyed } from '../core/crypto/key-ring.ts';
import { isUuid } from '../core/shared/is-uuid.ts';
import { ServiceError } from '../core/shared/service-error.ts';
import type { TenantStore } from '../core/tenants/tenant.ts';
import type { Classified, Unaudited } from '../lambda/audited-deps.ts';
import { withAudit } from '../lambda/with-audit.ts';
import { parseCommand, type Command } from './command-input.ts';
import { COMMANDS, type CommandName, type CommandOf, type OperatorFunction } from './command-names.ts';

/** Dependencies that recording a command needs, whichever it is. */
export interface CommandDeps {
  readonly tenantStore: Pick<TenantStore, 'find'>;
  readonly auditLog: AuditLog;
  readonly audit: Sightings;
}

/** A function runs exactly these commands. */
export type CommandTable<Runner extends OperatorFunction, Deps> = {
  readonly [Name in CommandOf<Runner>]: (deps: Deps, raw: Command<Name>) => Promise<unknown>;
};

/** Lambda returns only the message to the invoker, so it names the members. */
function withFields(error: ServiceError): ServiceError {
  const fields = Object.entries(error.errors ?? {}).flatMap(([path, messages]) =>
    messages.map((message) => `${path} ${message}`),
  );
  return fields.length === 0 ? error : new ServiceError(error.code, fields.join('; '), { cause: error });
}

/** A principal is a claim; CloudTrail's record of the invocation is the proof. */
const PRINCIPAL = /^(?:schedule|arn:[\w-]+:[\w:/.@=+,-]{1,300})$/;

/** The subject of a command: a token by its id, unless the id may contain data, or a tenant. */
function resourceOf(tenantId: string | undefined, tokenId: string | undefined): string | undefined {
  if (tokenId !== undefined && isUuid(tokenId)) return `token:${tokenId}`;
  return tenantId === undefined || tenantId === DEPLOYMENT ? undefined : `tenant:${tenantId}`;
}

/** The trail of the deployment records commands about a tenant without keys, or about no tenant. */
async function trailOf(
  { tenantStore }: Pick<CommandDeps, 'tenantStore'>,
  command: CommandName,
  tenantId: string | undefined,
): Promise<string> {
  const isOfNone = tenantId === undefined || tenantId === DEPLOYMENT || command === 'destroy-tenant';
  if (isOfNone) return DEPLOYMENT;
  const tenant = await tenantStore.find(tenantId);
  return tenant === undefined || isDestroyed(tenant) ? DEPLOYMENT : tenantId;
}

/**
 * Returns what a function does with a payload: it records the command, runs it and returns its
 * result. It throws the error of the command, which Lambda reports to the invoker, and
 * `validation_failed` for a command of the other function.
 */
export function commandRunner<Runner extends OperatorFunction, Deps extends CommandDeps>(
  runner: Runner,
  table: CommandTable<Runner, Deps>,
) {
  return async (deps: Unaudited<Deps> & Classified<Unaudited<Deps>>, payload: unknown): Promise<unknown> => {
    const { command, input, tenantId, tokenId, principal } = parseCommand(payload);
    const { runsIn } = COMMANDS[command];
    if (runsIn !== runner)
      throw new ServiceError('validation_failed', `The function ${runsIn} runs ${command}.`);
    // The schema has checked that these are the members of the command.
    const run = table[command as CommandOf<Runner>] as (deps: Deps, raw: unknown) => Promise<unknown>;
    const resource = resourceOf(tenantId, tokenId);
    const subject = {
      op: command,
      cred: `operator:${PRINCIPAL.test(principal) ? principal : 'unknown'}`,
      ...(resource !== undefined && { resource }),
    };
    const { tenantStore } = deps as Pick<Deps, 'tenantStore'>;
    const recorded = { trail: await trailOf({ tenantStore }, command, tenantId), subject };
    try {
      return await withAudit<Deps, unknown>(
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
  };
}
