import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Credentials } from './credentials.ts';

/** Runs an operator command on a service, like the operator command line. */
export async function operatorOf(
  { aws_endpoint_url: endpoint }: Credentials,
  command: object,
): Promise<Record<string, unknown>> {
  const client = new LambdaClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const response = await client.send(
    new InvokeCommand({ FunctionName: 'Cloakroom-operator', Payload: JSON.stringify(command) }),
  );
  return JSON.parse(Buffer.from(response.Payload ?? []).toString('utf8')) as Record<string, unknown>;
}
