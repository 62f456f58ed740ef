import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Credentials } from './credentials.ts';

/** The response of a function of a local account, and whether the function failed. */
export async function invokeFunction(
  { aws_endpoint_url: endpoint }: Pick<Credentials, 'aws_endpoint_url'>,
  name: string,
  event: object,
): Promise<{ readonly payload: unknown; readonly hasFailed: boolean }> {
  const client = new LambdaClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
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
  const { payload } = await invokeFunction(credentials, 'Cloakroom-operator', command);
  return payload as Record<string, unknown>;
}
