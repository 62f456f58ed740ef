import { readFileSync } from 'node:fs';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
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

/**
 * Sends one command to the operator function. Throws {@link CommandFailure} with the message of
 * the function, and the errors of the AWS client.
 */
export async function invokeFunction({ functionName, endpoint }: Target, payload: Answer): Promise<Answer> {
  // In the local account, credentials that belong to no role are those of the administrator.
  const local = {
    region: 'us-east-1',
    credentials: { accessKeyId: 'operator', secretAccessKey: 'operator' },
  };
  const client = new LambdaClient(endpoint === undefined ? {} : { endpoint, ...local });
  const response = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(payload) }),
  );
  const result = JSON.parse(Buffer.from(response.Payload ?? []).toString('utf8')) as Answer;
  if (response.FunctionError !== undefined) throw new CommandFailure(messageOf(result));
  return result;
}
