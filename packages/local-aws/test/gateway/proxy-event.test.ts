import { type EventRoute, type GatewayRequest, proxyEvent } from '../../src/gateway/proxy-event.ts';

function eventOf(
  request: Partial<GatewayRequest> = {},
  route: Partial<EventRoute> = {},
): Record<string, unknown> {
  const text = proxyEvent(
    {
      method: 'POST',
      path: { raw: '/tokens/a b', segments: ['tokens', 'a b'] },
      rawQueryString: '',
      rawHeaders: ['Host', 'localhost:8787', 'User-Agent', 'curl/8'],
      body: Buffer.alloc(0),
      protocol: 'HTTP/1.1',
      sourceIp: '127.0.0.1',
      port: 8787,
      ...request,
    },
    {
      accountId: '000000000000',
      apiId: 'abc',
      routeKey: 'POST /tokens/{id}',
      pathParameters: {},
      stageVariables: undefined,
      requestId: 'r=',
      ...route,
    },
    Date.UTC(2026, 6, 10, 19, 19, 5),
  );
  return JSON.parse(text) as Record<string, unknown>;
}

it('an event without a body has every member of payload format 2.0 that AWS sends', () => {
  expect(eventOf()).toEqual({
    version: '2.0',
    routeKey: 'POST /tokens/{id}',
    rawPath: '/tokens/a b',
    rawQueryString: '',
    headers: {
      host: 'localhost:8787',
      'user-agent': 'curl/8',
      'content-length': '0',
      'x-amzn-trace-id': expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/),
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-port': '8787',
      'x-forwarded-proto': 'http',
    },
    requestContext: {
      accountId: '000000000000',
      apiId: 'abc',
      domainName: 'localhost',
      domainPrefix: 'localhost',
      http: {
        method: 'POST',
        path: '/tokens/a b',
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: 'curl/8',
      },
      requestId: 'r=',
      routeKey: 'POST /tokens/{id}',
      stage: '$default',
      time: '10/Jul/2026:19:19:05 +0000',
      timeEpoch: Date.UTC(2026, 6, 10, 19, 19, 5),
    },
    isBase64Encoded: false,
  });
});

it('headers are lower-case and joined, cookies separate, and connection headers dropped', () => {
  const rawHeaders = [
    'X-A',
    '1',
    'x-a',
    '2',
    'Cookie',
    'a=1; b=2',
    'cookie',
    'c=3',
    'Connection',
    'keep-alive',
    'Expect',
    '100-continue',
  ];
  const { headers, cookies } = eventOf({ rawHeaders });
  expect(headers).toMatchObject({ 'x-a': '1,2' });
  expect(Object.keys(headers as object)).not.toEqual(
    expect.arrayContaining(['cookie', 'connection', 'expect']),
  );
  expect(cookies).toEqual(['a=1', 'b=2', 'c=3']);
});

it('query parameters are decoded and joined, the query string stays unchanged', () => {
  const rawQueryString = 'repeat=one&repeat=two&plus=a+b&encoded=a%2Bb&empty=&bare&bad=%E0';
  expect(eventOf({ rawQueryString })).toMatchObject({
    rawQueryString,
    queryStringParameters: {
      repeat: 'one,two',
      plus: 'a b',
      encoded: 'a+b',
      empty: '',
      bare: '',
      bad: '%E0',
    },
  });
});

it('path parameters and stage variables are present if there are any', () => {
  const event = eventOf({}, { pathParameters: { id: 'x' }, stageVariables: { a: 'b' } });
  expect(event).toMatchObject({ pathParameters: { id: 'x' }, stageVariables: { a: 'b' } });
});

it.each([
  ['application/json', false],
  ['Application/JSON; charset=utf-8', false],
  ['application/xml', false],
  ['application/javascript', false],
  ['text/csv', false],
  ['application/merge-patch+json', true],
  ['application/x-www-form-urlencoded', true],
  ['application/octet-stream', true],
  [undefined, true],
])('a body of type %s is in base64: %s', (type, isBase64Encoded) => {
  const body = Buffer.from('{"é":1}');
  const rawHeaders = type === undefined ? [] : ['Content-Type', type];
  expect(eventOf({ body, rawHeaders })).toMatchObject({
    body: body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  });
});
