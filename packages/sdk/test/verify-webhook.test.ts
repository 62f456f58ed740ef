import { randomBytes } from 'node:crypto';
import { parseJson } from '../../../src/core/shared/parse-json.ts';
import { Webhook } from 'standardwebhooks';
import { Secret } from '../../../src/core/shared/secret.ts';
import { signWebhook } from '../../../src/core/webhooks/sign-webhook.ts';
import { generateWebhookSecret } from '../../../src/core/webhooks/webhook-secrets.ts';
import { verifyWebhook, WebhookVerificationError, type WebhookToVerify } from '../src/index.ts';
import { aMisreadValue } from '../../../test/support/a-misread-value.ts';
import { cases, fc } from '../../test-kit/src/properties.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

/** The receiver's clock stands still. */
const NOW = Date.parse('2026-01-02T03:04:05Z');
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(NOW));

const secret = generateWebhookSecret(machinePlatform.random).reveal();
const RESULT = { raw: { charge: 'ch_1', who: 'Zoë' } };

/** A webhook as the service signs it. */
function aWebhook(changes: { id?: string; result?: unknown; secrets?: string[]; at?: number } = {}) {
  const { id = 'inv_1', result = RESULT, secrets = [secret], at = NOW } = changes;
  const body = JSON.stringify(result);
  const signed = signWebhook(
    id,
    body,
    secrets.map((one) => new Secret(one)),
    at,
  );
  return { body, headers: Object.fromEntries(signed), secret };
}

const refused = async (webhook: WebhookToVerify): Promise<string> => {
  const error = await verifyWebhook(webhook).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WebhookVerificationError);
  return (error as Error).message;
};

describe('a webhook of the service', () => {
  it('returns the result of the invocation, with its id', async () => {
    expect(await verifyWebhook(aWebhook())).toEqual({ id: 'inv_1', status: 'succeeded', result: RESULT });
    expect(await verifyWebhook(aWebhook({ result: {} }))).toMatchObject({ status: 'succeeded', result: {} });
  });

  it('names the reactor and the application for which it was signed', async () => {
    const sender = { reactor_id: 'reactor-1', application_id: 'application-1' };
    expect(await verifyWebhook(aWebhook({ result: { ...RESULT, ...sender } }))).toEqual({
      id: 'inv_1',
      status: 'succeeded',
      result: RESULT,
      ...sender,
    });
  });

  it('returns names with escapes as they were sent (docs/decisions/0014)', async () => {
    const result = aMisreadValue();
    expect(await verifyWebhook(aWebhook({ result }))).toMatchObject({ result });
  });

  it('returns the error of code that threw', async () => {
    const result = { title: 'Payment Required', status: 402, detail: 'declined' };
    expect(await verifyWebhook(aWebhook({ result }))).toEqual({ id: 'inv_1', status: 'failed', result });
  });

  it('is accepted with any id, result and secret', async () => {
    const ids = fc.stringMatching(/^[\x21-\x7e]{1,60}$/);
    const secrets = fc.uint8Array({ minLength: 1, maxLength: 80 });
    const results = fc.dictionary(fc.string(), fc.jsonValue()).filter((value) => !('status' in value));
    await fc.assert(
      fc.asyncProperty(ids, secrets, results, fc.boolean(), async (id, bytes, result, prefixed) => {
        const own = `${prefixed ? 'whsec_' : ''}${Buffer.from(bytes).toString('base64')}`;
        const webhook = { ...aWebhook({ id, result, secrets: [own] }), secret: own };
        expect(await verifyWebhook(webhook)).toEqual({
          id,
          status: 'succeeded',
          result: parseJson(webhook.body),
        });
      }),
    );
  });

  it('is accepted as bytes, with Headers, and with the headers of Node in any case', async () => {
    const { body, headers } = aWebhook();
    const expected = expect.objectContaining({ status: 'succeeded', result: RESULT });
    const titled = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]);
    for (const input of [
      headers,
      new Headers(headers),
      Object.fromEntries(titled) as Record<string, string[]>,
    ])
      for (const sent of [body, new TextEncoder().encode(body), Buffer.from(body)])
        expect(await verifyWebhook({ body: sent, headers: input, secret })).toEqual(expected);
  });

  it('is accepted with the old secret and with the new one, while both sign', async () => {
    const old = generateWebhookSecret(machinePlatform.random).reveal();
    const webhook = aWebhook({ secrets: [secret, old] });
    expect(webhook.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const one of [secret, old])
      expect(await verifyWebhook({ ...webhook, secret: one })).toMatchObject({ result: RESULT });
  });

  it('is accepted five minutes before or after now, or as long as the receiver configures', async () => {
    for (const seconds of [-295, 0, 295])
      expect(await verifyWebhook(aWebhook({ at: NOW + seconds * 1_000 }))).toBeDefined();
    const old = aWebhook({ at: NOW - 3_000_000 });
    expect(await verifyWebhook({ ...old, toleranceSeconds: 3_100 })).toBeDefined();
  });
});

describe('an invalid webhook is rejected:', () => {
  const sent = aWebhook();
  const signature = String(sent.headers['webhook-signature']);
  const replacing = (headers: Record<string, unknown>) => ({
    ...sent,
    headers: { ...sent.headers, ...headers } as Record<string, string>,
  });

  it.each([
    ['another id', replacing({ 'webhook-id': 'inv_2' })],
    [
      'another time',
      replacing({ 'webhook-timestamp': String(Number(sent.headers['webhook-timestamp']) + 1) }),
    ],
    ['another body', { ...sent, body: sent.body.replace('ch_1', 'ch_2') }],
    ['a body with other whitespace', { ...sent, body: `${sent.body} ` }],
    ['another secret', { ...sent, secret: generateWebhookSecret(machinePlatform.random).reveal() }],
    ['no signature', replacing({ 'webhook-signature': undefined })],
    ['an empty signature', replacing({ 'webhook-signature': '' })],
    ['a version without a signature', replacing({ 'webhook-signature': 'v1,' })],
    ['a truncated signature', replacing({ 'webhook-signature': signature.slice(0, -5) })],
    ['a signature that is longer', replacing({ 'webhook-signature': `${signature}AAAA` })],
    ['another version', replacing({ 'webhook-signature': signature.replace('v1', 'v1a') })],
    ['a signature with an extra comma', replacing({ 'webhook-signature': `${signature},x` })],
    ['garbage', replacing({ 'webhook-signature': '\0 , v1,, \u{1f600}' })],
    ['no id', replacing({ 'webhook-id': undefined })],
    ['two ids', replacing({ 'Webhook-Id': 'inv_2' })],
    ['two ids in a list', replacing({ 'webhook-id': ['inv_1', 'inv_2'] })],
    ['a number as the id', replacing({ 'webhook-id': [7] })],
    ['no time', replacing({ 'webhook-timestamp': undefined })],
    ['an invalid time', replacing({ 'webhook-timestamp': 'NaN' })],
    [
      'a time with a suffix',
      replacing({ 'webhook-timestamp': `${String(sent.headers['webhook-timestamp'])}.5` }),
    ],
    ['no headers', { ...sent, headers: {} }],
  ])('%s', async (_what, webhook) => {
    await refused(webhook);
  });

  it('a webhook is rejected that is older than five minutes, or from the future', async () => {
    const later = (seconds: number) => refused(aWebhook({ at: NOW + seconds * 1_000 }));
    expect(await later(-302)).toContain('too old');
    expect(await later(305)).toContain('future');
  });

  it('signed, but not a result', async () => {
    for (const result of ['text', 7, null, [], [{}]])
      expect(await refused(aWebhook({ result }))).toContain('JSON');
  });

  it('any changed byte of the body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const body = Buffer.from(sent.body);
        const index = at % body.length;
        body[index] = (body[index] ?? 0) ^ flip;
        await refused({ ...sent, body });
      }),
      { numRuns: cases(20) },
    );
  });

  it('any headers that the reference rejects', async () => {
    const value = fc.oneof(fc.string(), fc.constantFrom('', 'v1,', 'inv_1', '0', signature.slice(3)));
    await fc.assert(
      fc.asyncProperty(value, value, value, async (id, timestamp, signed) => {
        const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signed };
        await refused({ ...sent, headers });
        expect(() => new Webhook(secret).verify(sent.body, headers)).toThrow();
      }),
    );
  });

  it('an invalid secret is reported as an error of the receiver', async () => {
    for (const wrong of [undefined as unknown as string, '', 'whsec_', 'whsec_ä', 'a', '====', ' '])
      await expect(verifyWebhook({ ...sent, secret: wrong })).rejects.toThrow(TypeError);
    const error = await verifyWebhook({ ...sent, secret: 'whsec_?precious?' }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).not.toContain('precious');
  });

  it('a tolerance that is not a number from 0, which would accept messages of any age', async () => {
    const old = aWebhook({ at: NOW - 3_000_000 });
    for (const wrong of [NaN, -1, Infinity, '300' as unknown as number, null as unknown as number])
      await expect(verifyWebhook({ ...old, toleranceSeconds: wrong })).rejects.toThrow(TypeError);
  });

  it('no body as the ArrayBuffer that `request.arrayBuffer()` returns', async () => {
    const body = new TextEncoder().encode(sent.body).buffer;
    expect(await verifyWebhook({ ...sent, body })).toEqual(await verifyWebhook(sent));
  });

  it('a body that was parsed before, with advice', async () => {
    for (const wrong of [RESULT, undefined, null, new DataView(new ArrayBuffer(2))])
      await expect(verifyWebhook({ ...sent, body: wrong as unknown as string })).rejects.toThrow(
        new TypeError('body must be text or bytes, as it came: before anything parses it'),
      );
  });

  it('but not a key of another length than the service creates', async () => {
    const short = randomBytes(5).toString('base64');
    expect(await verifyWebhook({ ...aWebhook({ secrets: [short] }), secret: short })).toBeDefined();
  });
});
