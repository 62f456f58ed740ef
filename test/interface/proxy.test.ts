import { gzipSync } from 'node:zlib';
import type { Responder, TestDestination } from '../support/destination.ts';
import { fetchOf } from '../support/http-client.ts';
import { headerOf, HOSTILE_URLS } from '../support/hostile-addresses.ts';
import { CLOSED_PORT } from '../support/run-service.ts';
import {
  anApplication,
  call,
  credentials,
  describeNeeding,
  management,
  openDestination,
  type Answer as ApiResponse,
  type CallOptions,
  type HttpClient,
} from '../support/service.ts';

let app: HttpClient & { readonly key: string };
let destination: TestDestination;
let opened: TestDestination | undefined;
let tokens: { card: string; text: string; hostile: string; lines: string };

const CARD = { number: '5555341244441115', expiration_month: 12, expiration_year: 2030 };
const base = () => `https://localhost:${String(destination.port)}`;
/** Where no test sends anything. */
const NOWHERE = 'https://api.example.com';

/** One request through the proxy, and the request that the destination received. */
async function through(
  method: string,
  options: CallOptions & { url?: string; path?: string } = {},
): Promise<{ response: ApiResponse; got: TestDestination['received'][number] | undefined }> {
  const { url = `${base()}/in`, path = '/proxy', headers, ...rest } = options;
  destination.received.length = 0;
  const reply = await app.send(method, path, { ...rest, headers: { 'SVC-PROXY-URL': url, ...headers } });
  return { response: reply, got: destination.received[0] };
}

async function aToken(data: unknown, more: Record<string, unknown> = {}): Promise<string> {
  return (await app.post('/tokens', { type: 'token', data, ...more })).body.id;
}

beforeAll(async () => {
  app = await anApplication({ permissions: ['token:create', 'token:use'] });
  tokens = {
    card: await aToken(CARD, { type: 'card' }),
    text: await aToken('plain text'),
    hostile: await aToken('a"b\\c&d=e<f>\'{{ x }}%20+ü'),
    lines: await aToken('two\r\nlines'),
  };
});

/** Lets the tests of a block call a destination. */
function serving(): void {
  beforeAll(async () => {
    opened ??= await openDestination();
    destination = opened;
  });
  beforeEach(() => {
    destination.respond = (_received, response) => response.end('ok');
  });
}

describeNeeding('openDestination', 'the proxy', () => {
  serving();

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'forwards %s and returns the response of the destination',
    async (method) => {
      destination.respond = (_received, response) => {
        response.writeHead(418, {
          'Content-Type': 'text/x-tea',
          'X-Twice': ['a', 'b'],
          'Set-Cookie': ['c=1', 'd=2'],
          Connection: 'close',
          'SVC-TRACE-ID': 'theirs',
        });
        response.end('short and stout');
      };
      const { response: reply, got } = await through(
        method,
        method === 'GET' ? {} : { body: { card: `{{ ${tokens.card} }}` } },
      );
      expect([reply.status, reply.body, reply.headers.get('svc-proxy-destination-status')]).toEqual([
        418,
        'short and stout',
        '418',
      ]);
      expect([
        reply.headers.get('content-type'),
        reply.headers.get('x-twice'),
        reply.headers.getSetCookie(),
      ]).toEqual(['text/x-tea', 'a, b', ['c=1', 'd=2']]);
      expect(reply.headers.get('svc-trace-id')).not.toBe('theirs');
      expect(got).toMatchObject({ method, url: '/in' });
      if (method !== 'GET') expect(JSON.parse(got?.body.toString() ?? '')).toEqual({ card: CARD });
    },
  );

  it('joins path and query to those of the destination', async () => {
    const one = await through('GET', { url: `${base()}/base/?own=1`, path: '/proxy/a/b?x=1&y=%20z' });
    expect(one.got?.url).toBe('/base/a/b?own=1&x=1&y=%20z');
    const two = await through('GET', { url: base(), path: '/proxy/' });
    expect(two.got?.url).toBe('/');
    const three = await through('GET', {
      url: `${base()}/base`,
      path: `/proxy?card={{${tokens.card}|json:'$.number'}}&t=${encodeURIComponent(`{{ ${tokens.hostile} }}`)}`,
    });
    const query = new URL(`${base()}${three.got?.url ?? ''}`).searchParams;
    expect([query.get('card'), query.get('t')]).toEqual([CARD.number, 'a"b\\c&d=e<f>\'{{ x }}%20+ü']);
  });

  it('forwards headers of the caller with expressions filled in, and none of the service', async () => {
    const { got } = await through('GET', {
      headers: {
        Authorization: `Bearer {{ ${tokens.text} }}`,
        'X-Other': 'as it is',
        'SVC-UNKNOWN': 'x',
        'SVC-TRACE-ID': 'my-trace',
        'SVC-PROXY-KEEP-ALIVE': 'timeout=9',
        'SVC-PROXY-CONNECTION': 'keep-alive',
        'X-Forwarded-For': '1.2.3.4',
        Cookie: 'a=b',
      },
    });
    expect(got?.headers).toMatchObject({
      authorization: 'Bearer plain text',
      'x-other': 'as it is',
      'svc-trace-id': 'my-trace',
      'keep-alive': 'timeout=9',
      connection: 'keep-alive',
      host: `localhost:${String(destination.port)}`,
      cookie: 'a=b',
    });
    for (const name of Object.keys(got?.headers ?? {}))
      expect(name).not.toMatch(/^(svc-(?!trace-id)|x-forwarded|x-amz)/);
  });

  it.each([
    [
      'application/json',
      (id: string) =>
        `{ "a" : [ "{{ ${id} }}", "x {{ ${id} }}", 1e400, 12345678901234567890 ], "{{ key }}": null }`,
      (value: string) =>
        `{ "a" : [ ${JSON.stringify(value)}, ${JSON.stringify(`x ${value}`)}, 1e400, 12345678901234567890 ], "{{ key }}": null }`,
    ],
    [
      'application/vnd.x+json',
      (id: string) => `"\\u007b{ ${id} }}"`,
      (value: string) => JSON.stringify(value),
    ],
    [
      'application/x-www-form-urlencoded',
      (id: string) => `a=%20b+c&d=${encodeURIComponent(`{{ ${id} }}`)}&e`,
      (value: string) => `a=%20b+c&d=${new URLSearchParams([['', value]]).toString().slice(1)}&e`,
    ],
    [
      'application/xml',
      (id: string) => `<a b="{{ ${id} }}">{{ ${id} }}</a>`,
      (value: string) => {
        const escaped = value
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&lt;')
          .replaceAll('>', '&gt;')
          .replaceAll('"', '&quot;')
          .replaceAll("'", '&#39;');
        return `<a b="${escaped}">${escaped}</a>`;
      },
    ],
    ['text/plain', (id: string) => `- {{ ${id} }} -`, (value: string) => `- ${value} -`],
  ])('fills in a body of %s, encoded for its place in the body', async (type, body, expected) => {
    const { got } = await through('POST', { raw: body(tokens.hostile), headers: { 'Content-Type': type } });
    expect(got?.body.toString()).toBe(expected('a"b\\c&d=e<f>\'{{ x }}%20+ü'));
    expect(got?.headers['content-length']).toBe(String(got?.body.length));
  });

  it('fills in a token that the rules of the caller allow', async () => {
    const narrow = await anApplication({
      rules: [{ priority: 1, container: '/general/', transform: 'reveal', permissions: ['token:use'] }],
    });
    const headers = { 'SVC-PROXY-URL': base() };
    expect((await narrow.post('/proxy', { a: `{{ ${tokens.text} }}` }, { headers })).status).toBe(200);
    expect(destination.received.at(-1)?.body.toString()).toBe('{"a":"plain text"}');
  });

  it('fills in text fields of multipart, and passes files byte for byte', async () => {
    const file = Buffer.from([0, 255, 13, 10, ...Buffer.from(`{{ ${tokens.text} }}`), 1]);
    const head = Buffer.from(
      `--B\r\nContent-Disposition: form-data; name="t"\r\n\r\nx {{ ${tokens.text} }}\r\n--B\r\nContent-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\n`,
    );
    const body = Buffer.concat([head, file, Buffer.from('\r\n--B--\r\n')]);
    const { got } = await through('POST', {
      raw: body,
      headers: { 'Content-Type': 'multipart/form-data; boundary=B' },
    });
    const filled = Buffer.concat([
      Buffer.from(head.toString().replace(`{{ ${tokens.text} }}`, 'plain text')),
      file,
      Buffer.from('\r\n--B--\r\n'),
    ]);
    expect(got?.body).toEqual(filled);
  });

  it('forwards binary, compressed or non-JSON bodies byte for byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    for (const [type, raw, headers] of [
      ['application/octet-stream', Buffer.concat([bytes, Buffer.from('{{ x }}')]), {}],
      ['application/json', Buffer.from('{not json'), {}],
      ['application/json', gzipSync('{"a":"{{ x }}"}'), { 'Content-Encoding': 'gzip' }],
      ['text/plain', bytes, {}],
    ] as const) {
      const { response: reply, got } = await through('POST', {
        raw,
        headers: { 'Content-Type': type, ...headers },
      });
      expect([reply.status, got?.body.equals(raw)]).toEqual([200, true]);
    }
  });

  it('fills in JSON whatever its type says', async () => {
    for (const type of ['application/octet-stream', 'image/png', 'text/plain']) {
      const raw = Buffer.from(`{"a":"{{ ${tokens.text} }}"}`);
      const { got } = await through('POST', { raw, headers: { 'Content-Type': type } });
      expect([type, got?.body.toString()]).toEqual([type, '{"a":"plain text"}']);
    }
  });

  it('returns binary responses byte for byte', async () => {
    const sent = gzipSync('x'.repeat(10_000));
    destination.respond = (_received, response) =>
      response
        .writeHead(200, { 'Content-Encoding': 'identity', 'Content-Type': 'application/gzip' })
        .end(sent);
    const headers = { 'SVC-API-KEY': app.key, 'SVC-PROXY-URL': base() };
    const response = await fetchOf(credentials.base_url)(`${credentials.base_url}/proxy`, { headers });
    expect(Buffer.from(await response.arrayBuffer()).equals(sent)).toBe(true);
  });

  it('renames the address of a redirect and does not follow it, so that no client takes its key there', async () => {
    destination.received.length = 0;
    destination.respond = (_received, response) =>
      response.writeHead(307, { Location: 'https://169.254.169.254/', Refresh: '0; url=/' }).end();
    const { base_url: baseUrl } = credentials;
    const response = await fetchOf(baseUrl)(`${baseUrl}/proxy`, {
      headers: { 'SVC-API-KEY': app.key, 'SVC-PROXY-URL': base() },
    });
    expect(response.status).toBe(307);
    expect(response.headers.get('svc-proxy-location')).toBe('https://169.254.169.254/');
    expect([response.headers.get('location'), response.headers.get('refresh')]).toEqual([null, null]);
    expect(destination.received).toHaveLength(1);
  });
});

/** The shop signs off an amount of 100; the creator of the token plants another one. */
const PLANTED = 'acct","amount":1,"z":"';

describeNeeding('openDestination', 'a planted value', () => {
  serving();

  const nested = (id: string) => `{"amount":100,"to":"{{ ${id} }}"}`;
  const unescaped = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  const BODIES = [
    {
      place: 'a form field',
      type: 'application/x-www-form-urlencoded',
      wrap: (json: string) => `payload=${encodeURIComponent(json)}`,
      read: (body: string) => new URLSearchParams(body).get('payload'),
    },
    {
      place: 'XML text',
      type: 'application/xml',
      wrap: (json: string) => `<p>${json.replaceAll('"', '&quot;')}</p>`,
      read: (body: string) => unescaped(body.replace(/^<p>|<\/p>$/g, '')),
    },
    {
      place: 'a JSON string',
      type: 'application/json',
      wrap: (json: string) => JSON.stringify({ payload: json }),
      read: (body: string) => (JSON.parse(body) as { payload: string }).payload,
    },
    {
      place: 'a multipart field',
      type: 'multipart/form-data; boundary=BB',
      wrap: (json: string) =>
        `--BB\r\nContent-Disposition: form-data; name="payload"\r\n\r\n${json}\r\n--BB--\r\n`,
      read: (body: string) => /\r\n\r\n(.*)\r\n--/s.exec(body)?.[1],
    },
  ];

  it.each(BODIES)('stays in its string of JSON in $place', async ({ type, wrap, read }) => {
    const id = await aToken(PLANTED);
    const { got } = await through('POST', { raw: wrap(nested(id)), headers: { 'Content-Type': type } });
    expect(JSON.parse(read(got?.body.toString() ?? '') ?? '')).toEqual({ amount: 100, to: PLANTED });
  });

  it('stays in its string of JSON in a query value', async () => {
    const query = encodeURIComponent(nested(await aToken(PLANTED)));
    const { got } = await through('GET', { path: `/proxy?payload=${query}` });
    const payload = new URL(`${base()}${got?.url ?? ''}`).searchParams.get('payload') ?? '';
    expect(JSON.parse(payload)).toEqual({ amount: 100, to: PLANTED });
  });

  it('is refused in a header if it could add a member or a parameter', async () => {
    const planted = await aToken(PLANTED);
    const cookie = await aToken('u1; role=admin');
    const list = await aToken('a, b');
    const text = await aToken('a b');
    const sent = async (value: string) =>
      (await through('GET', { headers: { 'X-Payload': value } })).response.status;
    expect(await sent(nested(planted))).toBe(400);
    expect(await sent(`user={{ ${cookie} }}; role=guest`)).toBe(400);
    expect(await sent(`x {{ ${list} }}`)).toBe(400);
    expect(await sent(`user={{ ${text} }}; role=guest`)).toBe(200);
    expect(await sent(`{{ ${cookie} }}`)).toBe(200);
  });

  it.each([
    ['gbk', '中","amount":1,"z":"中'],
    ['shift_jis', '亁","amount":1,"z":"'],
    ['big5', '中","amount":1,"z":"中'],
  ])('is refused in a body of %s, in which it would hide an escape', async (charset, value) => {
    const id = await aToken(value);
    const harmless = await aToken('acct');
    const sent = (to: string) =>
      through('POST', {
        raw: nested(to),
        headers: { 'Content-Type': `application/json; charset=${charset}` },
      });
    expect((await sent(id)).response.status).toBe(400);
    expect((await sent(harmless)).got?.body.toString()).toBe('{"amount":100,"to":"acct"}');
  });
});

describeNeeding('openDestination', 'headers of a response that bind a browser to the service', () => {
  serving();

  const BINDING = {
    NEL: '{"report_to":"x","max_age":2592000}',
    'Report-To': '{"group":"x","max_age":2592000,"endpoints":[{"url":"https://evil.example/"}]}',
    'Reporting-Endpoints': 'default="https://evil.example/"',
    'Alt-Svc': 'h3="evil.example:443"; ma=86400',
    'Strict-Transport-Security': 'max-age=0',
    'Clear-Site-Data': '"*"',
    'Public-Key-Pins': 'x',
    'Public-Key-Pins-Report-Only': 'x',
  };

  it.each([undefined, 'https://shop.example'])(
    'are removed for a request with the Origin %s',
    async (origin) => {
      destination.respond = (_received, response) => {
        response.writeHead(200, { ...BINDING, 'Set-Cookie': 'a=b; Path=/', 'X-Other': 'c' });
        response.end('ok');
      };
      const { response: reply } = await through(
        'GET',
        origin === undefined ? {} : { headers: { Origin: origin } },
      );
      expect(Object.keys(BINDING).filter((name) => reply.headers.has(name))).toEqual([]);
      expect(reply.headers.get('x-other')).toBe('c');
      expect(reply.headers.getSetCookie()).toEqual(origin === undefined ? ['a=b; Path=/'] : []);
    },
  );
});

const expectProblem = ({ status, body, headers }: ApiResponse, expected: number) => {
  expect([status, Object.keys(body), body.proxy_error?.status]).toEqual([
    expected,
    ['proxy_error'],
    expected,
  ]);
  expect(headers.get('svc-proxy-destination-status')).toBeNull();
};

describe('a failure of the proxy before it sends anything', () => {
  const sending = (body: unknown, as: HttpClient = app, headers = {}) =>
    as.post('/proxy', body, { headers: { 'SVC-PROXY-URL': NOWHERE, ...headers } });
  const getting = (url: string, headers = {}) =>
    app.get('/proxy', { headers: { 'SVC-PROXY-URL': url, ...headers } });

  it('is a 401, 403 or 405 in a wrapper of its own', async () => {
    expectProblem(await call('key_private_x', 'GET', '/proxy'), 401);
    const headers = { 'SVC-PROXY-URL': NOWHERE };
    expectProblem(await management.get('/proxy', { headers }), 403);
    const reading = await anApplication({ permissions: ['token:read'] });
    expectProblem(await reading.get('/proxy', { headers }), 403);
    expect((await app.send('HEAD', '/proxy')).status).toBe(405);
  });

  it('is a 403 for a token outside of the rules of the caller', async () => {
    const narrow = await anApplication({
      rules: [{ priority: 1, container: '/general/', transform: 'reveal', permissions: ['token:use'] }],
    });
    expectProblem(await sending({ a: `{{ ${tokens.card} }}` }, narrow), 403);
  });

  it('is a 400 for an unknown token, a bad expression or too many', async () => {
    const unknown = await sending({ a: '{{ nothing }}' });
    expectProblem(unknown, 400);
    expect(unknown.body.proxy_error).toMatchObject({
      detail: 'Failed to detokenize some tokens: nothing',
      errors: { 'body.a': ['names an unknown or expired token'] },
    });
    for (const bad of ['{{', '{{ }}', `{{ ${tokens.text} | nothing }}`, `{{ ${tokens.text} | to_number }}`])
      expectProblem(await sending({ a: bad }), 400);
    expectProblem(await sending(Array.from({ length: 101 }, (_, index) => `{{ id-${String(index)} }}`)), 400);
    const raw = '{"a": {{ x }}';
    const headers = { 'SVC-PROXY-URL': NOWHERE, 'Content-Type': 'application/json' };
    expectProblem(await app.send('POST', '/proxy', { raw, headers }), 400);
  });

  it('is a 400 for a header value that would split the request', async () => {
    expectProblem(await getting(NOWHERE, { 'X-A': `{{ ${tokens.lines} }}` }), 400);
  });

  it('is a 400 for a missing or invalid destination, and for the service itself', async () => {
    expectProblem(await app.get('/proxy'), 400);
    for (const url of [
      'x',
      'ftp://localhost',
      'http://localhost:20480',
      'https://user:pass@localhost:20480',
      'https://{{ x }}.example',
      `https://example.com/${'x'.repeat(400)}`,
      `https://${new URL(credentials.base_url).host}/`,
    ])
      expectProblem(await getting(url), 400);
  });

  it('is a 400 or 502 for every spelling of an address that is not public', async () => {
    expect(HOSTILE_URLS.length).toBeGreaterThanOrEqual(200);
    const statuses = await Promise.all(
      HOSTILE_URLS.map(async (url) => {
        const { status, body } = await getting(headerOf(url));
        return [url, status, body.proxy_error?.status];
      }),
    );
    expect(
      statuses.filter(([, status, wrapped]) => !(status === 400 || status === 502) || status !== wrapped),
    ).toEqual([]);
  });
});

describeNeeding('openDestination', 'a call that the destination fails', () => {
  serving();
  const closed = `https://localhost:${String(CLOSED_PORT)}`;

  it('is a 502 if nothing listens, or if the response ends early or is larger than 6 MB', async () => {
    const getting = (url: string) => app.get('/proxy', { headers: { 'SVC-PROXY-URL': url } });
    expectProblem(await getting(closed), 502);
    for (const respond of [
      (_received, response) => {
        response.writeHead(200, { 'Content-Length': '100' }).write('x');
        setTimeout(() => response.destroy(), 50);
      },
      (_received, response) => response.socket?.destroy(),
      (_received, response) => response.end(Buffer.alloc(6_000_001)),
    ] satisfies Responder[]) {
      destination.respond = respond;
      expectProblem(await getting(base()), 502);
    }
  });

  it('shows the caller nothing of the request that was sent', async () => {
    const { response: reply } = await through('POST', {
      url: closed,
      body: { a: `{{ ${tokens.card} }}` },
      headers: { Authorization: `{{ ${tokens.text} }}` },
    });
    expectProblem(reply, 502);
    expect(JSON.stringify(reply.body)).not.toMatch(/5555|plain text/);
  });
});
