import { randomUUID } from 'node:crypto';
import type { AccessRule, Grants } from '../../src/core/access/access-rule.ts';
import type { Caller } from '../../src/core/access/caller.ts';
import { admitsPath } from '../../src/core/proxies/admitted-path.ts';
import { callProxy, type CallProxyDeps, type ProxyCall } from '../../src/core/proxies/call-proxy.ts';
import { encryptConfiguration } from '../../src/core/proxies/open-proxy.ts';
import type { Proxy, ProxyConfiguration, ProxyDefinition } from '../../src/core/proxies/stored-proxy.ts';
import { targetOf } from '../../src/core/proxy/forward.ts';
import { checkStrictSuffix } from '../../src/core/proxy/suffix.ts';
import { contentOfText } from '../../src/core/shared/content.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import { createToken } from '../../src/core/tokens/create-tokens.ts';
import { createProvenTokenStore } from '../../src/core/tokens/proven-token-store.ts';
import { cases, fc } from '../../packages/local-aws/test/properties.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import { referenceDecision } from '../core/applications/reference-decision.ts';
import { TENANT } from '../core/reactors/a-reactor-world.ts';
import { anInvocationWorld } from '../core/reactors/an-invocation-world.ts';
import { aTokenStore } from '../support/fakes/a-token-store.ts';

/*
 * docs/security.md#invariants-between-callers: rights of a caller and of a proxy's application
 * never unite, nothing but the request as received and the proxy itself is evaluated, and no value
 * of the configuration comes back. A naive reading of docs/contract.md says what may be where.
 */

const PROXY = randomUUID();
const APPLICATION = randomUUID();

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

interface World {
  readonly deps: CallProxyDeps;
  readonly sent: string[];
  readonly tokens: readonly { readonly id: string; readonly text: string; readonly containers: string[] }[];
  readonly state: { answer: (request: string) => string; grants: Grants | undefined };
}

async function aWorld(): Promise<World> {
  const world = anInvocationWorld();
  const { store } = aTokenStore();
  const sent: string[] = [];
  const state: World['state'] = { answer: () => 'ok', grants: undefined };
  const deps = {
    ...world.deps,
    tokenStore: createProvenTokenStore(store, world.deps.vault),
    cvcLifetimeMs: 1,
    egressAllowList: [],
    applicationGrantsStore: {
      grants: () =>
        Promise.resolve(
          state.grants === undefined
            ? []
            : [{ id: APPLICATION, tenantId: TENANT, type: 'private', keys: [], ...state.grants }],
        ),
    },
    egress: {
      send({
        body,
        headers,
        target,
      }: {
        body: Secret<Buffer>;
        headers: Secret<unknown>;
        target: Secret<string>;
      }) {
        const request = JSON.stringify([body.reveal().toString(), headers.reveal(), target.reveal()]);
        sent.push(request);
        const answer = state.answer(request);
        return Promise.resolve({
          status: 200,
          headers: [['X-Echo', Buffer.from(answer).toString('latin1')]],
          body: Buffer.from(answer),
        });
      },
    },
  } as unknown as CallProxyDeps;
  const creator: Caller = {
    ...world.caller,
    permissions: [],
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:create'] }],
  };
  const tokens = await Promise.all(
    [['/a/'], ['/b/'], ['/a/', '/b/']].map(async (containers, index) => {
      const text = `plaintext-${String(index)}-`;
      const input = { type: 'token' as const, data: new Secret(text), containers };
      const { token } = await createToken(deps, creator, input, randomIdentity(machinePlatform.random));
      return { id: token.id, text, containers };
    }),
  );
  return { deps, sent, tokens, state };
}

async function aProxy(
  { deps }: World,
  more: Partial<ProxyDefinition>,
  values: ProxyConfiguration = {},
): Promise<Proxy> {
  const definition: ProxyDefinition = {
    name: 'x',
    destinationUrl: 'https://destination.example.com/base',
    requestTransforms: [],
    responseTransforms: [],
    requireAuth: true,
    sourceAddresses: [],
    timeoutSeconds: 25,
    ...more,
  };
  const place = { id: PROXY, tenantId: TENANT };
  const encryptedConfiguration = await encryptConfiguration(
    deps.vault,
    place,
    definition,
    new Secret(values),
  );
  return { stored: { ...place, encryptedConfiguration } as Proxy['stored'], definition };
}

const CALL: ProxyCall = {
  method: 'POST',
  suffix: '',
  query: '',
  headers: { 'content-type': 'application/json' },
  isReserved: () => false,
  extraHeaders: [],
  body: contentOfText('{}'),
  ownHosts: [],
  remainingMs: 30_000,
  service: { baseUrl: 'https://api.example.com', headerPrefix: 'SVC' },
};

const callerWith = (own: Grants): Caller => ({
  tenantId: TENANT,
  applicationId: 'caller',
  credentialId: 'caller',
  type: 'private',
  actsBy: 'own_key',
  ...own,
});

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
  const world = await aWorld();
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
  const world = await aWorld();
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
        world.state.answer = () => written.map(([, text, between]) => `${between}\n${text}\n`).join('');
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
