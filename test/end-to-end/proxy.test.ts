import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { CLOSED_PORT, runService, TEST_SETTINGS, type RunningService } from '../support/run-service.ts';
import { send, type ApiResponse, type CallOptions } from '../support/http-client.ts';
import { startDestination, testCertificate, type TestDestination } from '../support/destination.ts';
import { needing } from '../support/needing.ts';
import { IS_THOROUGH } from '../../packages/local-aws/test/thoroughness.ts';

const { describe } = needing('openssl');

let service: RunningService;
let destination: TestDestination;
let untrusted: TestDestination;
let key: string;
let tokens: { card: string; text: string; hostile: string; lines: string };

const CARD = { number: '5555341244441115', expiration_month: 12, expiration_year: 2030 };
const api = (method: string, path: string, options: CallOptions = {}, as: string | undefined = key) =>
  send(service.credentials.base_url, as, method, path, options);
const base = () => `https://localhost:${String(destination.port)}`;

/** One request through the proxy, and the request that the destination received. */
async function through(
  method: string,
  options: CallOptions & { url?: string; path?: string } = {},
): Promise<{ response: ApiResponse; got: TestDestination['received'][number] | undefined }> {
  const { url = `${base()}/in`, path = '/proxy', headers, ...rest } = options;
  destination.received.length = 0;
  const reply = await api(method, path, { ...rest, headers: { 'SVC-PROXY-URL': url, ...headers } });
  return { response: reply, got: destination.received[0] };
}

async function anApplication(grants: Record<string, unknown>): Promise<{ id: string; key: string }> {
  return (
    await api(
      'POST',
      '/applications',
      { body: { name: 'x', type: 'private', ...grants } },
      service.credentials.management_key,
    )
  ).body;
}

async function aToken(data: unknown, more: Record<string, unknown> = {}): Promise<string> {
  return (await api('POST', '/tokens', { body: { type: 'token', data, ...more } })).body.id;
}

beforeAll(async () => {
  const certificate = testCertificate();
  [destination, untrusted] = [await startDestination(certificate), await startDestination(testCertificate())];
  service = await runService([...TEST_SETTINGS, '--trust', certificate.certFile]);
  key = (await anApplication({ permissions: ['token:create', 'token:use'] })).key;
  tokens = {
    card: await aToken(CARD, { type: 'card' }),
    text: await aToken('plain text'),
    hostile: await aToken('a"b\\c&d=e<f>\'{{ x }}%20+ü'),
    lines: await aToken('two\r\nlines'),
  };
});

afterAll(async () => {
  await Promise.all([service.stop(), destination.close(), untrusted.close()]);
});

beforeEach(() => {
  destination.respond = (_received, response) => response.end('ok');
});

describe('the proxy', () => {
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

  it('returns compressed and binary responses byte for byte', async () => {
    const sent = gzipSync('x'.repeat(10_000));
    destination.respond = (_received, response) =>
      response
        .writeHead(200, { 'Content-Encoding': 'identity', 'Content-Type': 'application/gzip' })
        .end(sent);
    const response = await fetch(`${service.credentials.base_url}/proxy`, {
      headers: { 'SVC-API-KEY': key, 'SVC-PROXY-URL': base() },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(sent)).toBe(true);
  });

  it('returns redirects instead of following them', async () => {
    destination.received.length = 0;
    destination.respond = (_received, response) =>
      response.writeHead(302, { Location: 'https://169.254.169.254/' }).end();
    const response = await fetch(`${service.credentials.base_url}/proxy`, {
      redirect: 'manual',
      headers: { 'SVC-API-KEY': key, 'SVC-PROXY-URL': base() },
    });
    expect([response.status, response.headers.get('location')]).toEqual([302, 'https://169.254.169.254/']);
    expect(destination.received).toHaveLength(1);
  });
});

/** The shop signs off an amount of 100; the creator of the token plants another one. */
const PLANTED = 'acct","amount":1,"z":"';

describe('a planted value', () => {
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
    const [cookie, list, text] = [await aToken('u1; role=admin'), await aToken('a, b'), await aToken('a b')];
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
    const [id, harmless] = [await aToken(value), await aToken('acct')];
    const sent = (to: string) =>
      through('POST', {
        raw: nested(to),
        headers: { 'Content-Type': `application/json; charset=${charset}` },
      });
    expect((await sent(id)).response.status).toBe(400);
    expect((await sent(harmless)).got?.body.toString()).toBe('{"amount":100,"to":"acct"}');
  });
});

describe('headers of a response that bind a browser to the service', () => {
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

describe('a failure of the proxy itself', () => {
  const expectProblem = ({ status, body, headers }: ApiResponse, expected: number) => {
    expect([status, Object.keys(body), body.proxy_error?.status]).toEqual([
      expected,
      ['proxy_error'],
      expected,
    ]);
    expect(headers.get('svc-proxy-destination-status')).toBeNull();
  };

  it('wraps its own 401, 403 and 404', async () => {
    expectProblem(await api('GET', '/proxy', {}, 'key_private_x'), 401);
    expectProblem(
      await api(
        'GET',
        '/proxy',
        { headers: { 'SVC-PROXY-URL': base() } },
        service.credentials.management_key,
      ),
      403,
    );
    const reading = await anApplication({ permissions: ['token:read'] });
    expectProblem(await api('GET', '/proxy', { headers: { 'SVC-PROXY-URL': base() } }, reading.key), 403);
    expectProblem(
      await api('HEAD', '/proxy').then((reply) => ({
        ...reply,
        body: { proxy_error: { status: reply.status } },
      })),
      405,
    );
  });

  it('the proxy returns 403 for a token outside the caller’s rules, and 400 for an unknown one, a bad expression or too many', async () => {
    const narrow = await anApplication({
      rules: [{ priority: 1, container: '/general/', transform: 'reveal', permissions: ['token:use'] }],
    });
    const send = (body: unknown, as?: string) =>
      api('POST', '/proxy', { body, headers: { 'SVC-PROXY-URL': base() } }, as);
    expectProblem(await send({ a: `{{ ${tokens.card} }}` }, narrow.key), 403);
    expect((await send({ a: `{{ ${tokens.text} }}` }, narrow.key)).status).toBe(200);
    const unknown = await send({ a: '{{ nothing }}' });
    expectProblem(unknown, 400);
    expect(unknown.body.proxy_error.detail).toBe('Failed to detokenize some tokens: nothing');
    for (const bad of ['{{', '{{ }}', `{{ ${tokens.text} | nothing }}`, `{{ ${tokens.text} | to_number }}`])
      expectProblem(await send({ a: bad }), 400);
    expectProblem(await send(Array.from({ length: 101 }, (_, index) => `{{ id-${String(index)} }}`)), 400);
    expectProblem(
      await api('POST', '/proxy', {
        raw: '{"a": {{ x }}',
        headers: { 'SVC-PROXY-URL': base(), 'Content-Type': 'application/json' },
      }),
      400,
    );
  });

  it('400: a header value that would split the request', async () => {
    expectProblem(
      await api('GET', '/proxy', { headers: { 'SVC-PROXY-URL': base(), 'X-A': `{{ ${tokens.lines} }}` } }),
      400,
    );
  });

  it('the proxy returns 400 for a missing or invalid destination', async () => {
    expectProblem(await api('GET', '/proxy'), 400);
    for (const url of [
      'x',
      'ftp://localhost',
      `http://localhost:${String(destination.port)}`,
      `https://user:pass@localhost:${String(destination.port)}`,
      'https://{{ x }}.example',
      `https://example.com/${'x'.repeat(400)}`,
    ]) {
      expectProblem(await api('GET', '/proxy', { headers: { 'SVC-PROXY-URL': url } }), 400);
    }
  });

  it('502: a closed port, an invalid certificate, or a response that is truncated, too large or malformed', async () => {
    const to = (url: string) => api('GET', '/proxy', { headers: { 'SVC-PROXY-URL': url } });
    expectProblem(await to(`https://localhost:${String(CLOSED_PORT)}`), 502);
    expectProblem(await to(`https://localhost:${String(untrusted.port)}`), 502);
    for (const misbehave of [
      (response: {
        writeHead: (status: number, headers: Record<string, string>) => { write: (text: string) => void };
        destroy: () => void;
      }) => {
        response.writeHead(200, { 'Content-Length': '100' }).write('x');
        setTimeout(() => response.destroy(), 50);
      },
      (response: { socket: { end: (text: string) => void } | null }) =>
        response.socket?.end('garbage\r\n\r\n'),
      (response: { socket: { end: (text: string) => void } | null }) =>
        response.socket?.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`),
      (response: { end: (body: Buffer) => void }) => response.end(Buffer.alloc(6_000_001)),
      (response: { socket: { destroy: () => void } | null }) => response.socket?.destroy(),
      (response: { socket: { write: (text: string) => void } | null }) =>
        response.socket?.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
        ),
      (response: { socket: { end: (text: string) => void } | null }) =>
        response.socket?.end('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'),
    ]) {
      destination.respond = (_received, response) => (misbehave as (response: unknown) => void)(response);
      expectProblem(await to(base()), 502);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(destination.connections.open).toBe(0);
  });

  // The usual run tests it with a shorter timeout: test/functions/proxy/slow-destination.test.ts.
  if (IS_THOROUGH)
    it('408: a destination that is slower than 25 seconds, without a socket left open', async () => {
      destination.respond = (_received, response) => {
        const drip = setInterval(() => response.write('x'), 1_000);
        response.on('close', () => clearInterval(drip));
      };
      expectProblem(await api('GET', '/proxy', { headers: { 'SVC-PROXY-URL': base() } }), 408);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(destination.connections.open).toBe(0);
    });

  it('never repeats the request that it sent', async () => {
    const { response: reply } = await through('POST', {
      url: `https://localhost:${String(CLOSED_PORT)}`,
      body: { a: `{{ ${tokens.card} }}` },
      headers: { Authorization: `{{ ${tokens.text} }}` },
    });
    expect(JSON.stringify(reply.body)).not.toMatch(/5555|plain text/);
    expect(service.output()).not.toMatch(/5555341244441115|plain text/);
  });
});

describe('outbound connections', () => {
  /** Spellings of addresses that the service must never connect to. */
  const HOSTILE = [
    ...[
      'localhost',
      'localhost.',
      'LOCALHOST',
      '127.0.0.1',
      '127.1',
      '127.0.1',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '0177.0.0.1',
      '017700000001',
      '0',
      '0.0.0.0',
      '127.0.0.1.',
      '%6c%6f%63%61%6c%68%6f%73%74',
      '①②⑦.⓪.⓪.①',
      '127。0。0。1',
    ],
    ...[
      '[::1]',
      '[::]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[fe80::1]',
      '[fc00::1]',
      '[fd00:ec2::254]',
      '[ff02::1]',
      '[2001:db8::1]',
      '[::ffff:0:127.0.0.1]',
    ],
    ...[
      '169.254.169.254',
      '169.254.170.2',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '224.0.0.1',
      '192.0.2.1',
      '198.51.100.1',
      '203.0.113.1',
      '198.18.0.1',
      '240.0.0.1',
      '255.255.255.255',
    ],
    ...[
      '1',
      'a..b',
      '-a.example',
      'exa mple.com',
      'example.com:8443',
      'example.com:80',
      'user@example.com',
      'user:pass@example.com',
      'example.com\\@127.0.0.1',
      'example.com#@127.0.0.1',
    ],
  ];
  const PREFIXES = ['https://', 'HTTPS://', 'http://', 'https:', 'https:///'];

  it('reject every spelling of a forbidden destination, and connect to none', async () => {
    const listener = destination.connections.made;
    const port = String(destination.port);
    const urls = HOSTILE.flatMap((host) => PREFIXES.map((prefix) => `${prefix}${host}`)).concat(
      HOSTILE.slice(3, 33)
        .filter((host) => !host.startsWith('%'))
        .map((host) => `https://${host}:${port}/`),
    );
    expect(urls.length).toBeGreaterThanOrEqual(200);
    const statuses = await Promise.all(
      urls.map(async (url) => {
        const ascii = encodeURI(url)
          .replaceAll('%25', '%')
          .replaceAll('%5B', '[')
          .replaceAll('%5D', ']')
          .replaceAll('%5C', '\\');
        const { status, body } = await api('GET', '/proxy', { headers: { 'SVC-PROXY-URL': ascii } });
        return [url, status, body.proxy_error?.status];
      }),
    );
    expect(
      statuses.filter(([, status, wrapped]) => !(status === 400 || status === 502) || status !== wrapped),
    ).toEqual([]);
    expect(destination.connections.made).toBe(listener);
  });

  it('reject the service’s own host', async () => {
    const { host } = new URL(service.credentials.base_url);
    expect((await api('GET', '/proxy', { headers: { 'SVC-PROXY-URL': `https://${host}/` } })).status).toBe(
      400,
    );
  });

  it('reach the listener of the tests from the tests themselves', async () => {
    await new Promise<void>((resolve, reject) => {
      const socket = connect(destination.port, 'localhost', () => socket.end(() => resolve()));
      socket.on('error', reject);
    });
  });
});
