import { NOW } from '../../support/now.ts';
import { Webhook } from 'standardwebhooks';
import { Secret } from '../../../src/core/shared/secret.ts';
import { signWebhook } from '../../../src/core/webhooks/sign-webhook.ts';
import { generateWebhookSecret } from '../../../src/core/webhooks/webhook-secrets.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

describe('a signed webhook', () => {
  it('is verified by the library of the standard, with the current and the previous secret', () => {
    const current = generateWebhookSecret(machinePlatform.random);
    const previous = generateWebhookSecret(machinePlatform.random);
    const other = generateWebhookSecret(machinePlatform.random);
    const body = JSON.stringify({ raw: { ok: true } });
    // The library refuses what its own clock says is five minutes old.
    jest.spyOn(Date, 'now').mockReturnValue(NOW);
    const headers = Object.fromEntries(signWebhook('id-1', body, [current, previous], NOW));
    for (const secret of [current, previous])
      expect(new Webhook(secret.reveal()).verify(body, headers)).toEqual({ raw: { ok: true } });
    expect(() => new Webhook(other.reveal()).verify(body, headers)).toThrow();
    expect(() => new Webhook(current.reveal()).verify(`${body} `, headers)).toThrow();
    expect(() => new Webhook(current.reveal()).verify(body, { ...headers, 'webhook-id': 'id-2' })).toThrow();
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('has the signature of the specification (Standard Webhooks, example of the reference)', () => {
    const secret = new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    const headers = Object.fromEntries(
      signWebhook('msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}', [secret], 1_614_265_330_000),
    );
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });
});
