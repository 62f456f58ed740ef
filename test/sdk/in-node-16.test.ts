import * as sdk from '../../sdk/index.ts';
import { answerOf } from '../reactor-runtime/a-reactor.ts';
import { withService } from './a-service.ts';

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
  test.each(Object.entries(ERRORS))('%s thrown by a reactor has status %i', async (name, status) => {
    const code = `const sdk = require('@cloakroom/sdk'); module.exports = async () => { throw new sdk.${name}('m', { errors: { a: ['b'] } }) }`;
    expect(await answerOf(code)).toEqual({
      outcome: 'threw',
      error: { name, message: 'm', status, errors: { a: ['b'] } },
    });
    const error = new sdk[name as keyof typeof ERRORS]();
    expect(error).toMatchObject({ name, status, errors: undefined, message: '' });
  });

  test('bt calls the service as the reactor’s application, without fetch', async () => {
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
      expect(await answerOf(code, {}, { client })).toEqual({
        outcome: 'returned',
        value: { fetch: 'undefined', token: { id: 'x' }, failed: ['ApiError', 404, 'Not found'] },
      });
      expect(received.map(({ headers }) => headers['acme-api-key'])).toEqual(
        Array(3).fill('key_of_the_invocation'),
      );
      expect(received[2]?.body).toEqual({ type: 'token', data: 'ü' });
    });
  });
});
