import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createClient, USUAL, type AwsConnections } from '../../src/adapters/aws/client-settings.ts';
import { AwsError, type AwsResponse, type AwsService } from '../../packages/local-aws/src/aws-service.ts';

/** A call is lost `before` its effect, or its response `after` it. */
export type Cut = 'before' | 'after' | undefined;

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

const cutOff = () => Object.assign(new Error('the network was cut off'), { name: 'CutOff' });

/** Responds to a request of the SDK as the local endpoint does, without a network. */
export async function respond(service: AwsService, { method, path, query, headers, body = '' }: HttpRequest) {
  const call = {
    service: service.signingName,
    method,
    path,
    headers,
    query: new URLSearchParams(query),
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

/** Connects a client to a service in this process, without signatures and a network. */
export const inProcess = (
  handle: (request: HttpRequest) => ReturnType<typeof respond>,
): Pick<AwsConnections, 'reach' | 'clock'> => ({
  clock: Date.now,
  reach: () => ({
    region: 'eu-west-1',
    endpoint: 'http://in-process',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    signer: { sign: (request: object) => Promise.resolve(request) } as never,
    requestHandler: { handle } as never,
  }),
});

/** The client calls a DynamoDB in this process, and never retries. */
export function inProcessClient(service: AwsService, fate: (operation: string) => Cut = () => undefined) {
  const connections = inProcess(async (request) => {
    const cut = fate(request.headers['x-amz-target']?.split('.').at(-1) ?? '');
    if (cut === 'before') throw cutOff();
    const response = await respond(service, request);
    if (cut === 'after') throw cutOff();
    return response;
  });
  return createClient(DynamoDBClient, connections, { ...USUAL, maxAttempts: 1 });
}
