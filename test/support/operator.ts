import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { administratorSettings, type LocalAdministrator } from '../../packages/local-aws/src/control.ts';
import type { Credentials } from './credentials.ts';
import { runnerOf } from './runner-of.ts';

/** The response of a function of a local account, and whether the function failed. */
export async function invokeFunction(
  account: LocalAdministrator,
  name: string,
  event: object,
): Promise<{ readonly payload: unknown; readonly hasFailed: boolean }> {
  const client = new LambdaClient(administratorSettings(account));
  const { Payload = [], FunctionError } = await client.send(
    new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }),
  );
  return {
    payload: JSON.parse(Buffer.from(Payload).toString('utf8')) as unknown,
    hasFailed: FunctionError !== undefined,
  };
}

/** Runs an operator command on a service, like the operator command line. */
export async function operatorOf(
  credentials: Credentials,
  command: object,
): Promise<Record<string, unknown>> {
  const { payload } = await invokeFunction(credentials, `Cloakroom-${runnerOf(command)}`, command);
  return payload as Record<string, unknown>;
}
