import { randomUUID } from 'node:crypto';
import type { AccessRule, Grants } from '../../src/core/access/access-rule.ts';
import { admitsPath } from '../../src/core/stored-proxies/admitted-path.ts';
import { callProxy } from '../../src/core/stored-proxies/call-proxy.ts';
import { targetOf } from '../../src/core/proxy-expressions/forward.ts';
import type { ProxyDefinition } from '../../src/core/stored-proxies/stored-proxy.ts';
import { checkStrictSuffix } from '../../src/core/proxy-expressions/suffix.ts';
import { contentOfText } from '../../src/core/shared/content.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { aProxy, aProxyWorld, APPLICATION, CALL, callerWith, PROXY, type World } from './a-proxy-world.ts';
import { referenceDecision } from '../core/applications/reference-decision.ts';

/*
 * docs/security.md#invariants-between-callers: rights of a caller and of a proxy's application
 * never unite, nothing but the request as received and the proxy itself is evaluated, and no value
 * of the configuration comes back. A naive reading of docs/contract.md says what may be where.
 */

const through = fc.constantFrom(
  undefined,
  { proxies: [PROXY], reactors: [] },
  { proxies: [randomUUID()], reactors: [] },
);
const grants: fc.Arbitrary<Grants> = fc.record({
  permissions: fc.constantFrom([], ['token:use' as const]),
  rules: fc
    .array(fc.record({ container: fc.constantFrom('/', '/a/', '/b/'), through }), { maxLength: 3 })
    .map((rules) =>
      rules.map(({ through: destinations, ...rule }, index): AccessRule => ({
        ...rule,
        priority: index + 1,
        transform: 'reveal',
        permissions: ['token:use'],
        ...(destinations !== undefined && { through: destinations }),
      })),
    ),
});

const UNITS = ['a', 'z', 'A', '0', '9', '+', '/', '=', '_', '-', ' ', '"', '\\', '&', '%', 'é'];
/** A secret that reaches the destination, and how the destination writes it in its answer. */
const secret = fc
  .tuple(fc.uuid(), fc.string({ unit: fc.constantFrom(...UNITS), maxLength: 20 }))
  .map(([id, text]) => `${id}${text}`);
const WRITERS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => Buffer.from(`x${text}y`).toString('base64'),
  (text) => Buffer.from(`xx${text}y`).toString('base64url'),
  (text) => encodeURIComponent(text),
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join(''),
];

async function codeOf(act: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.code;
  }
}

const use = { use: { proxy: PROXY } } as const;

it('plaintext is filled into the request by the rights of the caller, and into the proxy by those of its application, or of the caller without one', async () => {
  const world = await aProxyWorld();
  const seen = { caller: 0, transforms: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      grants,
      fc.option(grants, { nil: undefined }),
      fc.subarray([0, 1, 2]),
      fc.subarray([0, 1, 2]),
      fc.boolean(),
      async (own, ofProxy, asked, stored, requireAuth) => {
        world.sent.length = 0;
        world.state.grants = ofProxy;
        const names = (indexes: readonly number[]) =>
          indexes.map((index) => world.tokens[index] as World['tokens'][number]);
        const write = (prefix: string, indexes: readonly number[]) =>
          names(indexes).map(({ id }) => `${prefix}{{ ${id} }}`);
        const proxy = await aProxy(world, {
          requireAuth: requireAuth || ofProxy === undefined,
          ...(ofProxy !== undefined && { applicationId: APPLICATION }),
          requestTransforms: [{ type: 'append_json', location: '$.stored', value: write('s:', stored) }],
        });
        const body = JSON.stringify({ asked: write('a:', asked) });
        const caller = callerWith(own);
        const code = await codeOf(() =>
          callProxy(world.deps, caller, proxy, { ...CALL, body: contentOfText(body) }),
        );
        const permitted = (of: Grants, { id, containers }: World['tokens'][number]) =>
          referenceDecision(of, use, id, containers) !== undefined;
        const acting = ofProxy ?? own;
        const text = world.sent.join('');
        // Whatever reached the destination was permitted to the one whose expression it was.
        for (const token of world.tokens) {
          if (text.includes(`a:${token.text}`)) {
            expect([proxy.definition.requireAuth, permitted(own, token)]).toEqual([true, true]);
            seen.caller += 1;
          }
          if (text.includes(`s:${token.text}`)) {
            expect(permitted(acting, token)).toBe(true);
            seen.transforms += 1;
          }
        }
        // And nothing that both permit is refused.
        const isFine =
          (!proxy.definition.requireAuth || names(asked).every((token) => permitted(own, token))) &&
          names(stored).every((token) => permitted(acting, token));
        const mayCall =
          !proxy.definition.requireAuth ||
          own.permissions.includes('token:use') ||
          own.rules.some(({ through: to }) => to === undefined || to.proxies.includes(PROXY));
        expect(code === undefined).toBe(isFine && mayCall);
        if (code !== undefined) seen.refused += 1;
      },
    ),
    { numRuns: cases(400) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});

it('no value of the configuration comes back, in whatever form the destination writes it', async () => {
  const world = await aProxyWorld();
  await fc.assert(
    fc.asyncProperty(
      fc.array(secret, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(5), fc.nat(2), fc.string({ maxLength: 5 })), { maxLength: 6 }),
      fc.boolean(),
      async (secrets, parts, isTransformed) => {
        const values = Object.fromEntries(
          secrets.map((value, index) => [`S${String(index)}`, { value, isPublic: false }]),
        );
        const proxy = await aProxy(
          world,
          {
            requestTransforms: secrets.map((_, index) => ({
              type: 'append_header',
              name: `x-${String(index)}`,
              value: `{{ configuration.S${String(index)} }}`,
            })),
            responseTransforms: isTransformed ? [{ type: 'append_header', name: 'x', value: 'y' }] : [],
          },
          values,
        );
        const written = parts.map(([how, which, between]) => {
          const text = secrets[which % secrets.length] ?? '';
          return [text, (WRITERS[how] ?? String)(text.trim()), between] as const;
        });
        const answer = written.map(([, text, between]) => `${between}\n${text}\n`).join('');
        world.state.answer = () => ({
          headers: [['X-Echo', Buffer.from(answer).toString('latin1')]],
          body: Buffer.from(answer),
        });
        const caller = callerWith({ permissions: ['token:use'], rules: [] });
        const { headers, body } = await callProxy(world.deps, caller, proxy, CALL);
        for (const [value, text] of written)
          for (const each of [
            body.toString(),
            ...headers.map(([, field]) => Buffer.from(field, 'latin1').toString()),
          ]) {
            expect(each).not.toContain(value.trim());
            // Base64 has neighbours of the value at its ends, which may remain.
            expect(each).not.toContain(text.slice(4, -4));
          }
      },
    ),
    { numRuns: cases(200) },
  );
});

it('a secret that a destination cuts at the comma of two fields is removed as one', async () => {
  const world = await aProxyWorld();
  const value = 'sk_live_4eC39HqL, yjWDarjtT1zdp7dc';
  const proxy = await aProxy(world, {}, { KEY: { value, isPublic: false } });
  const [one = '', other = ''] = value.split(', ');
  world.state.answer = () => ({
    headers: [
      ['X-Part', one],
      ['x-part', other],
      ['Set-Cookie', `a=${one}`],
      ['Set-Cookie', other],
    ],
  });
  const caller = callerWith({ permissions: ['token:use'], rules: [] });
  const { headers } = await callProxy(world.deps, caller, proxy, CALL);
  expect(headers).toEqual([
    ['X-Part', '[removed]'],
    ['Set-Cookie', `a=${one}`],
    ['Set-Cookie', other],
  ]);
});

it('a path that is admitted is the path that is sent, for every reader of URLs', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      '.',
      '..',
      '/',
      '//',
      '\\',
      '%2e',
      '%2f',
      '%5c',
      '%25',
      ';',
      '%00',
      '%0a',
      ' ',
      'ü',
      '%',
      '?',
      '#',
      '*',
      '~',
      '\u200b',
      '\u2215',
      '¥',
    ],
  );
  let admitted = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const raw = `/a/${pieces.join('')}`;
      // The gateway decodes a path, and the proxy encodes it again (functions/proxy).
      const suffix = raw.split('/').map(encodeURIComponent).join('/');
      try {
        checkStrictSuffix(suffix);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
        return;
      }
      admitted += 1;
      expect(admitsPath({ paths: ['/a/*'] }, suffix)).toBe(suffix.length > '/a/'.length);
      expect(admitsPath({ paths: ['/b', '/A/*', '/a'] }, suffix)).toBe(false);
      const target = targetOf(new URL('https://destination.example.com/base'), suffix, '');
      for (const decode of [(text: string) => text, decodeURIComponent]) {
        const { pathname } = new URL(decode(target), 'https://destination.example.com');
        expect(pathname.startsWith('/base/a/')).toBe(true);
      }
    }),
    { numRuns: cases(2_000) },
  );
  expect(admitted).toBeGreaterThan(100);
});

it.each<[string, Partial<ProxyDefinition>]>([
  ['a header', { requestTransforms: [{ type: 'append_header', name: 'A', value: '{{ configuration.K }}' }] }],
  ['a client certificate', { clientCertificate: 'K' }],
  [
    'a signature',
    { requestTransforms: [{ type: 'verify_signature', scheme: 'github', configuration: 'K' }] },
  ],
])('a call is not sent without the value of the configuration that %s names', async (_name, definition) => {
  const world = await aProxyWorld();
  for (const name of ['K', 'toString']) {
    const named = JSON.parse(
      JSON.stringify(definition).replaceAll('"K"', JSON.stringify(name)).replaceAll('.K ', `.${name} `),
    ) as typeof definition;
    const proxy = await aProxy(world, named, { OTHER: { value: 'o', isPublic: true } });
    const caller = callerWith({ permissions: ['token:use'], rules: [] });
    await expect(callProxy(world.deps, caller, proxy, CALL)).rejects.toThrow(
      'the configuration lacks a value that it names',
    );
  }
  expect(world.sent).toEqual([]);
});
