// Checks docs/contract.md#transforms-of-a-proxy, for what partners and providers send in shapes of
// their own.
import { createHmac } from 'node:crypto';
import {
  anApplication,
  CARD,
  credentials,
  describeNeeding,
  management,
  type Body,
} from '../support/service.ts';
import { aProxy, problemOf, server, serving, through } from '../support/through-a-proxy.ts';

const PAN = '4242424242424242';
const OTHER = '5555341244441115';
const ID = expect.stringMatching(/^[\da-f-]{36}$/);
const RECEIVING = { permissions: ['token:create', 'token:use'] };

describeNeeding('openDestination', 'tokenize', () => {
  serving();

  const tokenizing = async (transform: object) =>
    aProxy({ request_transforms: [{ type: 'tokenize', ...transform }] });
  const sent = async (proxy: Body, key: string, body: unknown) => {
    const { got, ...response } = await through(proxy.key, { key, body });
    return { ...response, got: got === undefined ? undefined : JSON.parse(got.body.toString()) };
  };

  it('takes every place of a pattern, and changes nothing else', async () => {
    const { key } = await anApplication(RECEIVING);
    const every = await tokenizing({ location: '$.list[*].pan', token: { type: 'card_number' } });
    const list = [{ pan: PAN, n: 1 }, { pan: Number(OTHER) }, { other: PAN }];
    const { got } = await sent(every, key, { list, pan: PAN });
    expect(got).toEqual({ list: [{ pan: ID, n: 1 }, { pan: ID }, { other: PAN }], pan: PAN });
    const last = await tokenizing({ location: '$[-1].pan', token: { type: 'card_number' } });
    expect((await sent(last, key, list.slice(0, 2))).got).toEqual([{ pan: PAN, n: 1 }, { pan: ID }]);
  });

  it('builds the data from what it found', async () => {
    const app = await anApplication(RECEIVING);
    const data = {
      number: '{{ found.pan }}',
      expiration_month: '{{ found.exp | slice: 0, 2 }}',
      expiration_year: '20{{ found.exp | slice: 2, 2 }}',
    };
    const proxy = await tokenizing({ location: '$.cards[*]', token: { type: 'card', data } });
    const cards = [
      { pan: Number(PAN), exp: '0331' },
      { pan: OTHER, exp: '1240' },
    ];
    const { got } = await sent(proxy, app.key, { cards });
    const shown = await app.post(
      '/detokenize',
      got.cards.map((id: string) => `{{ ${id} }}`),
    );
    expect(shown.status).toBe(403);
    const reader = await anApplication({
      rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }],
    });
    const { body } = await reader.post(
      '/detokenize',
      got.cards.map((id: string) => `{{ ${id} }}`),
    );
    expect(body).toEqual([
      { number: PAN, expiration_month: 3, expiration_year: 2031 },
      { number: OTHER, expiration_month: 12, expiration_year: 2040 },
    ]);
  });

  it('fails without a place, unless it is optional', async () => {
    const { key } = await anApplication(RECEIVING);
    const transform = { location: '$.cards[*].pan', token: { type: 'card_number' } };
    const strict = await sent(await tokenizing(transform), key, { cards: [] });
    expect([problemOf(strict), strict.got]).toEqual([[400, 'transform_failed'], undefined]);
    const optional = await tokenizing({ ...transform, optional: true });
    expect((await sent(optional, key, { cards: [] })).got).toEqual({ cards: [] });
    expect((await sent(optional, key, { cards: [{ pan: PAN }] })).got).toEqual({ cards: [{ pan: ID }] });
    const refused = await sent(optional, key, { cards: [{ pan: PAN }, { pan: 'no card' }] });
    expect(refused.body.proxy_error.errors).toEqual({ '$.cards[1].pan': ['is not accepted'] });
  });

  it('names the place in the body of the sender, also where it builds the data', async () => {
    const { key } = await anApplication(RECEIVING);
    const data = { number: '{{ found.pan | strip }}' };
    const proxy = await tokenizing({ location: '$.cards[-1]', token: { type: 'card', data } });
    const { status, body } = await sent(proxy, key, { cards: [{}, { pan: '4242 4242', holder: 'Ada' }] });
    expect([status, body.proxy_error.errors]).toEqual([400, { '$.cards[1]': ['is not accepted'] }]);
  });

  it('makes at most 100 tokens a call, counted before the first is made', async () => {
    const { key } = await anApplication(RECEIVING);
    const transform = { type: 'tokenize', location: '$.list[*]', token: { type: 'token' } };
    const proxy = await aProxy({ request_transforms: [transform, { ...transform, location: '$.more[*]' }] });
    const of = (count: number) => Array.from({ length: count }, (_, at) => at);
    expect((await sent(proxy, key, { list: of(60), more: of(40) })).status).toBe(200);
    const refused = await sent(proxy, key, { list: of(101), more: of(1) });
    expect([problemOf(refused), refused.got]).toEqual([[400, 'transform_failed'], undefined]);
    const { body } = await management.get(`/proxies/${proxy.id as string}/failures`);
    expect(body.data[0].reason).toBe('the transforms of a call together make at most 100 tokens');
    const records = (await management.get(`/logs?proxy_id=${proxy.id as string}&size=1`)).body.data;
    expect(records[0].tokens).toBeUndefined();
  });

  it.each<[object, string]>([
    [{ location: '$..pan' }, 'location'],
    [{ location: '$.*' }, 'location'],
    [{ location: '$[0,1]' }, 'location'],
    [{ optional: 'yes' }, 'optional'],
    [{ otherwise: 'pass' }, 'otherwise'],
    [{ statuses: 'any' }, 'statuses'],
    [{ token: { type: 'card', data: { number: '{{ data.pan }}' } } }, 'token.data.number'],
    [{ token: { type: 'card', data: { number: '{{ found.pan | remove }}' } } }, 'token.data.number'],
  ])('400: a request transform is not written with %j', async (more, member) => {
    const { status, body } = await management.post('/proxies', {
      name: 'x',
      destination_url: 'https://api.example.com',
      request_transforms: [{ type: 'tokenize', location: '$.a', token: { type: 'card' }, ...more }],
    });
    expect([status, Object.keys(body.errors)]).toEqual([400, [`request_transforms[0].${member}`]]);
  });
});

describeNeeding('openDestination', 'an answer', () => {
  serving();

  it('a decline stays a decline, with what its caller needs of it', async () => {
    const { key } = await anApplication(RECEIVING);
    server().respond = (_got, response) => {
      response.writeHead(402, {
        'Content-Type': 'application/json',
        'Retry-After': '60',
        'X-Request-Id': 'r1',
      });
      response.end(JSON.stringify({ error: 'card_declined', pan: PAN }));
    };
    const tokenize = { type: 'tokenize', location: '$.pan', token: { type: 'card_number' } };
    const hidden = await through((await aProxy({ response_transforms: [tokenize] })).key, { key });
    expect(hidden.status).toBe(402);
    expect(hidden.body).toMatchObject({
      proxy_error: {
        title: 'Failed Dependency',
        status: 402,
        code: 'transform_failed',
        detail: 'response_transforms[0] does not run for this status.',
        destination_status: 402,
      },
    });
    const { headers } = hidden;
    const shown = ['svc-proxy-destination-status', 'retry-after', 'x-request-id', 'content-type'];
    expect(shown.map((name) => headers.get(name))).toEqual(['402', '60', 'r1', 'application/json']);
    const passing = await aProxy({
      response_transforms: [
        { ...tokenize, otherwise: 'pass' },
        { type: 'append_json', location: '$.x', value: 1 },
        { type: 'mask', matcher: 'card_number', replacement: '[card]' },
      ],
    });
    const passed = await through(passing.key, { key });
    expect([passed.status, passed.body]).toEqual([402, { error: 'card_declined', pan: '[card]' }]);
    const [record] = (await management.get(`/logs?proxy_id=${passing.id as string}`)).body.data;
    expect(record).toMatchObject({ outcome: 'ok', status: 402 });
  });

  it('is remembered for a signed delivery if the destination took it, shown or not', async () => {
    const { id } = await anApplication({ permissions: ['token:create'] });
    const secret = 'the secret of a partner';
    const proxy = await aProxy({
      require_auth: false,
      application: { id },
      configuration: { SIGNED_WITH: secret },
      request_transforms: [
        {
          type: 'verify_signature',
          scheme: 'hmac',
          configuration: 'SIGNED_WITH',
          header: 'X-Partner-Sign',
          algorithm: 'sha256',
          encoding: 'hex',
          signed: '{url}|{header:X-Id}|{body}',
          delivery: { header: 'X-Id' },
        },
        { type: 'tokenize', location: '$.card', token: { type: 'card' } },
      ],
      response_transforms: [{ type: 'append_json', location: '$.a', value: 1 }],
    });
    server().respond = (_got, response) => response.end('no JSON');
    const raw = JSON.stringify({ card: CARD });
    const at = '/proxy/in?a=1&b=%20';
    const deliver = (number: string, from = `${credentials.base_url}${at}`) => {
      const mac = createHmac('sha256', secret).update(`${from}|${number}|${raw}`).digest('hex');
      return through(proxy.key, { path: at, raw, headers: { 'X-Id': number, 'X-Partner-Sign': mac } });
    };
    const first = await deliver('1');
    expect(problemOf(first)).toEqual([424, 'transform_failed']);
    expect(first.got?.headers['x-partner-sign']).toBeUndefined();
    const repeat = await deliver('1');
    expect([repeat.status, repeat.body, repeat.got]).toEqual([200, '', undefined]);
    expect(problemOf(await deliver('2', 'https://elsewhere.example.com/proxy'))).toEqual([
      401,
      'unauthenticated',
    ]);
  });
});

describeNeeding('openDestination', 'code that reads a body as text', () => {
  serving();
  beforeEach(() => {
    server().respond = (_got, response) => response.end();
  });

  const aReactor = async (code: string): Promise<string> =>
    (await management.post('/reactors', { name: 'x', code, configuration: {} })).body.id;

  it('signs and changes the bytes that are sent', async () => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    const reactor_id = await aReactor(`const { createHmac } = require('crypto');
      module.exports = async ({ args: { text, headers } }) => ({
        raw: { headers: { ...headers, 'x-sig': createHmac('sha256', 'k'.repeat(16)).update(text).digest('base64') } },
      });`);
    const proxy = await aProxy({ request_transforms: [{ type: 'reactor', reactor_id, as: 'text' }] });
    const bodies = [
      '{"amount": 10.00}',
      '{"name":"caf\\u00e9"}',
      '{"path":"a\\/b"}',
      '{"b":1,"2":1,"1":1}',
      '{"id":820982911946154508}',
      '{"a":1,"a":2}',
      'é',
      '',
    ];
    for (const raw of bodies) {
      const { status, got } = await through(proxy.key, { key, raw });
      const mac = createHmac('sha256', 'k'.repeat(16)).update(raw).digest('base64');
      expect([status, got?.body.toString(), got?.headers['x-sig']]).toEqual([200, raw, mac]);
    }
  });

  it('sends what it changed, whatever else of its arguments it returns', async () => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    const reactor_id = await aReactor(`module.exports = async ({ args }) => {
      const picked = (args.headers['x-pick'] || '').split(' ').filter(Boolean);
      const raw = Object.fromEntries(picked.map((name) => [name, args[name]]));
      const member = ['body', 'text', 'base64'].find((name) => name in args);
      return { raw: { ...raw, [member]: member === 'base64' ? Buffer.from('changed').toString('base64') : member === 'body' ? { changed: true } : 'changed' } };
    };`);
    const forms = [
      [undefined, '{"pan":"1"}', '{"changed":true}', ['body']],
      ['text', '{"pan":"1"}', 'changed', ['text']],
      ['text', Buffer.from([0xff, 0x31]), 'changed', ['base64']],
    ] as const;
    for (const [as, raw, right, [member]] of forms) {
      const transform = { type: 'reactor', reactor_id, ...(as !== undefined && { as }) };
      const proxy = await aProxy({ request_transforms: [transform] });
      const names = ['method', 'path', 'headers', member];
      for (let subset = 0; subset < 2 ** names.length; subset += 5) {
        const picked = names.filter((_, at) => (subset & (1 << at)) !== 0).join(' ');
        const { got } = await through(proxy.key, { key, raw, headers: { 'X-Pick': picked } });
        expect([picked, got?.body.toString()]).toEqual([picked, right]);
      }
    }
  });

  it('returns the member that it got, and no other', async () => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    const reactor_id = await aReactor('module.exports = async () => ({ raw: { body: { a: 1 } } });');
    const proxy = await aProxy({ request_transforms: [{ type: 'reactor', reactor_id, as: 'text' }] });
    expect((await management.get(`/proxies/${proxy.id as string}`)).body.request_transforms[0].as).toBe(
      'text',
    );
    const { got, ...response } = await through(proxy.key, { key, body: {} });
    expect([problemOf(response), got]).toEqual([[400, 'transform_failed'], undefined]);
  });
});
