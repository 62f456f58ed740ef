import { withoutRandom } from '../../packages/test-kit/src/without-random.ts';
import { randomUUID } from 'node:crypto';
import { httpClient, strictClient, type HttpClient } from '../support/http-client.ts';
import { ALL_TOKEN_PERMISSIONS, CARD, revealing } from '../support/sample-requests.ts';
import { anApplication, describeNeeding, openApart } from '../support/service.ts';
import type { Target } from '../support/targets/target.ts';

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
});

/** A service whose clock the tests move. */
let service: Target;
const inAnHour = (): string => new Date(service.now() + 3_600_000).toISOString();

async function anApplicationApart(
  grants: object = { permissions: ALL_TOKEN_PERMISSIONS },
): Promise<HttpClient> {
  const { base_url: baseUrl, management_key: managementKey } = service.credentials;
  const wanted = { name: 'test', type: 'private', ...grants };
  const manage = strictClient(baseUrl, managementKey);
  return httpClient(baseUrl, (await manage<{ key: string }>('POST', '/applications', wanted)).key);
}

const aRevealingApplication = (): Promise<HttpClient> => anApplicationApart({ rules: [revealing()] });

describeNeeding('openApart', 'as time passes,', () => {
  beforeAll(async () => {
    service = await openApart();
  });
  afterAll(() => service.close());

  describe('a token with an end', () => {
    it('is hidden from every operation from that instant', async () => {
      const app = await aRevealingApplication();
      const id = `mortal-${randomUUID()}`;
      const token = {
        type: 'card',
        data: { ...CARD, cvc: '123' },
        id,
        metadata: { mortal: id },
        search_indexes: ['{{ data.number }}'],
        deduplicate_token: false,
      };
      await app.post('/tokens', { ...token, expires_at: inAnHour() });
      await service.pass(3_000_000);
      expect((await app.get(`/tokens/${id}`)).status).toBe(200);
      expect((await app.get(`/tokens?metadata.mortal=${id}`)).body.pagination.total_items).toBe(1);
      await service.pass(600_000);
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
    });

    it('leaves its id, which no other token gets', async () => {
      const app = await anApplicationApart();
      const id = `again-${randomUUID()}`;
      const token = { type: 'token', data: 1, id };
      await app.post('/tokens', { ...token, expires_at: inAnHour() });
      expect((await app.post('/tokens', token)).status).toBe(409);
      await service.pass(3_600_000);
      expect((await app.post('/tokens', token)).status).toBe(409);
      await service.pass(3_600_000);
      expect((await app.post('/tokens', token)).status).toBe(409);
      expect((await app.get(`/tokens/${id}`)).status).toBe(404);
    });
  });

  describe('a cvc', () => {
    const card = { type: 'card', data: { ...CARD, cvc: '8361' } };

    it('is shown for an hour, and is hidden from its end on every path', async () => {
      const app = await aRevealingApplication();
      const mark = randomUUID();
      const headers = { 'SVC-IDEMPOTENCY-KEY': mark };
      const { base_url: baseUrl, management_key: managementKey } = service.credentials;
      const wanted = {
        ...card,
        mask: { all: '{{ data }}', cvc: '{{ data.cvc }}' },
        metadata: { mark },
        deduplicate_token: true,
        fingerprint_expression: `{{ data.cvc }}${mark}`,
      };
      const { body } = await app.post('/tokens', wanted, { headers });
      const id = body.id as string;
      const reads = () =>
        Promise.all([
          app.get(`/tokens/${id}`).then((response) => response.body.data),
          app.get(`/tokens?id=${id}`).then((response) => response.body.data[0].data),
          app
            .post('/tokens/search', { query: `metadata.mark:"${mark}"` })
            .then((response) => response.body.data[0].data),
          app.post('/detokenize', `{{ ${id} }}`).then((response) => response.body),
          app.patch(`/tokens/${id}`, { metadata: { seen: 'yes' } }).then((response) => response.body.data),
        ]);
      expect(await reads()).toEqual(Array.from({ length: 5 }, () => card.data));
      const masked = await (await anApplicationApart()).get(`/tokens/${id}`);
      expect(withoutRandom(masked.body)).not.toContain('8361');
      const reactor = await httpClient(baseUrl, managementKey).post('/reactors', {
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
      await service.pass(3_000_000);
      expect(await reads()).toEqual(Array.from({ length: 5 }, () => card.data));
      await service.pass(600_000);
      // The code does not run again, and its response was deleted with the cvc.
      const late = await react();
      expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining('no longer stored')]);
      expect(await reads()).toEqual(Array.from({ length: 5 }, () => CARD));
      expect((await app.post('/tokens', wanted, { headers })).body.data).toEqual(CARD);
      expect((await app.get(`/tokens/${id}`)).status).toBe(200);
      // The match has an hour of the cvc that was sent, since its caller may update it.
      const again = await app.post('/tokens', wanted);
      expect(again.body).toMatchObject({ id, data: card.data, _extras: { deduplicated: true } });
      expect(again.body._extras).not.toHaveProperty('not_stored');
    });

    it('gets a new hour when it is set, and keeps its hour otherwise', async () => {
      const app = await aRevealingApplication();
      const { body } = await app.post('/tokens', { type: 'card', data: { ...CARD, cvc: '123' } });
      const read = async () => (await app.get(`/tokens/${body.id as string}`)).body.data;
      await service.pass(3_000_000);
      const set = await app.patch(`/tokens/${body.id}`, { data: { cvc: 737 } });
      expect(set.body.data.cvc).toBe('737');
      await service.pass(3_000_000);
      const changed = { ...CARD, expiration_month: 1 };
      const patched = await app.patch(`/tokens/${body.id}`, { data: { expiration_month: 1 } });
      expect(patched.body.data).toEqual({ ...changed, cvc: '737' });
      await service.pass(600_000);
      expect(await read()).toEqual(changed);
    });
  });
});

it('a cvc is removed by a PATCH that sets it to null', async () => {
  const app = await anApplication({ rules: [revealing()] });
  const { body } = await app.post('/tokens', { type: 'card', data: { ...CARD, cvc: '123' } });
  const removed = await app.patch(`/tokens/${body.id as string}`, { data: { cvc: null } });
  expect(removed.body.data).toEqual(CARD);
  expect((await app.get(`/tokens/${body.id as string}`)).body.data).toEqual(CARD);
});
