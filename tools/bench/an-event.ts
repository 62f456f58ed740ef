/** Events of an HTTP API differ in these members. */
export interface EventOf {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly key: string;
  readonly id?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * An event of an HTTP API (payload format 2.0), with the headers that a client and API Gateway
 * send.
 */
export function anEvent({ method, path, query = '', key, id, headers = {}, body }: EventOf): object {
  return {
    version: '2.0',
    routeKey: `${method} ${path}`,
    rawPath: path,
    rawQueryString: query,
    headers: {
      accept: '*/*',
      'accept-encoding': 'gzip, br',
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      host: 'abcdefghij.execute-api.us-east-1.amazonaws.com',
      'svc-api-key': key,
      'user-agent': 'node',
      'x-amzn-trace-id': 'Root=1-5e6722a7-cc56xmpl46db7ae02d4da47e',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
      ...headers,
    },
    requestContext: {
      accountId: '000000000000',
      apiId: 'abcdefghij',
      domainName: 'abcdefghij.execute-api.us-east-1.amazonaws.com',
      domainPrefix: 'abcdefghij',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '203.0.113.7', userAgent: 'node' },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey: '$default',
      stage: '$default',
      time: '21/Nov/2026:10:15:30 +0000',
      timeEpoch: Date.now(),
    },
    ...(id === undefined ? {} : { pathParameters: { id } }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  };
}
