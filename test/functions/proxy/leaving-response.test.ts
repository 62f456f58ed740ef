import { isListedField } from '../../../src/core/proxy-expressions/listed-fields.ts';
import { apiRequest } from '../../../src/http/api-request.ts';
import type { ApiResponse } from '../../../src/http/api-response.ts';
import { rawResponse } from '../../../src/http/raw-response.ts';
import { leavingResponse } from '../../../functions/proxy/leaving-response.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { anEvent } from '../../support/builders/an-event.ts';

const PREFIXES = ['SVC', 'ACME'];
const OURS = [
  'content-security-policy',
  'x-content-type-options',
  'cross-origin-resource-policy',
  'referrer-policy',
];

interface Sent {
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly proxyRedirects?: 'told' | 'raw';
}

/** Returns the part of a response that a caller gets, with all names in lower case. */
function left(response: ApiResponse, { query = '', headers = {}, proxyRedirects = 'told' }: Sent = {}) {
  const request = apiRequest(machinePlatform, anEvent({ path: '/proxy', query, headers }), PREFIXES);
  const leaving = leavingResponse(request, response, { headerPrefixes: PREFIXES, proxyRedirects });
  const names = Object.keys(leaving.headers ?? {}).map((name) => name.toLowerCase());
  expect(new Set(names).size).toBe(names.length);
  const fields = Object.entries(leaving.headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  );
  return { ...leaving, fields: Object.fromEntries(fields) };
}

const answer = (status: number, fields: readonly (readonly [string, string])[]) =>
  rawResponse(
    status,
    { headers: fields, body: Buffer.from('') },
    { 'SVC-PROXY-DESTINATION-STATUS': String(status) },
  );

const LINKS: readonly (readonly [what: string, sent: Sent])[] = [
  ['a key in the query', { query: 'a=1&svc-proxy-key=k' }],
  ['a key in the query, spelled otherwise, under another prefix', { query: 'ACME-proxy%2dkey=k' }],
  ['a navigation', { headers: { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'empty' } }],
  ['a frame', { headers: { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'iframe' } }],
  ['two destinations', { headers: { 'Sec-Fetch-Dest': 'empty, script' } }],
];

/** Any field of a destination, those that a browser acts on more often than others. */
const FIELD = fc.tuple(
  fc
    .oneof(
      fc.constantFrom(
        'Location',
        'Refresh',
        'Set-Cookie',
        'Service-Worker-Allowed',
        'Content-Security-Policy',
        'Content-Security-Policy-Report-Only',
        'X-Content-Type-Options',
        'Cross-Origin-Resource-Policy',
        'Referrer-Policy',
        'WWW-Authenticate',
        'Accept-CH',
        'Link',
        'SourceMap',
        'Content-Type',
        'Retry-After',
        'X-RateLimit-Rest',
      ),
      fc.stringMatching(/^[a-z][a-z\d_-]{0,15}$/),
    )
    .chain((name) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase())),
  fc.stringMatching(/^[ -~]{0,20}$/),
);
const FIELDS = fc
  .array(FIELD, { maxLength: 12 })
  // Fields that a destination sends under a reserved name are dropped before.
  .map((fields) => fields.filter(([name]) => !/^(?:svc|acme)-/i.test(name)));

describe('a response that leaves the proxy', () => {
  it('renames the address of every redirect, whatever fields there are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), FIELDS, (status, fields) => {
        const { fields: got, cookies } = left(answer(status, fields));
        const locations = fields
          .filter(([name]) => name.toLowerCase() === 'location')
          .map(([, value]) => value);
        const name = status >= 300 && status <= 399 ? 'svc-proxy-location' : 'location';
        expect(got[name]).toBe(locations.length === 0 ? undefined : locations.join(', '));
        expect(got['location'] === undefined || name === 'location').toBe(true);
        expect(got['refresh']).toBeUndefined();
        expect(cookies ?? []).toEqual(
          fields.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value),
        );
      }),
      { numRuns: cases(200) },
    );
  });

  it('gives a redirect where the deployer wants that, and Refresh never', () => {
    const response = answer(302, [
      ['LOCATION', '/a'],
      ['REFRESH', '0; url=/b'],
    ]);
    const { fields } = left(response, { proxyRedirects: 'raw' });
    expect(fields).toEqual({ location: '/a', 'svc-proxy-destination-status': '302' });
  });

  it('has the prefix of the request in the new name of the address', () => {
    const { fields } = left(answer(303, [['Location', '/a']]), { headers: { 'ACME-API-KEY': 'k' } });
    expect(fields['acme-proxy-location']).toBe('/a');
  });

  it.each(LINKS)('makes no page for %s: nothing outside the list, and no name twice', (_, sent) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 599 }),
        FIELDS,
        fc.constantFrom('told', 'raw'),
        (status, fields, proxyRedirects) => {
          const { fields: got, cookies } = left(answer(status, fields), { ...sent, proxyRedirects });
          expect(got).toMatchObject({
            'content-security-policy': 'sandbox',
            'x-content-type-options': 'nosniff',
            'cross-origin-resource-policy': 'same-origin',
            'referrer-policy': 'no-referrer',
          });
          expect(cookies).toBeUndefined();
          const others = Object.keys(got).filter(
            (name) => !OURS.includes(name) && !/^(?:svc|acme)-/.test(name),
          );
          expect(others.filter((name) => !isListedField(name))).toEqual([]);
          expect(
            others.filter((name) => /^(?:www-authenticate|location|content-security-policy)/.test(name)),
          ).toEqual([]);
        },
      ),
      { numRuns: cases(60) },
    );
  });

  it('keeps an error of the service readable to the person who opened the link', () => {
    const response = {
      statusCode: 401,
      headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
      body: '{}',
    };
    const { fields, body } = left(response, { query: 'svc-proxy-key=k' });
    expect(body).toBe('{}');
    expect(fields).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'content-security-policy': 'sandbox',
    });
  });

  it.each([
    ['a program', {}],
    [
      'the fetch of a page',
      { headers: { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Site': 'cross-site' } },
    ],
    ['another parameter', { query: 'xsvc-proxy-key=k&proxy-key=k' }],
  ])('is otherwise left as it is for %s', (_, sent: Sent) => {
    const fields = [
      ['link', '</a>'],
      ['content-security-policy', 'x'],
      ['location', '/b'],
    ] as const;
    const { fields: got } = left(answer(201, fields), sent);
    expect(got).toEqual({ ...Object.fromEntries(fields), 'svc-proxy-destination-status': '201' });
  });
});
