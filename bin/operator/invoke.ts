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
    // Said below.
  }
  throw new CommandFailure(`${credentialsFile} is no credentials file of npm start`);
}

function messageOf(failure: Answer): string {
  const message = failure['errorMessage'];
  return typeof message === 'string' ? message : 'the operator function failed';
}

/**
 * Sends one command to the operator function. Throws {@link CommandFailure} with what the function
 * says, and what the AWS client throws.
 */
export async function invokeFunction({ functionName, endpoint }: Target, payload: Answer): Promise<Answer> {
  // Whoever has no credentials of a role there is the administrator of the local account.
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
