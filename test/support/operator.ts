import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { credentials } from './credentials-of-run.ts';

/** Carries out an operator command on the shared cloud, as the operator command line does. */
export async function operator(command: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const client = new LambdaClient({
    endpoint: credentials.aws_endpoint_url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const answer = await client.send(
    new InvokeCommand({ FunctionName: 'Cloakroom-operator', Payload: JSON.stringify(command) }),
  );
  return JSON.parse(Buffer.from(answer.Payload ?? []).toString('utf8')) as Record<string, string>;
}
