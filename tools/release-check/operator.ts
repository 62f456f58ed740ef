import { InvokeCommand } from '@aws-sdk/client-lambda';
import { z } from 'zod';
import { functionOf, type CommandName } from '../../src/operator/command-names.ts';
import { CheckFailure, type Clients, type ItemContext } from './item.ts';

type Command = { readonly command: CommandName; readonly [member: string]: unknown };
type Response = Readonly<Record<string, unknown>>;

/** Sends a command to the operator function. Throws {@link CheckFailure} with its message. */
export async function operate(
  { lambda }: Pick<Clients, 'lambda'>,
  serviceName: string,
  command: Command,
): Promise<Response> {
  const { Payload = [], FunctionError } = await lambda.send(
    new InvokeCommand({
      FunctionName: functionOf(command.command, `${serviceName}-operator`),
      Payload: JSON.stringify(command),
    }),
  );
  const result = JSON.parse(Buffer.from(Payload).toString('utf8')) as Response;
  if (FunctionError === undefined) return result;
  throw new CheckFailure(`${command.command}: ${String(result['errorMessage'])}`);
}

export const commandOf = ({ clients, deployment }: ItemContext, command: Command): Promise<Response> =>
  operate(clients, deployment.serviceName, command);

/** Most steps of a command that works in steps: an end is better than an endless loop. */
const STEPS_MAX = 1_000;

/** Repeats a command until it is done. */
export async function commandInSteps(context: ItemContext, command: Command): Promise<Response> {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const response = await commandOf(context, command);
    if (response['done'] === true) return response;
  }
  throw new CheckFailure(`${command.command} is not done after ${String(STEPS_MAX)} steps`);
}

const created = z.object({ tenant_id: z.string(), management_key: z.string() });

export interface ReleaseTenant {
  readonly id: string;
  readonly managementKey: string;
}

/** A tenant for one item, which is destroyed after it. */
export async function aTenant(
  context: ItemContext,
  wrappedBy: 'deployment' | 'kms' = 'deployment',
): Promise<ReleaseTenant> {
  const response = await commandOf(context, {
    command: 'create-tenant',
    name: 'release-check',
    wrapped_by: wrappedBy,
  });
  const { tenant_id: id, management_key: managementKey } = created.parse(response);
  context.afterwards(() =>
    commandInSteps(context, { command: 'destroy-tenant', tenant_id: id, confirm: id }),
  );
  return { id, managementKey };
}
