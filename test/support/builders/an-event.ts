import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { generateApiKey } from '../../../src/core/crypto/api-key.ts';
import { TENANT } from './a-stored-token.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

export const KEY = generateApiKey(machinePlatform.random, 'private', TENANT).reveal();

/** A request as API Gateway passes it to a function. */
export function anEvent({
  method = 'GET',
  path = '/things',
  query = '',
  headers = { 'SVC-API-KEY': KEY },
  body,
}: {
  method?: string;
  path?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
} = {}): APIGatewayProxyEventV2 {
  return {
    rawPath: path,
    rawQueryString: query,
    headers,
    requestContext: { http: { method, sourceIp: '203.0.113.1' }, domainName: 'api.example.com' },
    ...(body === undefined ? {} : { body: Buffer.from(body).toString('base64') }),
    isBase64Encoded: true,
  } as unknown as APIGatewayProxyEventV2;
}
