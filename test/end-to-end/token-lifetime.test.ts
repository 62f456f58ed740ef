// Tests what the tables contain after the end of a token, a cvc or a session.
// test/interface/token-lifetime.test.ts has what a caller sees.
import { untilTrue } from '../../packages/test-kit/src/until.ts';
import { allItems, bytesOf, isOfTrail } from '../support/aws.ts';
import { advanceClock } from '../support/advance-clock.ts';
import { httpClient, strictClient, type HttpClient } from '../support/http-client.ts';
import { runService, TEST_SETTINGS, type RunningService } from '../support/run-service.ts';
import { ALL_TOKEN_PERMISSIONS, CARD } from '../support/sample-requests.ts';

/** A service whose clock the test advances. */
let service: RunningService;
let app: HttpClient;

async function anApplication(wanted: { readonly type?: string; readonly permissions: readonly string[] }) {
  const { base_url: baseUrl, management_key: managementKey } = service.credentials;
  const manage = strictClient(baseUrl, managementKey);
  const body = { name: 'test', type: 'private', ...wanted };
  const { id, key } = await manage<{ id: string; key: string }>('POST', '/applications', body);
  return { id, client: httpClient(baseUrl, key) };
}

beforeAll(async () => {
  service = await runService(TEST_SETTINGS);
  app = (await anApplication({ permissions: ALL_TOKEN_PERMISSIONS })).client;
});
afterAll(() => service.stop());

/** Whether an item only remembers the id of a token that is gone. */
const isTombstone = (item: string) => item.includes('isGone=') && !item.includes('encryptedData=');
const hasCvc = (item: string) => item.includes('encryptedCvc=');

const itemsOf = async (id: string) =>
  (await allItems(service.credentials)).map(bytesOf).filter((item) => item.includes(id) && !isOfTrail(item));

describe('the sweep', () => {
  it('deletes an expired token from the tables, except for its id, and a cvc at its end', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const card = { type: 'card', data: { ...CARD, cvc: '8361' } };
    const mortal = { ...card, id: 'mortal', metadata: { a: 'b' }, search_indexes: ['{{ data.number }}'] };
    await app.post('/tokens', { ...mortal, expires_at: inAnHour });
    const { id } = (await app.post('/tokens', card)).body;
    expect((await itemsOf(id)).some(hasCvc)).toBe(true);
    expect((await itemsOf('mortal')).length).toBeGreaterThan(1);
    await advanceClock(service.credentials, 3_600);
    await untilTrue(async () => (await itemsOf('mortal')).every(isTombstone));
    await untilTrue(async () => !(await itemsOf(id)).some(hasCvc));
    // The id of a token that the sweep has reached stays taken.
    expect((await app.post('/tokens', { type: 'token', data: 2, id: 'mortal' })).status).toBe(409);
    expect((await app.get(`/tokens/${id as string}`)).status).toBe(200);
  });
});

describe('a session', () => {
  it('is deleted after its expiry', async () => {
    const asking = await anApplication({ type: 'public', permissions: ['token:create'] });
    const { body: session } = await asking.client.post('/sessions');
    const authorizing = await anApplication({ permissions: ['token:read'] });
    const isOfIt = (item: string) => item.includes(authorizing.id) && item.includes('sk=S=session');
    const { status } = await authorizing.client.post('/sessions/authorize', {
      nonce: session.nonce as string,
      permissions: ['token:read'],
    });
    expect(status).toBe(200);
    const read = httpClient(service.credentials.base_url, session.session_key as string);
    expect((await read.get('/tokens/nothing')).status).toBe(404);
    const sessions = async () => (await allItems(service.credentials)).map(bytesOf).filter(isOfIt);
    expect(await sessions()).toHaveLength(1);
    await advanceClock(service.credentials, 2 * 3_600);
    await untilTrue(async () => (await sessions()).length === 0);
  });
});

describe('a PATCH that removes a cvc', () => {
  it('deletes it from the tables', async () => {
    const { id } = (await app.post('/tokens', { type: 'card', data: { ...CARD, cvc: '737' } })).body;
    expect((await itemsOf(id)).some(hasCvc)).toBe(true);
    await app.patch(`/tokens/${id as string}`, { data: { cvc: null } });
    expect((await itemsOf(id)).some(hasCvc)).toBe(false);
  });
});
