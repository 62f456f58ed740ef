import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Credentials } from './credentials.ts';

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
