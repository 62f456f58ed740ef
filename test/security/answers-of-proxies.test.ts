import { callProxy } from '../../src/core/stored-proxies/call-proxy.ts';
import type { ResponseTransform } from '../../src/core/stored-proxies/stored-proxy.ts';
import { problemOf } from '../../src/wire/problem.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { aProxy, aProxyWorld, CALL, callerWith } from './a-proxy-world.ts';

const PAN = '4242424242424242';
const GRANTS = {
  permissions: ['token:create' as const, 'token:use' as const],
  rules: [
    {
      priority: 1,
      container: '/' as const,
      transform: 'reveal' as const,
      permissions: ['token:create' as const, 'token:use' as const],
    },
  ],
};

const tokenize = (more: object = {}): ResponseTransform => ({
  type: 'tokenize',
  location: '$.pan',
  token: { type: 'card_number' },
  ...more,
});

/** Transforms of every kind, and the places of these where they can fail. */
const TRANSFORMS: readonly ResponseTransform[] = [
  tokenize(),
  tokenize({ optional: true }),
  tokenize({ otherwise: 'pass' }),
  tokenize({ statuses: 'any' }),
  tokenize({ location: '$.list[*].pan' }),
  { type: 'append_json', location: '$.a.b', value: 1 },
  { type: 'append_json', location: '$.x', value: 1, statuses: 'any' },
  { type: 'mask', location: '$.pan', replacement: 'R' },
  { type: 'mask', matcher: 'card_number', replacement: 'R', required: true },
  { type: 'mask', matcher: 'regex', expression: '\\d{4}', replacement: 'R', statuses: '2xx' },
  { type: 'append_header', name: 'X-Own', value: 'x' },
  { type: 'allow_headers', names: ['Content-Type'] },
  { type: 'remove_header', name: 'Date' },
  { type: 'reactor', reactorId: 'none', codeHash: '' },
];

const STATUSES = [200, 201, 202, 204, 205, 302, 304, 400, 401, 402, 403, 404, 409, 422, 429, 500, 502, 503];
const BODIES = [
  '',
  `{"pan":"${PAN}"}`,
  `{"pan":${PAN}}`,
  '{"pan":null}',
  `{"error":"card_declined","pan":"${PAN}"}`,
  `{"list":[{"pan":"${PAN}"},{"pan":"5555341244441115"}]}`,
  `<h1>down ${PAN}</h1>`,
  `{"pan":"${PAN}"`,
  '[]',
];
const HEADERS = [
  ['Content-Type', 'application/json'],
  ['Retry-After', '7'],
  ['Date', 'Sat, 28 Nov 2026 10:00:00 GMT'],
  ['X-Request-Id', 'req_1'],
  ['Request-Id', PAN],
  ['constructor', 'a'],
  ['__proto__', 'a'],
  ['Set-Cookie', 'a=b'],
  ['Location', `/cards/${PAN}`],
] as const;

describe('an answer with any status, through any transforms', () => {
  it('is that of the destination, or says its status and shows nothing', async () => {
    const world = await aProxyWorld();
    const seen = { passed: 0, failed: 0, notRun: 0 };
    const worlds = fc.record({
      status: fc.constantFrom(...STATUSES),
      body: fc.constantFrom(...BODIES),
      responseTransforms: fc.array(fc.constantFrom(...TRANSFORMS), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(worlds, async ({ status, body, responseTransforms }) => {
        world.state.answer = () => ({ status, headers: HEADERS, body: Buffer.from(body) });
        const proxy = await aProxy(world, { responseTransforms });
        const hides = responseTransforms.some(
          (each) => each.type === 'tokenize' && each.otherwise !== 'pass' && each.optional !== true,
        );
        try {
          const answer = await callProxy(world.deps, callerWith(GRANTS), proxy, CALL);
          seen.passed += 1;
          expect(answer.status).toBe(status);
          const isListed = responseTransforms.some(
            (each) => each.type === 'tokenize' && each.location !== '$.pan' && !body.includes('list'),
          );
          if (hides && !isListed && body !== '' && !body.includes('list'))
            expect(answer.body.toString()).not.toContain(PAN);
        } catch (error) {
          const { problem, headers } = problemOf(error);
          if (problem.detail?.includes('does not run') === true) seen.notRun += 1;
          else seen.failed += 1;
          expect([problem.code, problem.destination_status]).toEqual(['transform_failed', status]);
          expect(problem.status).toBe(status < 300 || status === 304 ? 424 : status);
          expect(JSON.stringify(problem)).not.toContain(PAN);
          expect(Object.keys(headers)).not.toEqual(
            expect.arrayContaining([expect.stringMatching(/set-cookie|location|content-type/i)]),
          );
          if (responseTransforms.some((each) => each.type === 'mask' && each.matcher === 'card_number'))
            expect(JSON.stringify(headers)).not.toContain(PAN);
        }
      }),
      { numRuns: cases(400) },
    );
    expect(Object.values(seen).every((count) => count > 20)).toBe(true);
  });

  it('passes without a body, whatever transforms need one', async () => {
    const world = await aProxyWorld();
    for (const status of STATUSES) {
      world.state.answer = () => ({ status, headers: [], body: Buffer.alloc(0) });
      const responseTransforms = TRANSFORMS.filter(({ type }) => type !== 'reactor');
      const proxy = await aProxy(world, { responseTransforms });
      const answer = await callProxy(world.deps, callerWith(GRANTS), proxy, CALL);
      expect([answer.status, answer.body.length]).toEqual([status, 0]);
    }
  });
});

it('a decline passes every mask where the writer lets it pass', async () => {
  const world = await aProxyWorld();
  const body = Buffer.from(`{"error":"declined","pan":"${PAN}"}`);
  world.state.answer = () => ({ status: 402, headers: [], body });
  const mask: ResponseTransform = { type: 'mask', matcher: 'card_number', replacement: '[card]' };
  const proxy = await aProxy(world, { responseTransforms: [tokenize({ otherwise: 'pass' }), mask] });
  const answer = await callProxy(world.deps, callerWith(GRANTS), proxy, CALL);
  expect([answer.status, answer.body.toString()]).toEqual([402, '{"error":"declined","pan":"[card]"}']);
});
