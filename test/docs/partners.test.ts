// Checks the table of partners in docs/guides/receive-cards.md against samples of their signatures.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { HmacSignature } from '../../src/core/stored-proxies/signature.ts';
import { signatureProblems, verifySignature } from '../../src/core/stored-proxies/verify-signature.ts';
import { FieldReporter } from '../../src/core/shared/field-reporter.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { transforms, transformsOf } from '../../src/wire/proxy-transform.ts';

interface Sample {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly secret?: string;
  /** Seconds since the epoch. */
  readonly at?: number;
  /** Replaces `ADDRESS`. */
  readonly address?: string;
}

const SECRET = 'a secret of the partner';
const BODY = '{"id":"evt_1","amount":1299}';
const HEX_KEY = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';
const mac = (text: string, algorithm = 'sha256', key: string | Buffer = SECRET) =>
  createHmac(algorithm, key).update(text);
const hex = (algorithm?: string) => mac(BODY, algorithm).digest('hex');
const base64 = () => mac(BODY).digest('base64');

/**
 * A signed request of each partner. Those of GitHub, Slack and Square are the samples of their
 * documents and of Square's own library; the others are made as the documents say.
 */
const SAMPLES = new Map<string, Sample>([
  [
    'Adyen (platforms)',
    {
      headers: { hmacsignature: mac(BODY, 'sha256', Buffer.from(HEX_KEY, 'hex')).digest('base64') },
      secret: HEX_KEY,
    },
  ],
  ['Checkout.com', { headers: { 'cko-signature': hex() } }],
  ['DocuSign', { headers: { 'x-docusign-signature-1': base64() } }],
  ['Dropbox', { headers: { 'x-dropbox-signature': hex() } }],
  [
    'GitHub',
    {
      headers: {
        'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      },
      body: 'Hello, World!',
      secret: "It's a Secret to Everybody",
    },
  ],
  ['GoCardless', { headers: { 'webhook-signature': hex() } }],
  ['Intercom', { headers: { 'x-hub-signature': `sha1=${hex('sha1')}` } }],
  ['Meta (WhatsApp)', { headers: { 'x-hub-signature-256': `sha256=${hex()}` } }],
  ['Paystack', { headers: { 'x-paystack-signature': hex('sha512') } }],
  ['Razorpay', { headers: { 'x-razorpay-signature': hex() } }],
  ['Shopify', { headers: { 'x-shopify-hmac-sha256': base64() } }],
  [
    'Slack',
    {
      headers: {
        'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
        'x-slack-request-timestamp': '1531420618',
      },
      body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
      secret: '8f742231b10e8888abcd99yyyzzz85a5',
      at: 1_531_420_618,
    },
  ],
  [
    'Square',
    {
      headers: { 'x-square-hmacsha256-signature': 'GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4=' },
      body: '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}',
      secret: 'Ibxx_5AKakO-3qeNVR61Dw',
      address: 'https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9',
    },
  ],
  ['Typeform', { headers: { 'typeform-signature': `sha256=${base64()}` } }],
  ['WooCommerce', { headers: { 'x-wc-webhook-signature': base64() } }],
  ['Xero', { headers: { 'x-xero-signature': base64() } }],
  [
    'Zoom',
    {
      headers: {
        'x-zm-signature': `v0=${mac(`v0:1700000000:${BODY}`).digest('hex')}`,
        'x-zm-request-timestamp': '1700000000',
      },
      at: 1_700_000_000,
    },
  ],
]);

const page = readFileSync('docs/guides/receive-cards.md', 'utf8');
const rows = [...page.matchAll(/^\| (\S[^|]*?) +\| `(\{ "header".*?\})`/gm)].map(
  ([, partner = '', members = '']) => [partner, members] as const,
);

/** The transform of a row as the service reads it. */
function signatureOf(members: string): HmacSignature {
  const json = { type: 'verify_signature', scheme: 'hmac', configuration: 'SECRET', ...JSON.parse(members) };
  const fields = new FieldReporter();
  const sent = { request_transforms: transforms.parse([json]) };
  const { requestTransforms = [] } = transformsOf(sent, { compatibility: 'strict', fields });
  fields.throwIfFailed();
  const [transform] = requestTransforms;
  if (transform?.type !== 'verify_signature' || transform.scheme !== 'hmac')
    throw new Error('the row is no signature');
  return transform;
}

describe('the table of partners', () => {
  it('has a sample for each row', () => {
    expect(rows.map(([partner]) => partner)).toEqual([...SAMPLES.keys()]);
  });

  it.each(rows)('describes how %s signs', (partner, members) => {
    const sample = SAMPLES.get(partner);
    if (sample === undefined) throw new Error('no sample');
    const { headers, body = BODY, secret = SECRET, at = 0, address = '' } = sample;
    const signature = signatureOf(members.replace('ADDRESS', address));
    expect(signatureProblems(signature)).toEqual([]);
    const verified = (text: string) =>
      verifySignature(
        signature,
        new Secret(secret),
        { headers, body: Buffer.from(text), url: '' },
        at * 1000,
      ) !== undefined;
    expect([verified(body), verified(`${body} `)]).toEqual([true, false]);
  });
});
