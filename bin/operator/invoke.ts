import { readFileSync } from 'node:fs';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { Response } from './command-behaviour.ts';
import { CommandFailure, type Target } from './explain-failure.ts';

/** The AWS endpoint of the service of `npm start`, from its credentials file. */
export function endpointOf(credentialsFile: string): string {
  let text: string;
  try {
    text = readFileSync(credentialsFile, 'utf8');
  } catch {
    throw new CommandFailure(`${credentialsFile} cannot be read: is the service running (npm start)?`);
  }
  try {
    const { aws_endpoint_url: endpoint } = JSON.parse(text) as { readonly aws_endpoint_url?: unknown };
    if (typeof endpoint === 'string') return endpoint;
  } catch {
    // The error below explains it.
  }
  throw new CommandFailure(`${credentialsFile} is no credentials file of npm start`);
}

function messageOf(failure: Response): string {
  const message = failure['errorMessage'];
  return typeof message === 'string' ? message : 'the operator function failed';
}

/** In the local account, credentials without a role are the administrator's. */
function settingsFor(endpoint: string | undefined) {
  return endpoint === undefined
    ? {}
    : {
        endpoint,
        region: 'us-east-1',
        credentials: { accessKeyId: 'operator', secretAccessKey: 'operator' },
      };
}

/**
 * The AWS principal of the credentials, for the audit trail; `undefined` if AWS does not return it.
 * It is a claim; CloudTrail's record of the invocation is the proof.
 */
export async function principalOf({ endpoint }: Target): Promise<string | undefined> {
  try {
    const { Arn } = await new STSClient(settingsFor(endpoint)).send(new GetCallerIdentityCommand());
    return Arn;
  } catch {
    return undefined;
  }
}

/**
 * Sends one command to the operator function. Throws {@link CommandFailure} with the message of the
 * function, and errors of the AWS client.
 */
export async function invokeFunction(
  { functionName, endpoint }: Target,
  payload: Response,
): Promise<Response> {
  const client = new LambdaClient(settingsFor(endpoint));
  const response = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(payload) }),
  );
  const result = JSON.parse(Buffer.from(response.Payload ?? []).toString('utf8')) as Response;
  if (response.FunctionError !== undefined) throw new CommandFailure(messageOf(result));
  return result;
}
