import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { administratorSettings, type LocalAdministrator } from '../../packages/local-aws/src/control.ts';
import type { Response } from './command-behaviour.ts';
import { CommandFailure } from '../command-line/failures.ts';
import type { Target } from './explain-failure.ts';

function messageOf(failure: Response): string {
  const message = failure['errorMessage'];
  return typeof message === 'string' ? message : 'the operator function failed';
}

/** On AWS the environment decides. */
const settingsFor = (local: LocalAdministrator | undefined) =>
  local === undefined ? {} : administratorSettings(local);

/**
 * The AWS principal of the credentials, for the audit trail; `undefined` if AWS does not return it.
 * It is a claim; CloudTrail's record of the invocation is the proof.
 */
export async function principalOf({ local }: Target): Promise<string | undefined> {
  try {
    const { Arn } = await new STSClient(settingsFor(local)).send(new GetCallerIdentityCommand());
    return Arn;
  } catch {
    return undefined;
  }
}

/**
 * Sends one command to the operator function. Throws {@link CommandFailure} with the message of the
 * function, and errors of the AWS client.
 */
export async function invokeFunction({ functionName, local }: Target, payload: Response): Promise<Response> {
  const client = new LambdaClient(settingsFor(local));
  const response = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(payload) }),
  );
  const result = JSON.parse(Buffer.from(response.Payload ?? []).toString('utf8')) as Response;
  if (response.FunctionError !== undefined) throw new CommandFailure(messageOf(result));
  return result;
}
