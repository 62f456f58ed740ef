import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Credentials } from './credentials.ts';
import { credentials } from './credentials-of-run.ts';

/** Carries out an operator command on a service, as the operator command line does. */
export async function operatorOf(
  { aws_endpoint_url: endpoint }: Credentials,
  command: object,
): Promise<Record<string, unknown>> {
  const client = new LambdaClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const answer = await client.send(
    new InvokeCommand({ FunctionName: 'Cloakroom-operator', Payload: JSON.stringify(command) }),
  );
  return JSON.parse(Buffer.from(answer.Payload ?? []).toString('utf8')) as Record<string, unknown>;
}

/** The same on the shared cloud. */
export async function operator(
  command: Readonly<Record<string, string | boolean>>,
): Promise<Record<string, string>> {
  return (await operatorOf(credentials, command)) as Record<string, string>;
}
