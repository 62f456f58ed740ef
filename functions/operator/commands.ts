import { z } from 'zod';
import { createTenant } from '../../core/applications/create-tenant.ts';
import type { OperatorDeps } from './dependencies.ts';

/** What an operator can ask for. The payload comes from whoever may invoke the function, and is checked like any other input. */
const command = z.discriminatedUnion('command', [
  z.object({ command: z.literal('create-tenant'), name: z.string() }),
]);

async function runCreateTenant(deps: OperatorDeps, name: string) {
  const created = await createTenant(deps, { name });
  return {
    tenant_id: created.tenantId,
    management_key: created.managementKey.reveal(),
    webhook_secret: created.webhookSecret.reveal(),
  };
}

/** Carries out one command and returns its result. Throws what the command throws; Lambda reports it to the invoker. */
export async function runCommand(deps: OperatorDeps, payload: unknown): Promise<unknown> {
  const given = command.parse(payload);
  return runCreateTenant(deps, given.name);
}
