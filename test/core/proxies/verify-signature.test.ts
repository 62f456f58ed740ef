import { createHash, createHmac } from 'node:crypto';
import Stripe from 'stripe';
import {
  secretProblem,
  SIGNATURE_SCHEMES,
  verifySignature,
  type SignatureScheme,
} from '../../../src/core/proxies/verify-signature.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { signWebhook } from '../../../src/core/webhooks/sign-webhook.ts';
import { cases, fc } from '../../../packages/local-aws/test/properties.ts';

const NOW = 1_700_000_000_123;
const MINUTES = 60_000;
const BODY = '{"id":"evt_1","data":"é😀"}';
const KEYS: Readonly<Record<SignatureScheme, string>> = {
  standard_webhooks: `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`,
  stripe: 'whsec_of_stripe_is_text',
  github: 'the secret of a repository',
};

type Headers = Record<string, string>;

const hmac = (secret: string, signed: string): string =>
  createHmac('sha256', secret).update(signed).digest('hex');

/** Headers as the partners' own libraries write them. */
const SIGN: Readonly<Record<SignatureScheme, (body: string, at: number, secret: string) => Headers>> = {
  standard_webhooks: (body, at, secret) =>
    Object.fromEntries(signWebhook('msg_1', body, [new Secret(secret)], at)),
  stripe: (payload, at, secret) => ({
    'stripe-signature': Stripe.webhooks.generateTestHeaderString({
      payload,
      secret,
      timestamp: Math.floor(at / 1000),
    }),
  }),
  github: (body, _, secret) => ({ 'x-hub-signature-256': `sha256=${hmac(secret, body)}` }),
};
const IDS = {
  standard_webhooks: 'msg_1',
  stripe: 'evt_1',
  github: createHash('sha256').update(BODY).digest('hex'),
};

const verify = (
  scheme: SignatureScheme,
  headers: Headers,
  { body = BODY, secret = KEYS[scheme], now = NOW } = {},
) => verifySignature(scheme, new Secret(secret), { headers, body: Buffer.from(body) }, now);
const signed = (scheme: SignatureScheme, body = BODY, at = NOW) => SIGN[scheme](body, at, KEYS[scheme]);

describe.each(SIGNATURE_SCHEMES)('a signature of %s', (scheme) => {
  it('identifies a delivery by what is signed', () => {
    expect(verify(scheme, signed(scheme))).toEqual({ id: IDS[scheme] });
  });

  it('is refused for another body, another secret and no headers', () => {
    expect(verify(scheme, signed(scheme), { body: `${BODY} ` })).toBeUndefined();
    const other = scheme === 'standard_webhooks' ? `whsec_${'A'.repeat(32)}` : `${KEYS[scheme]}!`;
    expect(secretProblem(scheme, other)).toBeUndefined();
    expect(verify(scheme, signed(scheme), { secret: other })).toBeUndefined();
    expect(verify(scheme, {})).toBeUndefined();
    expect(verify(scheme, signed(scheme), { secret: '' })).toBeUndefined();
  });

  it('is refused if any character of a header changes', () => {
    const headers = signed(scheme);
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(headers)),
        fc.nat({ max: 200 }),
        fc.constantFrom('', 'x', '0', ',', '=', '.'),
        (name, at, put) => {
          const value = headers[name] ?? '';
          const from = at % value.length;
          const changed = `${value.slice(0, from)}${put}${value.slice(from + 1)}`;
          // Hexadecimal digits may have either case, and the padding of base64 is optional.
          const isSame =
            changed.toLowerCase() === value.toLowerCase() ||
            changed.replace(/=+$/, '') === value.replace(/=+$/, '');
          fc.pre(!isSame);
          const found = verify(scheme, { ...headers, [name]: changed });
          expect(found).toBeUndefined();
        },
      ),
      { numRuns: cases(300) },
    );
  });

  it('covers a body that is not UTF-8 as it was received', () => {
    const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
    const replaced = Buffer.from(body.toString());
    const headers = signed(scheme, body.toString());
    const found = verifySignature(scheme, new Secret(KEYS[scheme]), { headers, body }, NOW);
    expect(replaced.equals(body)).toBe(false);
    expect(found).toBeUndefined();
  });
});

describe.each(['standard_webhooks', 'stripe'] as const)('the signed time of %s', (scheme) => {
  it('is at most five minutes from now', () => {
    const whole = Math.floor(NOW / 1000) * 1000;
    for (const [shift, isRecent] of [
      [5 * MINUTES, true],
      [-5 * MINUTES, true],
      [5 * MINUTES + 1000, false],
      [-5 * MINUTES - 1000, false],
    ] as const)
      expect(verify(scheme, signed(scheme, BODY, whole + shift), { now: whole }) !== undefined).toBe(
        isRecent,
      );
  });
});

describe('Standard Webhooks', () => {
  it('accepts one of several signatures, and ignores other versions', () => {
    const headers = signed('standard_webhooks');
    const signature = headers['webhook-signature'] ?? '';
    const other = `v1,${Buffer.alloc(32).toString('base64')}`;
    const withSignatures = (...all: string[]) => ({ ...headers, 'webhook-signature': all.join(' ') });
    expect(verify('standard_webhooks', withSignatures('v1a,x', other, signature))).toEqual({ id: 'msg_1' });
    expect(verify('standard_webhooks', withSignatures(other, signature.replace('v1', 'v2')))).toBeUndefined();
    const many = Array.from({ length: 20 }, () => other);
    expect(verify('standard_webhooks', withSignatures(...many, signature))).toBeUndefined();
  });

  it('has no second reading of an id with a dot', () => {
    const headers = Object.fromEntries(signWebhook('msg.1', BODY, [new Secret(KEYS.standard_webhooks)], NOW));
    expect(verify('standard_webhooks', headers)).toBeUndefined();
  });
});

describe('Stripe', () => {
  it('accepts one of several signatures, and ignores other schemes', () => {
    const [time = '', signature = ''] = (signed('stripe')['stripe-signature'] ?? '').split(',');
    const header = (...parts: string[]) => ({ 'stripe-signature': parts.join(',') });
    const other = `v1=${'0'.repeat(64)}`;
    expect(verify('stripe', header(time, 'v0=abc', other, ` ${signature}`))).toEqual({ id: 'evt_1' });
    expect(verify('stripe', header(time, signature.replace('v1', 'v0')))).toBeUndefined();
    expect(verify('stripe', header(time, 't=1', signature))).toBeUndefined();
    expect(verify('stripe', header(signature))).toBeUndefined();
  });

  it.each(['{}', '{"id":1}', '{"id":""}', '[]', 'no JSON', '', `{"id":"${'x'.repeat(257)}"}`])(
    'refuses the body %j, which has no id',
    (body) => {
      expect(verify('stripe', signed('stripe', body), { body })).toBeUndefined();
    },
  );
});

describe('a secret', () => {
  it.each<[SignatureScheme, string, boolean]>([
    ['standard_webhooks', KEYS.standard_webhooks, true],
    ['standard_webhooks', `whsec_${Buffer.alloc(24).toString('base64')}`, true],
    ['standard_webhooks', `whsec_${Buffer.alloc(64).toString('base64').replaceAll('=', '')}`, true],
    ['standard_webhooks', `whsec_${Buffer.alloc(23).toString('base64')}`, false],
    ['standard_webhooks', `whsec_${Buffer.alloc(65).toString('base64')}`, false],
    ['standard_webhooks', 'whsec_not base64', false],
    ['standard_webhooks', Buffer.alloc(32).toString('base64'), false],
    ['stripe', 'whsec_0123456789', true],
    ['stripe', 'whsec_012345678', false],
    ['github', 'x'.repeat(16), true],
    ['github', '', false],
  ])('is checked for %s: %s is accepted: %s', (scheme, secret, isAccepted) => {
    expect(secretProblem(scheme, secret) === undefined).toBe(isAccepted);
  });
});
