import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { callProxy } from '../../src/core/stored-proxies/call-proxy.ts';
import type { HeaderFields } from '../../src/core/egress/egress-client.ts';
import type { ResponseTransform } from '../../src/core/stored-proxies/stored-proxy.ts';
import { isListedField } from '../../src/core/proxy-expressions/listed-fields.ts';
import { contentOfText } from '../../src/core/shared/content.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { aCardNumber } from '../support/a-card-number.ts';
import { aProxy, aProxyWorld, CALL, callerWith, type World } from './a-proxy-world.ts';

/*
 * docs/security.md#invariants-between-callers: an answer has more than its body. Two answers that
 * differ only in what a proxy hides are equal to its caller, and a destination gets no digest of
 * what a request hid.
 */

/** Functions of a body that a destination puts into headers. */
const DIGESTS: readonly ((body: Buffer) => string)[] = [
  (body) => createHash('sha1').update(body).digest('hex'),
  (body) => `"${createHash('md5').update(body).digest('base64')}"`,
  (body) => `W/"${createHash('sha256').update(body).digest('base64url')}"`,
  (body) => String(gzipSync(body).length),
  (body) => body.toString('latin1').replaceAll(/[^\x20-\x7e]/g, ''),
];
const NAMES = [
  'ETag',
  'etag',
  'Content-MD5',
  'Digest',
  'Content-Digest',
  'Repr-Digest',
  'X-Amz-Checksum-Sha256',
  'X-Goog-Hash',
  'Last-Modified',
  'X-Body',
  'Location',
  'Link',
  'Set-Cookie',
  'X-Total',
  'Server-Timing',
];
const listed = fc.constantFrom('Content-Type', 'X-Request-Id', 'RateLimit-Remaining', 'Cache-Control');
const digestHeaders = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.nat(DIGESTS.length - 1)), {
  maxLength: 6,
});

const CARD: ResponseTransform = { type: 'mask', matcher: 'card_number', replacement: '[card]' };
const AT: ResponseTransform = { type: 'mask', location: '$.pan', replacement: '[pan]' };
const PATTERN: ResponseTransform = {
  type: 'mask',
  matcher: 'regex',
  expression: '\\d{12,19}',
  replacement: '[digits]',
};
const hiding = fc.constantFrom([CARD], [AT], [PATTERN], [AT, CARD]);
const besides = fc.subarray<ResponseTransform>([
  { type: 'append_header', name: 'X-Own', value: 'own' },
  { type: 'append_json', location: '$.added', value: 1 },
  { type: 'remove_header', name: 'X-Body' },
]);
const statuses = fc.constantFrom(200, 201, 302, 404, 500);
const methods = fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE');

async function outcomeOf(world: World, args: Parameters<typeof callProxy>) {
  try {
    const { status, headers, body } = await callProxy(world.deps, args[1], args[2], args[3]);
    return { status, headers, body: body.toString() };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { code: error.code, detail: error.message, errors: error.errors };
  }
}

const caller = callerWith({ permissions: ['token:use'], rules: [] });

it('two answers that differ only in what a proxy hides are equal to its caller', async () => {
  const world = await aProxyWorld();
  const seen = { answered: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(hiding, besides).map((parts) => parts.flat()),
      digestHeaders,
      fc.option(listed, { nil: undefined }),
      statuses,
      methods,
      fc.subarray(['if-none-match', 'If', 'x-amz-copy-source-if-match', 'want-digest', 'accept', 'x-ok']),
      async (responseTransforms, digests, name, status, method, asked) => {
        const proxy = await aProxy(world, { responseTransforms });
        const outcomes = [];
        for (const pan of [aCardNumber(), aCardNumber()]) {
          world.sent.length = 0;
          world.state.answer = (request) => {
            const body = Buffer.from(JSON.stringify({ pan, ok: true }));
            // A destination may answer another status to a condition on the body.
            const isCondition = /\bif\b|\bwant\b/i.test(request) && pan.endsWith('0');
            const headers: HeaderFields = [
              ...digests.map(([each, how]) => [each, DIGESTS[how]?.(body) ?? ''] as const),
              ...(name === undefined ? [] : [[name, 'application/json'] as const]),
            ];
            return { status: isCondition ? 304 : status, headers, body };
          };
          const headers = {
            ...CALL.headers,
            ...Object.fromEntries(asked.map((each) => [each.toLowerCase(), '"guess"'])),
          };
          outcomes.push(await outcomeOf(world, [world.deps, caller, proxy, { ...CALL, method, headers }]));
        }
        const [one, other] = outcomes;
        expect(one).toEqual(other);
        if (one !== undefined && 'headers' in one) {
          seen.answered += 1;
          for (const [each] of one.headers) expect(each === 'X-Own' || isListedField(each)).toBe(true);
        } else seen.refused += 1;
      },
    ),
    { numRuns: cases(300) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});

it('a destination gets no digest and no signature of a body that a transform changed', async () => {
  const world = await aProxyWorld();
  const signed = fc.constantFrom(
    ['content-md5', 0],
    ['digest', 1],
    ['x-partner-hmac', 0],
    ['x-signature', 2],
    ['x_body_sha256', 0],
    ['x-amz-content-sha256', 0],
    ['stripe-signature', 0],
  );
  const passed = fc.subarray([
    ['stripe-account', 'acct_1'],
    ['idempotency-key', 'k-1'],
    ['x-shopify-topic', 'orders'],
    ['authorization', 'Bearer abc'],
  ]);
  const authorization = fc.constantFrom('AWS4-HMAC-SHA256 ', 'Signature ', 'HMAC ', '');
  await fc.assert(
    fc.asyncProperty(
      fc.array(signed, { maxLength: 4 }),
      passed,
      authorization,
      fc.boolean(),
      async (digests, plain, scheme, isChanged) => {
        world.sent.length = 0;
        world.state.answer = () => ({});
        const body = JSON.stringify({ pan: aCardNumber() });
        const hashes = digests.map(([, how]) => DIGESTS[how]?.(Buffer.from(body)) ?? '');
        const hmac = createHash('sha256').update(body).digest('hex');
        const proxy = await aProxy(world, {
          requestTransforms: isChanged ? [{ type: 'append_json', location: '$.pan', value: 'x' }] : [],
        });
        const headers = {
          ...Object.fromEntries(digests.map(([name], at) => [name, hashes[at] ?? ''])),
          authorization: `${scheme}${hmac}`,
          ...Object.fromEntries(plain),
        };
        await callProxy(world.deps, caller, proxy, { ...CALL, headers, body: contentOfText(body) });
        const sent = world.sent.join('');
        const isSigned = !plain.some(([name]) => name === 'authorization');
        for (const value of [...hashes, ...(isSigned ? [hmac] : [])])
          expect(sent.includes(JSON.stringify(value).slice(1, -1))).toBe(!isChanged);
        for (const [, value] of plain) expect(sent).toContain(value);
      },
    ),
    { numRuns: cases(150) },
  );
});

it('no caller of a stored proxy chooses where or how a call goes, or the form of a masked answer', async () => {
  const world = await aProxyWorld();
  world.state.answer = () => ({});
  const names = [
    'x-host',
    'X-HTTP-Host-Override',
    'X-HTTP-Destination-URL',
    'X_Override_URL',
    'Base-Url',
    'X-Real-IP',
    'True-Client-IP',
    'CF-Connecting-IP',
    'X-Client-IP',
    'X-Cluster-Client-IP',
    'X-URL-Scheme',
    'Front-End-Https',
    'X-Accel-Redirect',
    'X-Sendfile',
    'X-Original-URL',
    'X-Rewrite-URL',
    'X-Forwarded-Prefix',
    'SVC_PROXY_KEY',
    'Accept',
  ];
  const proxy = await aProxy(world, { responseTransforms: [CARD] });
  const headers = Object.fromEntries(names.map((name) => [name.toLowerCase(), `chosen-${name}`]));
  const own = { 'x-customer-ip': 'own-1', 'x-return-url': 'own-2', client_id: 'own-3' };
  const isReserved = (name: string) => name.startsWith('svc-');
  await callProxy(world.deps, caller, proxy, { ...CALL, headers: { ...headers, ...own }, isReserved });
  const sent = world.sent.join('');
  expect(names.filter((name) => sent.includes(`chosen-${name}`))).toEqual([]);
  for (const value of Object.values(own)) expect(sent).toContain(value);
});
