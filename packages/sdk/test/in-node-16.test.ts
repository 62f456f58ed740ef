import { signWebhook } from '../../../src/core/webhooks/sign-webhook.ts';
import { generateWebhookSecret } from '../../../src/core/webhooks/webhook-secrets.ts';
import * as sdk from '../src/index.ts';
import { sharedReactor } from '../../../test/reactor-runtime/a-reactor.ts';
import { withService } from './a-service.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const { answerOf: responseOf } = sharedReactor();

const ERRORS = {
  BadRequestError: 400,
  InvalidReactorConfigurationError: 400,
  AuthenticationError: 401,
  InvalidPaymentMethodError: 402,
  AuthorizationError: 403,
  RateLimitError: 429,
  ReactorRuntimeError: 500,
  ServiceUnavailableError: 503,
} as const;

describe('the SDK as it ships, in the real Node 16', () => {
  it.each(Object.entries(ERRORS))('%s thrown by a reactor has status %i', async (name, status) => {
    const code = `const sdk = require('@cloakroom/sdk'); module.exports = async () => { throw new sdk.${name}('m', { errors: { a: ['b'] } }) }`;
    expect(await responseOf(code)).toEqual({
      outcome: 'threw',
      error: expect.objectContaining({ class: name, message: 'm', status, errors: { a: ['b'] } }),
    });
    const error = new sdk[name as keyof typeof ERRORS]();
    expect(error).toMatchObject({ name, status, errors: undefined, message: '' });
  });

  it.each([
    [`{ 'card.number': ['bad', 'old'], a: 'b' }`, '', { 'card.number': ['bad', 'old'], a: ['b'] }],
    [`{ a: [{ code: 1 }, null], b: undefined }`, '', { a: ['{"code":1}', 'null'], b: ['undefined'] }],
    [`['one', 'two']`, '', { error: ['one', 'two'] }],
    [`new Error('card 4242')`, '', null],
    [`'text'`, 'text', null],
    [`null`, '', null],
  ])('an error with only %s has the message %j and the errors %j', async (reason, message, errors) => {
    const code = `const sdk = require('@cloakroom/sdk'); module.exports = () => { throw new sdk.RateLimitError(${reason}) }`;
    const { error } = await responseOf(code);
    expect([error.message, error.errors, error.status]).toEqual([message, errors, 429]);
  });

  it('an error created from another one has it as its cause, which is not enumerable', () => {
    const cause = new Error('card 4242');
    const error = new sdk.ReactorRuntimeError(cause);
    expect([error.cause, Object.keys(error).toSorted()]).toEqual([cause, ['errors', 'name', 'status']]);
  });

  it('bt calls the service as the reactor’s application, without fetch', async () => {
    const replies = [
      { status: 503, headers: { 'Retry-After': '0' } },
      { status: 200, body: { id: 'x' } },
      { status: 404, body: { title: 'Not found' } },
    ];
    await withService(replies, async (baseUrl, received) => {
      const client = { base_url: baseUrl, api_key: 'key_of_the_invocation', header_prefix: 'ACME' };
      const code = `module.exports = async (req) => {
        const token = await req.bt.tokens.retrieve('x');
        const failed = await req.bt.tokens.create({ type: 'token', data: 'ü' }).catch((error) => error);
        return { fetch: typeof fetch, token, failed: [failed.name, failed.status, failed.title] };
      }`;
      expect(await responseOf(code, {}, { client })).toEqual({
        outcome: 'returned',
        value: { fetch: 'undefined', token: { id: 'x' }, failed: ['ApiError', 404, 'Not found'] },
      });
      expect(received.map(({ headers }) => headers['acme-api-key'])).toEqual(
        Array(3).fill('key_of_the_invocation'),
      );
      expect(received[2]?.body).toEqual({ type: 'token', data: 'ü' });
    });
  });

  it('a client of reactor code needs its options, and reports its attempts', async () => {
    const replies = [{ status: 503, headers: { 'Retry-After': '0' } }];
    await withService(replies, async (baseUrl) => {
      const code = `const { createClient } = require('@cloakroom/sdk');
        module.exports = async ({ args: baseUrl }) => {
          const events = [];
          const onAttempt = ({ durationMs, ...event }) => events.push([event.route, event.status, durationMs >= 0]);
          await createClient({ baseUrl, apiKey: 'k', onAttempt }).tokens.retrieve('x');
          try { createClient({ baseUrl }); } catch (error) { return [events, error.name, error.message]; }
        }`;
      const event = (status: number) => ['GET /tokens/{id}', status, true];
      const client = { base_url: baseUrl, api_key: 'key_of_the_invocation', header_prefix: 'SVC' };
      expect(await responseOf(code, baseUrl, { client })).toEqual({
        outcome: 'returned',
        value: [[event(503), event(200)], 'TypeError', expect.stringMatching(/apiKey.*CLOAKROOM_API_KEY/)],
      });
    });
  });

  it('bt survives lost responses, and ends at its timeout and on its signal', async () => {
    const replies = [
      { status: 0, instead: 'drop' },
      { status: 200, instead: 'cut' },
      { status: 200, body: { id: 'x' } },
      { status: 0, instead: 'hang' },
      { status: 0, instead: 'hang' },
    ] as const;
    await withService(replies, async (baseUrl, received) => {
      const client = { base_url: baseUrl, api_key: 'key_of_the_invocation', header_prefix: 'SVC' };
      const code = `const { ConnectionError, TimeoutError } = require('@cloakroom/sdk');
        module.exports = async ({ bt }) => {
          const { id } = await bt.tokens.retrieve('x');
          const late = await bt.tokens.retrieve('x', { timeoutMs: 500, maxRetries: 0 }).catch((error) => error);
          const controller = new AbortController();
          setTimeout(() => controller.abort(), 500);
          const aborted = await bt.tokens.retrieve('x', { signal: controller.signal }).catch((error) => error);
          return [id, late instanceof TimeoutError, late instanceof ConnectionError, aborted.name];
        }`;
      expect(await responseOf(code, {}, { client })).toEqual({
        outcome: 'returned',
        value: ['x', true, true, 'AbortError'],
      });
      // On a busy machine, a request may end before it arrives.
      expect(received.length).toBeGreaterThanOrEqual(3);
      expect(received.length).toBeLessThanOrEqual(5);
    });
  });

  it('verifies a webhook, without WebCrypto as a global', async () => {
    const secret = generateWebhookSecret(machinePlatform.random);
    const body = '{"raw":"ü"}';
    const headers = Object.fromEntries(signWebhook('inv_1', body, [secret], Date.now()));
    const code = `const { verifyWebhook } = require('@cloakroom/sdk');
      module.exports = async ({ args }) => [
        typeof crypto, await verifyWebhook(args), await verifyWebhook({ ...args, body: '{}' }).catch((error) => error.name),
      ];`;
    expect(await responseOf(code, { body, headers, secret: secret.reveal() })).toEqual({
      outcome: 'returned',
      value: [
        'undefined',
        { id: 'inv_1', status: 'succeeded', result: { raw: 'ü' } },
        'WebhookVerificationError',
      ],
    });
  });
});
