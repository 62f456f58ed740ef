import { readFileSync } from 'node:fs';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { Answer } from './commands.ts';
import { CommandFailure, type Target } from './failures.ts';

/** The AWS endpoint of the service that `npm start` runs, from its credentials file. */
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

function messageOf(failure: Answer): string {
  const message = failure['errorMessage'];
  return typeof message === 'string' ? message : 'the operator function failed';
}

/** In the local account, credentials that belong to no role are those of the administrator. */
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
 * The AWS principal whose credentials are used, for the audit trail; `undefined` where AWS does not
 * say. A claim: the proof is what CloudTrail records of the invocation.
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
 * Sends one command to the operator function. Throws {@link CommandFailure} with the message of
 * the function, and the errors of the AWS client.
 */
export async function invokeFunction({ functionName, endpoint }: Target, payload: Answer): Promise<Answer> {
  const client = new LambdaClient(settingsFor(endpoint));
  const response = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(payload) }),
  );
  const result = JSON.parse(Buffer.from(response.Payload ?? []).toString('utf8')) as Answer;
  if (response.FunctionError !== undefined) throw new CommandFailure(messageOf(result));
  return result;
}
