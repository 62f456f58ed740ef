import { aCardNumber } from '../support/a-card-number.ts';
import { randomUUID } from 'node:crypto';
import { anApplication, aRevealingApplication, CARD } from '../support/service.ts';

const unique = () => `value ${randomUUID()}`;

describe('deduplicate_token', () => {
  it('returns the existing token, and writes nothing', async () => {
    const app = await aRevealingApplication();
    const data = unique();
    const first = await app.post('/tokens', { type: 'token', data });
    const second = await app.post('/tokens', {
      type: 'token',
      data,
      deduplicate_token: true,
      metadata: { not: 'saved' },
    });
    expect(second.status).toBe(201);
    expect(second.body).toEqual({ ...first.body, _extras: { deduplicated: true } });
    const without = await app.post('/tokens', { type: 'token', data });
    expect(without.body.id).not.toBe(first.body.id);
  });

  it('shows a duplicate only as far as the caller may read it', async () => {
    const app = await aRevealingApplication();
    const data = unique();
    const { body } = await app.post('/tokens', { type: 'token', data, metadata: { a: 'b' } });
    const collecting = await anApplication({ type: 'public', permissions: ['token:create'] });
    const { id, type, tenant_id, fingerprint, containers } = body;
    const response = await collecting.post('/tokens', { type: 'token', data, deduplicate_token: true });
    expect(response.body).toEqual({
      id,
      type,
      tenant_id,
      fingerprint,
      containers,
      _extras: { deduplicated: true },
    });
  });

  it('finds no token whose writer sent `false`', async () => {
    const app = await aRevealingApplication();
    const data = unique();
    const wanted = { type: 'token', data, deduplicate_token: true };
    const hidden = await app.post('/tokens', { type: 'token', data, deduplicate_token: false });
    const collecting = await anApplication({ type: 'public', permissions: ['token:create'] });
    const guessed = await collecting.post('/tokens', wanted);
    expect([guessed.status, guessed.body._extras]).toEqual([201, undefined]);
    expect(guessed.body.id).not.toBe(hidden.body.id);
    const other = await app.post('/tokens', { type: 'token', data: unique() });
    const patched = await app.patch(`/tokens/${other.body.id}`, { data, deduplicate_token: true });
    expect(patched.body.id).toBe(guessed.body.id);
    // A PATCH decides again, and one without the member changes nothing.
    await app.patch(`/tokens/${guessed.body.id}`, { deduplicate_token: false });
    await app.patch(`/tokens/${guessed.body.id}`, { metadata: { a: 'b' } });
    const next = await app.post('/tokens', wanted);
    expect(next.body._extras).toBeUndefined();
    await app.delete(`/tokens/${next.body.id}`);
    await app.patch(`/tokens/${hidden.body.id}`, { deduplicate_token: true });
    expect((await app.post('/tokens', wanted)).body.id).toBe(hidden.body.id);
  });

  it('creates one token for fifty concurrent equal creates', async () => {
    const app = await anApplication();
    const data = unique();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => app.post('/tokens', { type: 'token', data, deduplicate_token: true })),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    expect(responses.filter(({ body }) => body._extras === undefined)).toHaveLength(1);
  });

  it('matches within one type only, and only tokens that still exist', async () => {
    const app = await anApplication();
    const digits = aCardNumber();
    const number = await app.post('/tokens', {
      type: 'card_number',
      data: digits,
      deduplicate_token: true,
    });
    const card = await app.post('/tokens', {
      type: 'card',
      data: { number: digits },
      deduplicate_token: true,
    });
    expect(card.body.id).not.toBe(number.body.id);
    await app.delete(`/tokens/${number.body.id}`);
    const again = await app.post('/tokens', {
      type: 'card_number',
      data: digits,
      deduplicate_token: true,
    });
    expect([again.status, again.body._extras]).toEqual([201, undefined]);
  });

  it('matches the new data after an update', async () => {
    const app = await anApplication();
    const a = unique();
    const b = unique();
    const token = await app.post('/tokens', { type: 'token', data: a, deduplicate_token: true });
    await app.patch(`/tokens/${token.body.id}`, { data: b });
    expect((await app.post('/tokens', { type: 'token', data: b, deduplicate_token: true })).body.id).toBe(
      token.body.id,
    );
    const fresh = await app.post('/tokens', { type: 'token', data: a, deduplicate_token: true });
    expect(fresh.body._extras).toBeUndefined();
  });

  it('returns the duplicate from an update, and changes nothing', async () => {
    const app = await aRevealingApplication();
    const a = unique();
    const b = unique();
    const first = await app.post('/tokens', { type: 'token', data: a });
    const second = await app.post('/tokens', { type: 'token', data: b });
    const patched = await app.patch(`/tokens/${second.body.id}`, { data: a, deduplicate_token: true });
    expect([patched.status, patched.body]).toEqual([200, { ...first.body, _extras: { deduplicated: true } }]);
    expect((await app.get(`/tokens/${second.body.id}`)).body.data).toBe(b);
    const alone = await app.patch(`/tokens/${second.body.id}`, { data: unique(), deduplicate_token: true });
    expect(alone.body._extras).toBeUndefined();
  });

  it('works inside one tokenize request', async () => {
    const app = await anApplication();
    const data = unique();
    const { body } = await app.post('/tokenize', [
      { type: 'token', data, deduplicate_token: true },
      { type: 'token', data, deduplicate_token: true },
      { type: 'card', data: CARD },
    ]);
    expect(body[1]).toMatchObject({ id: body[0].id, _extras: { deduplicated: true } });
  });
});
