import { createHash, createHmac } from 'node:crypto';
import Stripe from 'stripe';
import {
  SIGNATURE_SCHEMES,
  type HmacSignature,
  type Signature,
  type SignatureScheme,
} from '../../../src/core/stored-proxies/signature.ts';
import {
  secretProblem,
  signatureProblems,
  verifySignature,
} from '../../../src/core/stored-proxies/verify-signature.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { signWebhook } from '../../../src/core/webhooks/sign-webhook.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

const NOW = 1_700_000_000_123;
const MINUTES = 60_000;
const BODY = '{"id":"evt_1","data":"é😀"}';
const KEYS: Readonly<Record<SignatureScheme, string>> = {
  standard_webhooks: `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`,
  stripe: 'whsec_of_stripe_is_text',
  github: 'the secret of a repository',
  hmac: 'the secret of a partner',
};
const HMAC: HmacSignature = {
  scheme: 'hmac',
  header: 'X-Partner-Signature',
  algorithm: 'sha512',
  encoding: 'base64',
  prefix: 'v0=',
  signed: 'v0:{timestamp}:{header:X-Id}:{body}',
  timestamp: { header: 'X-Time' },
  delivery: { header: 'X-Id' },
};
const signatureOf = (scheme: SignatureScheme): Signature => (scheme === 'hmac' ? HMAC : { scheme });
const URL_ = 'https://vault.example.com/proxy/hooks?a=1';

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
  hmac(body, at, secret) {
    const time = String(Math.floor(at / 1000));
    const signature = createHmac('sha512', secret).update(`v0:${time}:id_1:${body}`).digest('base64');
    return { 'x-partner-signature': `v0=${signature}`, 'x-time': time, 'x-id': 'id_1' };
  },
};
const IDS = {
  standard_webhooks: 'msg_1',
  stripe: 'evt_1',
  github: createHash('sha256').update(BODY).digest('hex'),
  hmac: 'id_1',
};

const verify = (
  scheme: SignatureScheme,
  headers: Headers,
  { body = BODY, secret = KEYS[scheme], now = NOW } = {},
) => {
  const request = { headers, body: Buffer.from(body), url: URL_ };
  return verifySignature(signatureOf(scheme), new Secret(secret), request, now);
};
const signed = (scheme: SignatureScheme, body = BODY, at = NOW) => SIGN[scheme](body, at, KEYS[scheme]);

describe.each(SIGNATURE_SCHEMES)('a signature of %s', (scheme) => {
  it('identifies a delivery by what is signed', () => {
    expect(verify(scheme, signed(scheme))).toEqual({ id: IDS[scheme] });
  });

  it('is refused for another body, another secret and no headers', () => {
    expect(verify(scheme, signed(scheme), { body: `${BODY} ` })).toBeUndefined();
    const other = scheme === 'standard_webhooks' ? `whsec_${'A'.repeat(32)}` : `${KEYS[scheme]}!`;
    expect(secretProblem(signatureOf(scheme), other)).toBeUndefined();
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
    const found = verifySignature(
      signatureOf(scheme),
      new Secret(KEYS[scheme]),
      { headers, body, url: URL_ },
      NOW,
    );
    expect(replaced.equals(body)).toBe(false);
    expect(found).toBeUndefined();
  });
});

describe.each(['standard_webhooks', 'stripe', 'hmac'] as const)('the signed time of %s', (scheme) => {
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

describe('headers of Svix', () => {
  const renamed = (headers: Headers) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.replace('webhook-', 'svix-'), value]),
    );

  it('are those of Standard Webhooks under another name', () => {
    expect(verify('standard_webhooks', renamed(signed('standard_webhooks')))).toEqual({ id: 'msg_1' });
  });

  it('are not mixed with the others, so that a request has one id', () => {
    const headers = signed('standard_webhooks');
    expect(verify('standard_webhooks', { ...renamed(headers), ...headers })).toBeUndefined();
    const { 'webhook-id': id = '', ...without } = headers;
    expect(verify('standard_webhooks', { ...without, 'svix-id': id })).toBeUndefined();
  });
});

describe('hmac', () => {
  const secret = KEYS.hmac;
  const verified = (hmacSignature: HmacSignature, headers: Headers, body = BODY, key = secret) =>
    verifySignature(hmacSignature, new Secret(key), { headers, body: Buffer.from(body), url: URL_ }, NOW);
  const plain = { scheme: 'hmac', header: 'x-sig', algorithm: 'sha256', encoding: 'hex' } as const;
  const mac = (key: string | Buffer, text: string, algorithm = 'sha256') =>
    createHmac(algorithm, key).update(text);

  /** These partners sign so by their documents. */
  it.each<[string, HmacSignature, Headers, string]>([
    [
      'Shopify',
      { ...plain, header: 'X-Shopify-Hmac-Sha256', encoding: 'base64' },
      { 'x-shopify-hmac-sha256': mac(secret, BODY).digest('base64') },
      secret,
    ],
    [
      'Slack',
      {
        ...plain,
        header: 'X-Slack-Signature',
        prefix: 'v0=',
        signed: 'v0:{timestamp}:{body}',
        timestamp: { header: 'X-Slack-Request-Timestamp' },
      },
      {
        'x-slack-request-timestamp': '1700000000',
        'x-slack-signature': `v0=${mac(secret, `v0:1700000000:${BODY}`).digest('hex')}`,
      },
      secret,
    ],
    [
      'a key in hexadecimal digits',
      { ...plain, encoding: 'base64', keyEncoding: 'hex' },
      { 'x-sig': mac(Buffer.alloc(32, 7), BODY).digest('base64') },
      '07'.repeat(32),
    ],
    [
      'a key in base64, SHA-1, and the address',
      { ...plain, algorithm: 'sha1', keyEncoding: 'base64', signed: '{url}\n{body}' },
      { 'x-sig': mac(Buffer.alloc(32, 7), `${URL_}\n${BODY}`, 'sha1').digest('hex').toUpperCase() },
      Buffer.alloc(32, 7).toString('base64'),
    ],
  ])('verifies %s, and nothing that differs', (_name, hmacSignature, headers, key) => {
    expect(signatureProblems(hmacSignature)).toEqual([]);
    const id = createHash('sha256').update(BODY).digest('hex');
    expect(verified(hmacSignature, headers, BODY, key)).toEqual({ id });
    expect(verified(hmacSignature, headers, `${BODY} `, key)).toBeUndefined();
    expect(verified({ ...hmacSignature, prefix: 'x=' }, headers, BODY, key)).toBeUndefined();
    expect(verified({ ...hmacSignature, algorithm: 'sha512' }, headers, BODY, key)).toBeUndefined();
  });

  it.each<[Partial<HmacSignature>, string, string]>([
    [{ signed: 'x' }, 'signed', 'must have {body} once'],
    [{ signed: '{body}.{body}' }, 'signed', 'must have {body} once'],
    [{ signed: '{header:id}{body}' }, 'signed', 'must have other text between two placeholders'],
    [{ signed: '{body}{url}' }, 'signed', 'must have other text between two placeholders'],
    [{ signed: '{host}.{body}' }, 'signed', 'has other placeholders than'],
    [{ signed: '{{body}}' }, 'signed', 'has other placeholders than'],
    [{ signed: '{timestamp}.{body}' }, 'timestamp', 'is required by {timestamp}'],
    [{ timestamp: { header: 'X-Time' } }, 'signed', 'must have the header of `timestamp`'],
    [{ delivery: { header: 'X-Id' } }, 'signed', 'must have the header of `delivery`'],
  ])('is refused as %j', (more, member, problem) => {
    const found = signatureProblems({ ...plain, ...more });
    expect(found).toEqual([[member, expect.stringContaining(problem)]]);
  });

  it('takes no message for another: a signed text has one reading', () => {
    const literal = fc.constantFrom('.', ':', '..', 'aa', 'aba', '\n');
    const value = fc.string({ unit: fc.constantFrom('.', ':', 'a', 'b', '\n'), minLength: 1, maxLength: 4 });
    const body = fc.string({ unit: fc.constantFrom('.', ':', 'a', 'b', '\n'), maxLength: 6 });
    const message = fc.record({ id: value, time: value, body });
    const template = fc
      .tuple(
        fc.shuffledSubarray(['{header:id}', '{header:time}', '{body}'], { minLength: 3 }),
        literal,
        literal,
      )
      .map(([[a = '', b = '', c = ''], one, two]) => a + one + b + two + c);
    let same = 0;
    fc.assert(
      fc.property(template, message, message, (text, one, other) => {
        const hmacSignature = { ...plain, signed: text };
        const signedBy = ({ id, time, body: sent }: typeof one) =>
          text
            .replace('{header:id}', () => id)
            .replace('{header:time}', () => time)
            .replace('{body}', () => sent);
        const sig = mac(secret, signedBy(one)).digest('hex');
        const accepts = (each: typeof one) =>
          verified(hmacSignature, { 'x-sig': sig, id: each.id, time: each.time }, each.body) !== undefined;
        fc.pre(accepts(one));
        if (accepts(other)) {
          same += 1;
          expect(other).toEqual(one);
        }
      }),
      { numRuns: cases(2_000) },
    );
    expect(same).toBeLessThan(2_000);
  });

  it.each(['constructor', '__proto__', 'toString'])('has no header %s unless it was sent', (header) => {
    for (const more of [{ header }, { signed: `{header:${header}}.{body}` }, { timestamp: { header } }])
      expect(verified({ ...plain, ...more }, { 'x-sig': 'ab' })).toBeUndefined();
  });

  it('needs every header that is signed', () => {
    const hmacSignature = { ...plain, signed: '{header:id}.{body}' };
    const headers = { 'x-sig': mac(secret, `.${BODY}`).digest('hex') };
    expect(verified(hmacSignature, headers)).toBeUndefined();
    expect(verified(hmacSignature, { ...headers, id: '' })).toBeUndefined();
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
    ['standard_webhooks', Buffer.alloc(32).toString('base64'), true],
    ['stripe', 'whsec_0123456789', true],
    ['stripe', 'whsec_012345678', false],
    ['github', 'x'.repeat(16), true],
    ['github', '', false],
  ])('is checked for %s: %s is accepted: %s', (scheme, secret, isAccepted) => {
    expect(secretProblem(signatureOf(scheme), secret) === undefined).toBe(isAccepted);
  });
});
