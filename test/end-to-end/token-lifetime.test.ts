import { setTimeout as sleep } from 'node:timers/promises';
import { allItems, bytesOf, isOfTrail } from '../support/aws.ts';
import { advanceClock } from '../support/advance-clock.ts';
import { httpClient, strictClient, type HttpClient } from '../support/http-client.ts';
import { runService, TEST_SETTINGS, type RunningService } from '../support/run-service.ts';
import { ALL_TOKEN_PERMISSIONS, CARD, revealing } from '../support/sample-requests.ts';

/** A service whose clock the test advances. */
let service: RunningService;
beforeAll(async () => {
  service = await runService(TEST_SETTINGS);
});
afterAll(() => service.stop());

let aheadSeconds = 0;
async function advance(seconds: number): Promise<void> {
  await advanceClock(service.credentials, seconds);
  aheadSeconds += seconds;
}
/** The clock of the service may be ahead. */
const inAnHour = (): string => new Date(Date.now() + (aheadSeconds + 3_600) * 1_000).toISOString();

async function anApplication(grants: object = { permissions: ALL_TOKEN_PERMISSIONS }): Promise<HttpClient> {
  const { base_url: baseUrl, management_key: managementKey } = service.credentials;
  const wanted = { name: 'test', type: 'private', ...grants };
  const manage = strictClient(baseUrl, managementKey);
  return httpClient(baseUrl, (await manage<{ key: string }>('POST', '/applications', wanted)).key);
}

const aRevealingApplication = (): Promise<HttpClient> => anApplication({ rules: [revealing()] });

/** Waits until a condition is true; a move of the clock starts a sweep. */
async function eventually(condition: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 40_000; waited += 250) {
    if (await condition()) return;
    await sleep(250);
  }
  throw new Error('it did not happen');
}

/** Whether an item only remembers the id of a token that is gone. */
const isTombstone = (item: string) => item.includes('isGone=') && !item.includes('encryptedData=');

const itemsOf = async (id: string) =>
  (await allItems(service.credentials)).map(bytesOf).filter((item) => item.includes(id) && !isOfTrail(item));

describe('expires_at', () => {
  it.each([
    ['1/31/2099 11:59:59 PM -05:00', '2099-01-31T23:59:59-05:00'],
    ['1/31/2099 12:00:00 AM +05:30', '2099-01-31T00:00:00+05:30'],
    ['12/1/2099', '2099-12-01T00:00:00+00:00'],
    ['1/31/2099 1:02:03 PM', '2099-01-31T13:02:03+00:00'],
    ['2099-06-01T10:00:00Z', '2099-06-01T10:00:00+00:00'],
    ['2099-06-01T10:00:00.5+02:00', '2099-06-01T10:00:00.500+02:00'],
    ['2099-06-01T10:00:00', '2099-06-01T10:00:00+00:00'],
    ['2099-06-01', '2099-06-01T00:00:00+00:00'],
  ])('%s is returned as %s', async (input, expected) => {
    const app = await anApplication();
    const { body } = await app.post('/tokens', { type: 'token', data: 1, expires_at: input });
    expect(body.expires_at).toBe(expected);
    expect((await app.get(`/tokens/${body.id}`)).body.expires_at).toBe(expected);
  });

  it.each([
    '13/1/2099',
    '2/30/2099',
    '1/1/2099 13:00:00 PM',
    '1/1/2099 0:00:00 AM',
    '2099-02-30',
    '2099-13-01T00:00:00Z',
    '2099-01-01T25:00:00Z',
    'x',
    '',
    '1/1/2020',
    '4102444800',
  ])('400: %s', async (input) => {
    const app = await anApplication();
    const { status, body } = await app.post('/tokens', { type: 'token', data: 1, expires_at: input });
    expect([status, Object.keys(body.errors ?? {})]).toEqual([400, ['expires_at']]);
  });

  it('hides the token from every operation from that instant, and deletes it soon after', async () => {
    const app = await aRevealingApplication();
    const id = `mortal-${String(Date.now())}`;
    const metadata = { mortal: id };
    const token = {
      type: 'card',
      data: { ...CARD, cvc: '123' },
      id,
      metadata,
      search_indexes: ['{{ data.number }}'],
      deduplicate_token: false,
    };
    await app.post('/tokens', { ...token, expires_at: inAnHour() });
    await advance(3_000);
    expect((await app.get(`/tokens/${id}`)).status).toBe(200);
    expect((await app.get(`/tokens?metadata.mortal=${id}`)).body.pagination.total_items).toBe(1);
    await advance(600);
    const responses = await Promise.all([
      app.get(`/tokens/${id}`),
      app.patch(`/tokens/${id}`, { data: { cvc: '999' } }),
      app.delete(`/tokens/${id}`),
      app.post('/detokenize', `{{ ${id} }}`),
      app.get(`/tokens?id=${id}`),
      app.get(`/tokens?metadata.mortal=${id}`),
      app.post('/tokens/search', { query: `id:"${id}"` }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 400, 200, 200, 200]);
    for (const { body: page } of responses.slice(4))
      expect([page.data, page.pagination.total_items]).toEqual([[], 0]);
    await eventually(async () => (await itemsOf(id)).every(isTombstone));
  });

  it('ends the token, and not its id', async () => {
    const app = await anApplication();
    const id = `again-${String(Date.now())}`;
    const other = `other-${id}`;
    for (const each of [id, other])
      await app.post('/tokens', { type: 'token', data: 1, id: each, expires_at: inAnHour() });
    expect((await app.post('/tokens', { type: 'token', data: 2, id })).status).toBe(409);
    await advance(3_600);
    expect((await app.post('/tokens', { type: 'token', data: 2, id })).status).toBe(409);
    // The sweep has reached the tokens that expired then.
    for (const each of [id, other]) await eventually(async () => (await itemsOf(each)).every(isTombstone));
    expect((await app.get(`/tokens/${id}`)).status).toBe(404);
    expect((await app.post('/tokens', { type: 'token', data: 2, id })).status).toBe(409);
  });
});

describe('a cvc', () => {
  const card = { type: 'card', data: { ...CARD, cvc: '8361' } };

  it('exists for its lifetime, is hidden from its end on every path, and is deleted from the store', async () => {
    const app = await aRevealingApplication();
    const headers = { 'SVC-IDEMPOTENCY-KEY': `cvc-${String(Date.now())}` };
    const started = Date.now();
    const management = httpClient(service.credentials.base_url, service.credentials.management_key);
    const wanted = {
      ...card,
      mask: { all: '{{ data }}', cvc: '{{ data.cvc }}' },
      metadata: { at: String(started) },
      deduplicate_token: true,
      fingerprint_expression: `{{ data.cvc }}${String(started)}`,
    };
    const { body } = await app.post('/tokens', wanted, { headers });
    const id = body.id as string;
    const reads = () =>
      Promise.all([
        app.get(`/tokens/${id}`).then((response) => response.body.data),
        app.get(`/tokens?id=${id}`).then((response) => response.body.data[0].data),
        app
          .post('/tokens/search', { query: `metadata.at:"${String(started)}"` })
          .then((response) => response.body.data[0].data),
        app.post('/detokenize', `{{ ${id} }}`).then((response) => response.body),
        app.patch(`/tokens/${id}`, { metadata: { seen: 'yes' } }).then((response) => response.body.data),
      ]);
    expect(await reads()).toEqual(Array.from({ length: 5 }, () => card.data));
    const masked = await (await anApplication()).get(`/tokens/${id}`);
    expect(JSON.stringify(masked.body)).not.toContain('8361');
    expect((await itemsOf(id)).some((item) => item.includes('encryptedCvc='))).toBe(true);
    const reactor = await management.post('/reactors', {
      name: 'returns its argument',
      code: 'module.exports = ({ args }) => ({ raw: { list: [args.card.cvc], at: Date.now() } });',
      configuration: {},
    });
    const react = () =>
      app.post(
        `/reactors/${reactor.body.id as string}/react`,
        { args: { card: `{{ ${id} }}` } },
        { headers },
      );
    const reacted = await react();
    expect(reacted.body.raw.list).toEqual(['8361']);
    expect((await react()).body).toEqual(reacted.body);
    await advance(3_000);
    expect(await reads()).toEqual(Array.from({ length: 5 }, () => card.data));
    await advance(600);
    // The code does not run again, and its response was deleted with the cvc.
    const late = await react();
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining('no longer stored')]);
    expect(await reads()).toEqual(Array.from({ length: 5 }, () => CARD));
    expect((await app.post('/tokens', wanted, { headers })).body.data).toEqual(CARD);
    await eventually(async () => !(await itemsOf(id)).some((item) => item.includes('encryptedCvc=')));
    expect((await app.get(`/tokens/${id}`)).status).toBe(200);
    // The match has an hour of the cvc that was sent, since its caller may update it.
    const again = await app.post('/tokens', wanted);
    expect(again.body).toMatchObject({ id, data: card.data, _extras: { deduplicated: true } });
    expect(again.body._extras).not.toHaveProperty('not_stored');
  });

  it('gets a new hour when it is set, retains its hour otherwise, and is deleted when it is removed', async () => {
    const app = await aRevealingApplication();
    const { body } = await app.post('/tokens', { type: 'card', data: CARD });
    const set = await app.patch(`/tokens/${body.id}`, { data: { cvc: 737 } });
    expect(set.body.data.cvc).toBe('737');
    expect((await app.patch(`/tokens/${body.id}`, { data: { expiration_month: 1 } })).body.data).toEqual({
      ...CARD,
      expiration_month: 1,
      cvc: '737',
    });
    const removed = await app.patch(`/tokens/${body.id}`, { data: { cvc: null } });
    expect(removed.body.data).toEqual({ ...CARD, expiration_month: 1 });
    expect((await itemsOf(body.id)).some((item) => item.includes('encryptedCvc='))).toBe(false);
  });
});
