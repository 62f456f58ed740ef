import { generateApiKey } from '../../../src/core/crypto/api-key.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { turns, whenever } from '../../test-kit/src/event-loop.ts';
import type { FieldsConfig } from '../headers.ts';
import { createSubmissions, type Outcome } from '../src/frame/submission.ts';
import type { FieldContent } from '../src/frame/field-content.ts';
import { PLACEHOLDER, type FieldKind, type Submission } from '../src/protocol.ts';

const PAGE = 'https://shop.example.com';
const TENANT = '0a1b2c3d-0000-4000-8000-000000000001';
const OTHER = '0a1b2c3d-0000-4000-8000-000000000002';
const keyOf = (type: string, tenantId = TENANT) =>
  generateApiKey(machinePlatform.random, type, tenantId).reveal();
const PUBLIC = keyOf('public');

const config: FieldsConfig = {
  apiUrl: 'https://tokens.example.com',
  headerPrefix: 'SVC',
  origins: [PAGE],
  digits: false,
};

interface Sent {
  readonly key: string;
  readonly apiKey: string;
  readonly body: any;
}

let sent: Sent[];
let respond: (attempt: number) => Promise<Response>;
let contents: Map<string, FieldContent>;
const realFetch = globalThis.fetch;

const answer = (status: number, body: object) =>
  Promise.resolve(
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } }),
  );
const created = () =>
  answer(201, { id: `t${String(sent.length)}`, type: 'card', data: { number: 'secret' } });

const content = (kind: FieldKind, whole: string, more: Partial<FieldContent> = {}): FieldContent => ({
  kind,
  isReady: true,
  values: { whole, month: 12, year: 2030 },
  ...more,
});

const field = (id: string, part?: string) => ({ [PLACEHOLDER]: id, ...(part !== undefined && { part }) });
const card = (data: object = {}) => ({ type: 'card', data: { number: field('n'), ...data } });
const submission = (body: unknown, more: Partial<Submission> = {}): Submission => ({
  operation: 'create',
  tokenId: undefined,
  body,
  key: PUBLIC,
  ...more,
});

function aFrame(more: Partial<FieldsConfig> = {}) {
  let made = 0;
  const submissions = createSubmissions({
    config: { ...config, ...more },
    page: PAGE,
    contentOf: (id) => Promise.resolve(contents.get(id)),
    newKey: () => `key-${String((made += 1))}`,
  });
  return (body: unknown, options: Partial<Submission> = {}, signal = new AbortController().signal) =>
    submissions.submit(submission(body, options), signal);
}

const digests = jest.spyOn(crypto.subtle, 'digest');
/** Resolves when as many submissions have looked for an equal one, by a digest of each. */
async function looked(count: number): Promise<void> {
  await whenever(() => digests.mock.results.length === count);
  await Promise.all(digests.mock.results.map(({ value }) => value as Promise<ArrayBuffer>));
  await turns();
  digests.mockClear();
}

const idOf = (outcome: Outcome) =>
  'result' in outcome ? (outcome.result as { id: string }).id : outcome.failure.code;

beforeEach(() => {
  digests.mockClear();
  sent = [];
  respond = created;
  contents = new Map([
    ['n', content('card_number', '5425233430109903')],
    ['c', content('card_cvc', '846')],
    ['t', content('text', 'secret')],
    ['none', { kind: 'text', isReady: true, values: undefined }],
  ]);
  globalThis.fetch = ((_url: string, { headers, body }: { headers: any; body: string }) => {
    sent.push({
      key: headers['SVC-IDEMPOTENCY-KEY'],
      apiKey: headers['SVC-API-KEY'],
      body: JSON.parse(body),
    });
    return respond(sent.length);
  }) as typeof fetch;
});
afterAll(() => {
  globalThis.fetch = realFetch;
});

describe('the key of a request', () => {
  it.each(['private', 'management', 'proxy', 'invocation'])('is refused if it is %s', async (type) => {
    expect(await aFrame()(card(), { key: keyOf(type) })).toMatchObject({ failure: { code: 'wrong_key' } });
    expect(sent).toEqual([]);
  });

  it('is refused for a tenant to which the page is not bound', async () => {
    const submit = aFrame({ origins: [`${PAGE}=${TENANT}`, `https://other.example.com=${OTHER}`] });
    expect(await submit(card(), { key: keyOf('public', OTHER) })).toMatchObject({
      failure: { code: 'wrong_key' },
    });
    expect(idOf(await submit(card(), { key: keyOf('session') }))).toBe('t1');
    expect(sent).toHaveLength(1);
  });
});

describe('a repeated request', () => {
  it('gets the response of the one that runs, and is a new one after that', async () => {
    const submit = aFrame();
    const answered = Promise.withResolvers<Response>();
    respond = () => answered.promise;
    const calls = Promise.all([submit(card()), submit(card())]);
    await looked(2);
    answered.resolve(await created());
    const both = await calls;
    respond = created;
    expect(both.map(idOf)).toEqual(['t1', 't1']);
    expect(idOf(await submit(card()))).toBe('t2');
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  });

  it('has one idempotency key and one API key until its outcome is known, whatever runs meanwhile', async () => {
    const submit = aFrame();
    respond = () => answer(403, { code: 'forbidden' });
    const keys: string[] = [];
    // 403 ends a request; 409 leaves its outcome open.
    for (const status of [409, 409, 403, 409]) {
      respond = () => answer(status, {});
      await submit(card(), { key: keyOf('session') });
      keys.push(sent.at(-1)?.key ?? '', sent.at(-1)?.apiKey ?? '');
      await submit({ type: 'token', data: field('t') });
    }
    const [first, firstApi, second, secondApi, third, thirdApi, fourth, fourthApi] = keys;
    expect([second, third, secondApi, thirdApi]).toEqual([first, first, firstApi, firstApi]);
    expect(fourth).not.toBe(first);
    expect(fourthApi).not.toBe(firstApi);
  });

  it('is a new one with other content', async () => {
    const submit = aFrame();
    respond = () => answer(409, {});
    await submit(card());
    contents.set('n', content('card_number', '4242424242424242'));
    await submit(card());
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  });

  it('is another one with a text of the page in place of a field, so that a page cannot guess', async () => {
    const submit = aFrame();
    const pairs: readonly (readonly [object, object])[] = [
      [card({ cvc: field('c') }), card({ cvc: '846' })],
      [
        { type: 'token', data: { a: field('t'), b: field('n') } },
        { type: 'token', data: { a: 'secret', b: field('n') } },
      ],
      [
        { type: 'token', data: { a: field('t'), b: field('none') } },
        { type: 'token', data: { a: 'secret', b: field('none') } },
      ],
      [
        { type: 'token', data: { a: field('n', 'month'), b: field('n') } },
        { type: 'token', data: { a: 12, b: field('n') } },
      ],
    ];
    for (const [asked, guessed] of pairs) {
      // Both run at once: an equal request would get the response of the other.
      const answered = Promise.withResolvers<Response>();
      respond = () => answered.promise.then((response) => response.clone());
      const calls = Promise.all([submit(asked), submit(guessed)]);
      const before = sent.length;
      await looked(2);
      expect(sent.length - before).toBe(2);
      answered.resolve(await created());
      const [first, second] = await calls;
      expect(['result' in first, 'result' in second]).toEqual([true, true]);
    }
    expect(new Set(sent.map(({ key }) => key)).size).toBe(sent.length);
  });
});

describe('an aborted request', () => {
  it('is not sent if the signal was aborted before', async () => {
    expect(idOf(await aFrame()(card(), {}, AbortSignal.abort()))).toBe('aborted');
    expect(sent).toEqual([]);
  });

  it('ends for its caller alone, and for all once every caller has aborted', async () => {
    const submit = aFrame();
    const answered = Promise.withResolvers<Response>();
    respond = () => answered.promise;
    const first = new AbortController();
    const second = new AbortController();
    const outcomes = [submit(card(), {}, first.signal), submit(card(), {}, second.signal)];
    await looked(2);
    first.abort();
    expect(idOf(await (outcomes[0] ?? Promise.reject(new Error())))).toBe('aborted');
    answered.resolve(await created());
    expect(idOf(await (outcomes[1] ?? Promise.reject(new Error())))).toBe('t1');
    expect(sent).toHaveLength(1);
  });

  it('keeps its idempotency key: the service may have carried it out', async () => {
    const submit = aFrame();
    respond = () => new Promise(() => undefined);
    const controller = new AbortController();
    const outcome = submit(card(), {}, controller.signal);
    while (sent.length === 0) await new Promise(setImmediate);
    controller.abort();
    expect(idOf(await outcome)).toBe('aborted');
    respond = created;
    expect(idOf(await submit(card()))).toBe('t2');
    expect(sent[1]?.key).toBe(sent[0]?.key);
  });
});

describe('a field of a request', () => {
  it.each([['incomplete', { isReady: false }]])('prevents it with `%s` if it is %j', async (code, more) => {
    contents.set('n', content('card_number', '5425', more));
    expect(await aFrame()(card())).toMatchObject({ failure: { code, fieldIds: ['n'] } });
    expect(sent).toEqual([]);
  });

  it('that no frame has prevents it with `unmounted`', async () => {
    expect(await aFrame()(card({ cvc: field('gone') }))).toMatchObject({
      failure: { code: 'unmounted', fieldIds: ['gone'] },
    });
  });

  it('is refused if its response is a success that is not JSON', async () => {
    respond = () => Promise.resolve(new Response('<h1>Hello</h1>', { status: 200 }));
    expect(await aFrame()(card())).toEqual({
      failure: { code: 'refused', message: 'The service refused the request.', status: 200 },
    });
  });

  it('is in no failure: neither in a message of the service, nor in one of this program', async () => {
    const submit = aFrame();
    respond = () =>
      answer(400, { code: 'validation_failed', detail: 'secret', errors: { 'data.number': ['secret'] } });
    const refused = await submit(card());
    expect(refused).toEqual({
      failure: {
        code: 'refused',
        message: 'The service refused the request.',
        status: 400,
        serviceCode: 'validation_failed',
      },
    });
    respond = () => {
      throw new Error('secret');
    };
    expect(JSON.stringify(await submit(card(), { operation: 'update', tokenId: '..' }))).not.toContain(
      'secret',
    );
  });
});
