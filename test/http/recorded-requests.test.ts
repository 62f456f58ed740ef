import { nameOfToken } from '../../src/core/audit/token-reference.ts';
import { z } from 'zod';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { generateApiKey } from '../../src/core/crypto/api-key.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import type { Form } from '../../src/core/audit/audit-record.ts';
import { createApiHandler, type ApiDeps } from '../../src/http/create-api-handler.ts';
import { route, type Route } from '../../src/http/route.ts';
import { TENANT } from '../support/builders/a-stored-token.ts';
import { anEvent, KEY } from '../support/builders/an-event.ts';
import { anApi } from './an-api.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

const ROUTES: Route<ApiDeps>[] = [
  route({
    operation: 'show',
    method: 'GET',
    path: '/things/{id}',
    success: 200,
    subject: 'token',
    query: z.custom<URLSearchParams>(),
    handle: ({ audit }, { params: { id }, query }) => {
      if (query.get('is') === 'there') audit.found([{ id }]);
      if (query.has('form')) audit.saw({ id }, query.get('form') as Form);
      if (query.get('is') === 'shown') audit.saw({ id }, 'reveal');
      else throw new ServiceError('not_found', 'No.');
      return Promise.resolve({ body: id });
    },
  }),
];

function setUp() {
  const edge = anApi();
  const handler = createApiHandler(edge.deps, ROUTES);
  /** The key is empty if the caller passes none. */
  const get = (id: string, key = KEY, query = '') =>
    handler(
      anEvent({
        path: `/things/${encodeURIComponent(id)}`,
        query,
        headers: key === '' ? {} : { 'SVC-API-KEY': key },
      }),
    );
  return { ...edge, get };
}

const anId = fc.oneof(fc.stringMatching(/^[\da-fX -]{1,40}$/), fc.constant('4242424242424242'), fc.uuid());
const isUuid = (text: string) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

describe('the record of a request', () => {
  it('names an unknown id only if it is a UUID', async () => {
    await fc.assert(
      fc.asyncProperty(anId, async (id) => {
        const { get, audit } = setUp();
        await get(id);
        const [entry] = audit.entries();
        expect(entry).toMatchObject({ op: 'show', outcome: 'refused', status: 404 });
        expect(entry?.tokens).toEqual(isUuid(id) ? { refused: [id] } : undefined);
      }),
      { numRuns: cases(60) },
    );
  });

  it('names an existing token that is not shown, whatever its id', async () => {
    const { get, audit } = setUp();
    await get('my token', KEY, 'is=there');
    expect(audit.entries()[0]?.tokens).toEqual({ refused: [nameOfToken('my token')] });
  });

  it('is durable before the response is sent, or there is no response', async () => {
    const { get, audit } = setUp();
    expect((await get('abc', KEY, 'is=shown')).statusCode).toBe(200);
    expect(audit.entries()[0]).toMatchObject({ outcome: 'ok', tokens: { reveal: [nameOfToken('abc')] } });
    audit.state.isDown = true;
    const refused = await get('abc', KEY, 'is=shown');
    expect(refused).toMatchObject({ statusCode: 503, headers: { 'Retry-After': '5' } });
    expect(refused.body).not.toContain('abc');
    expect((await get('abc')).statusCode).toBe(503);
  });

  it('is in the log with the number of tokens that the response shows in plaintext', async () => {
    const { get, lines } = setUp();
    await get('abc', KEY, 'is=shown&form=mask');
    await get('abc', KEY, 'form=reveal');
    await get('abc', KEY, 'is=there');
    expect(lines.map(({ status, revealed }) => [status, revealed])).toEqual([
      [200, 1],
      [404, undefined],
      [404, undefined],
    ]);
  });
});

describe('a rejected key', () => {
  const forged = fc.constantFrom(
    '',
    'nonsense',
    generateApiKey(machinePlatform.random, 'private', TENANT).reveal(),
    generateApiKey(machinePlatform.random, 'management', TENANT).reveal(),
  );

  it('writes nothing into the trail of the tenant that it claims, and its path nowhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(forged, { minLength: 1, maxLength: 8 }), async (keys) => {
        const { get, audit } = setUp();
        for (const key of keys) expect((await get('4242424242424242', key)).statusCode).toBe(401);
        expect(audit.entries().map(({ trail }) => trail)).toEqual(['deployment']);
        expect(JSON.stringify(audit.records)).not.toContain('4242424242424242');
        expect(JSON.stringify(audit.records)).not.toContain(TENANT);
      }),
      { numRuns: cases(30) },
    );
  });

  it('has one record of a source in a minute, with the number of requests before it', async () => {
    const { get, audit, pass } = setUp();
    for (let times = 0; times < 5; times += 1) await get('x', 'nonsense');
    pass(60_000);
    await get('x', 'nonsense');
    expect(audit.entries().map(({ count }) => count)).toEqual([undefined, 5]);
  });

  it('gets 401 even while the trail cannot be written', async () => {
    const { get, audit } = setUp();
    audit.state.isDown = true;
    expect((await get('x', 'nonsense')).statusCode).toBe(401);
  });
});
