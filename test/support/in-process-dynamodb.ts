import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AwsError, type AwsResponse, type AwsService } from '../../packages/local-aws/src/aws-service.ts';

/** What happens to a call: `before` it is lost, `after` its response is lost. */
export type Cut = 'before' | 'after' | undefined;

interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

const cutOff = () => Object.assign(new Error('the network was cut off'), { name: 'CutOff' });

async function respond(service: AwsService, { method, path, headers, body = '' }: HttpRequest) {
  const call = {
    service: 'dynamodb',
    method,
    path,
    headers,
    query: new URLSearchParams(),
    target: headers['x-amz-target']?.split('.').at(-1),
    // The SDK warns about any use of its bytes as a text, which Buffer.from tries first.
    body: typeof body === 'string' ? Buffer.from(body) : Buffer.concat([body]),
    principal: { kind: 'administrator' as const },
  };
  let response: AwsResponse;
  try {
    response = await service.handle(call);
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    response = service.failure(error);
  }
  return {
    response: {
      statusCode: response.status,
      headers: { ...response.headers },
      body: Readable.from([Buffer.from(response.body)]),
    },
  };
}

/** The client calls a DynamoDB in this process. It uses no network and never retries. */
export function inProcessClient(service: AwsService, fate: (operation: string) => Cut = () => undefined) {
  return new DynamoDBClient({
    region: 'eu-west-1',
    endpoint: 'http://in-process',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    requestHandler: {
      handle: async (request: HttpRequest) => {
        const cut = fate(request.headers['x-amz-target']?.split('.').at(-1) ?? '');
        if (cut === 'before') throw cutOff();
        const response = await respond(service, request);
        if (cut === 'after') throw cutOff();
        return response;
      },
    } as never,
  });
}
