import { request, type IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { AwsError } from '../../src/aws-service.ts';
import type { HttpApi } from '../../src/gateway/gateway-definition.ts';
import {
  startHttpGateway,
  type HttpGateway,
  type HttpGatewayOptions,
} from '../../src/gateway/http-gateway.ts';

interface Response {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let gateway: HttpGateway | undefined;

afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

const integration = { id: 'i', apiId: 'abc', functionArn: 'fn', timeoutMs: 200 };

function anApi(parts: Partial<HttpApi> = {}): HttpApi {
  return {
    id: 'abc',
    stage: { apiId: 'abc', defaultThrottling: {}, routeThrottling: {} },
    routes: [{ routeKey: 'ANY /x/{proxy+}', integration }],
    ...parts,
  };
}

type Invoke = HttpGatewayOptions['functions']['invoke'];

const ok: Invoke = () => Promise.resolve({ failed: false, payload: '{"statusCode":200,"body":"ok"}' });

async function start(
  invoke: Invoke = ok,
  api = anApi(),
  isPermitted: (source: string) => boolean = () => true,
): Promise<void> {
  gateway = await startHttpGateway({
    api,
    functions: {
      invoke,
      isPermitted: (_name, principal, source) =>
        principal === 'apigateway.amazonaws.com' && isPermitted(source),
    },
    port: 0,
    accountId: '000000000000',
    region: 'us-east-1',
  });
}

function send(
  path: string,
  options: { method?: string; headers?: Record<string, string>; host?: string } = {},
  body = '',
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const sent = request(
    { host: '127.0.0.1', port: gateway?.port, path, agent: false, ...options },
    (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      });
    },
  );
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

it.each(['GET', 'POST', 'OPTIONS'])('a %s to another Host than localhost is rejected', async (method) => {
  const invoked: string[] = [];
  await start(
    (name, event) => {
      invoked.push(name);
      return ok(name, event);
    },
    anApi({ cors: { allowOrigins: ['*'], allowMethods: ['*'], allowHeaders: ['*'] } as never }),
  );
  const headers = {
    Host: `evil.example:${String(gateway?.port)}`,
    Origin: 'http://evil.example',
    'Access-Control-Request-Method': 'POST',
  };
  const refused = await send('/x/y', { method, headers });
  expect([refused.status, refused.body, refused.headers['access-control-allow-origin']]).toEqual([
    403,
    expect.stringContaining('localhost only'),
    undefined,
  ]);
  expect(invoked).toEqual([]);
  expect((await send('/x/y', { headers: { Host: 'LOCALHOST' } })).status).toBe(200);
});

it('a request without a Host is rejected', async () => {
  await start();
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(gateway?.port ?? 0, '127.0.0.1');
  let reply = '';
  socket.on('data', (piece) => (reply += piece.toString()));
  socket.on('close', () => {
    resolve(reply);
  });
  socket.end('GET /x/y HTTP/1.1\r\nConnection: close\r\n\r\n');
  expect(await promise).toMatch(/^HTTP\/1\.1 403 /);
});

it('a function gets the event and its response is returned, with the id of the request', async () => {
  let event = '';
  await start((_name, payload) => {
    event = payload;
    return Promise.resolve({
      failed: false,
      payload: '{"statusCode":202,"headers":{"X-A":"1"},"cookies":["c=1"],"body":"done"}',
    });
  });
  const reply = await send('/x/y?q=1', { method: 'PUT', headers: { 'content-type': 'text/plain' } }, 'hello');
  expect(reply).toMatchObject({ status: 202, body: 'done', headers: { 'x-a': '1', 'set-cookie': ['c=1'] } });
  expect(JSON.parse(event)).toMatchObject({
    routeKey: 'ANY /x/{proxy+}',
    rawPath: '/x/y',
    rawQueryString: 'q=1',
    body: 'hello',
    requestContext: {
      requestId: reply.headers['apigw-requestid'],
      http: { method: 'PUT', sourceIp: '127.0.0.1' },
    },
  });
});

it('HEAD gets the length and no body', async () => {
  await start();
  expect(await send('/x/y', { method: 'HEAD' })).toMatchObject({
    status: 200,
    body: '',
    headers: { 'content-length': '2' },
  });
});

it('localhost works over IPv4 and IPv6', async () => {
  await start();
  const responses = await Promise.allSettled(['127.0.0.1', '::1'].map((host) => send('/x/y', { host })));
  expect(responses[0]).toMatchObject({ value: { status: 200 } });
  // A machine without IPv6 rejects the connection.
  expect([200, undefined]).toContain(
    responses[1]?.status === 'fulfilled' ? responses[1].value.status : undefined,
  );
});

describe('the gateway itself returns an error for', () => {
  const failing: Invoke = () => Promise.resolve({ failed: true, payload: '{"errorType":"Error"}' });
  const throttled: Invoke = () =>
    Promise.reject(new AwsError('TooManyRequestsException', 429, 'Rate Exceeded.'));
  const tooLarge: Invoke = () => Promise.reject(new AwsError('RequestTooLargeException', 413, 'too large'));
  const broken: Invoke = () => Promise.resolve({ failed: false, payload: '{"statusCode":"x"}' });
  const badHeader: Invoke = () =>
    Promise.resolve({ failed: false, payload: '{"statusCode":200,"headers":{"a":"b\\nc"}}' });
  const slow: Invoke = () => new Promise(() => undefined);

  it.each<[string, Invoke, string, number, string]>([
    ['an unknown route', ok, '/y', 404, 'Not Found'],
    ['a path that cannot be decoded', ok, '/x/100%25', 400, 'Bad Request'],
    ['a function that fails', failing, '/x/y', 500, 'Internal Server Error'],
    ['a malformed response of a function', broken, '/x/y', 500, 'Internal Server Error'],
    ['a header that HTTP cannot carry', badHeader, '/x/y', 500, 'Internal Server Error'],
    ['a function that takes too long', slow, '/x/y', 503, 'Service Unavailable'],
    ['a throttled function', throttled, '/x/y', 503, 'Service Unavailable'],
    ['an event that is too large for Lambda', tooLarge, '/x/y', 413, 'Request Entity Too Large'],
  ])('%s', async (_what, invoke, path, status, message) => {
    await start(invoke);
    expect(await send(path)).toMatchObject({
      status,
      body: JSON.stringify({ message }),
      headers: { 'content-type': 'application/json' },
    });
  });

  it('the gateway returns 503 without Retry-After for a function without a free instance, as on AWS', async () => {
    await start(throttled);
    const { headers } = await send('/x/y');
    expect(Object.keys(headers)).not.toContain('retry-after');
  });

  it('the gateway returns an error for a function without a permission for the API', async () => {
    const sources: string[] = [];
    await start(ok, anApi(), (source) => {
      sources.push(source);
      return false;
    });
    expect(await send('/x/y')).toMatchObject({ status: 500 });
    expect(sources).toEqual(['arn:aws:execute-api:us-east-1:000000000000:abc/$default/ANY/x/{proxy+}']);
  });

  it('a body over 10 MB, without running the function', async () => {
    await start(() => Promise.reject(new Error('was called')));
    expect(await send('/x/y', { method: 'POST' }, 'x'.repeat(10 * 1024 * 1024 + 1))).toMatchObject({
      status: 413,
    });
  });

  it('headers over 10,240 bytes', async () => {
    await start();
    expect(await send('/x/y', { headers: { 'x-long': 'x'.repeat(10_240) } })).toMatchObject({ status: 431 });
  });

  it('requests over the rate of the stage, and of the route if it has one', async () => {
    const few = { ratePerSecond: 0.001, burst: 1 };
    const route = { routeKey: 'GET /own', integration };
    const stage = {
      apiId: 'abc',
      defaultThrottling: few,
      routeThrottling: { 'GET /own': { ...few, burst: 2 } },
    };
    await start(ok, anApi({ stage, routes: [...anApi().routes, route] }));
    const statuses = [];
    for (const path of ['/x/1', '/x/2', '/own', '/own', '/own']) statuses.push((await send(path)).status);
    expect(statuses).toEqual([200, 429, 200, 200, 429]);
  });
});

describe('cross-origin requests', () => {
  const cors = {
    allowCredentials: true,
    allowHeaders: ['content-type', 'svc-api-key'],
    allowMethods: ['GET', 'POST'],
    allowOrigins: ['https://shop.example', 'http://*'],
    exposeHeaders: ['svc-trace-id'],
    maxAgeSeconds: 600,
  };
  const preflight = {
    method: 'OPTIONS',
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
  };
  const withOwnHeaders: Invoke = () =>
    Promise.resolve({
      failed: false,
      payload: '{"statusCode":200,"headers":{"Access-Control-Allow-Origin":"evil"}}',
    });

  it('a preflight gets a response without a route or a function', async () => {
    await start(() => Promise.reject(new Error('was called')), anApi({ cors }));
    const { status, headers, body } = await send('/anywhere', preflight);
    expect({ status, body }).toEqual({ status: 204, body: '' });
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://shop.example',
      'access-control-allow-methods': 'GET,POST',
      'access-control-allow-headers': 'content-type,svc-api-key',
      'access-control-allow-credentials': 'true',
      'access-control-max-age': '600',
    });
  });

  it('a preflight of another origin gets no permission', async () => {
    await start(ok, anApi({ cors }));
    const headers = { ...preflight.headers, origin: 'https://other.example' };
    const reply = await send('/x/y', { ...preflight, headers });
    expect(reply.status).toBe(204);
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('responses have the headers of the API, not those of the function', async () => {
    await start(withOwnHeaders, anApi({ cors }));
    expect((await send('/x/y', { headers: { origin: 'http://any.example' } })).headers).toMatchObject({
      'access-control-allow-origin': 'http://any.example',
      'access-control-expose-headers': 'svc-trace-id',
    });
    expect((await send('/x/y')).headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('responses of the gateway itself have them too', async () => {
    await start(ok, anApi({ cors }));
    const reply = await send('/nowhere', { headers: { origin: 'http://any.example' } });
    expect(reply).toMatchObject({
      status: 404,
      headers: { 'access-control-allow-origin': 'http://any.example' },
    });
  });

  it('wildcards are sent as configured, since browsers apply them', async () => {
    const wildcards = {
      allowCredentials: false,
      allowOrigins: ['*'],
      allowMethods: ['*'],
      exposeHeaders: ['*'],
      allowHeaders: ['*', 'authorization'],
    };
    const few = { ratePerSecond: 0.001, burst: 1 };
    const stage = { apiId: 'abc', defaultThrottling: few, routeThrottling: {} };
    await start(ok, anApi({ cors: wildcards, stage }));
    expect((await send('/x/y', preflight)).headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': '*',
      'access-control-allow-headers': '*,authorization',
    });
    const fromPage = { headers: { origin: 'http://any.example' } };
    const responses = [await send('/x/y', fromPage), await send('/x/y', fromPage)];
    expect(responses.map(({ status }) => status)).toEqual([200, 429]);
    for (const { headers } of responses)
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': '*',
      });
  });

  it('all requests go to the function without a configuration of cross-origin requests', async () => {
    await start(withOwnHeaders);
    expect(await send('/x/y', preflight)).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': 'evil' },
    });
  });
});

it('a port in use is reported', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  const functions = { invoke: ok, isPermitted: () => true };
  const started = startHttpGateway({ api: anApi(), functions, port, accountId: '0', region: 'r' });
  const by = process.platform === 'linux' ? ` by process ${String(process.pid)} (` : '';
  await expect(started).rejects.toThrow(`port ${String(port)} is in use${by}`);
  other.close();
});
