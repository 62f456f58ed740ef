// docs/audit.md: the record of a 403 names each token that the request wanted, whatever the caller
// lacks. test/interface/refused-tokens.test.ts has the same through the whole service.
import { routes as proxyRoutes } from '../../functions/proxy/routes.ts';
import { routes as reactorRoutes } from '../../functions/reactors/routes.ts';
import { routes as tokenRoutes } from '../../functions/tokens/routes.ts';
import { TRANSFORMS } from '../../src/core/access/access-rule.ts';
import type { Caller } from '../../src/core/access/caller.ts';
import { nameOfToken } from '../../src/core/audit/token-reference.ts';
import type { Json } from '../../src/core/shared/json.ts';
import type { StoredToken } from '../../src/core/tokens/token.ts';
import { createApiHandler } from '../../src/http/create-api-handler.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { aCaller } from '../support/builders/a-caller.ts';
import { aStoredReactor } from '../support/builders/a-stored-reactor.ts';
import { aStoredToken, TENANT } from '../support/builders/a-stored-token.ts';
import { anEvent, KEY } from '../support/builders/an-event.ts';
import { tablesInMemory, tokenStoreOver } from '../support/stores-in-memory.ts';
import { createReactorStore } from '../../src/adapters/dynamodb/reactor-store.ts';
import { anApi } from './an-api.ts';

const REACTORS = ['0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b21', '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b22'];
const [INVOKED = ''] = REACTORS;
const TOKENS: readonly StoredToken[] = [
  aStoredToken({ containers: ['/a/'] }),
  aStoredToken({ containers: ['/a/b/'], id: 'alias-of-b' }),
  aStoredToken({ containers: ['/c/'] }),
  aStoredToken({ containers: ['/c/'], id: '4242424242424242' }),
];

const permissions = fc.subarray(['token:create', 'token:read', 'token:use'] as const);
const rule = fc.record(
  {
    container: fc.constantFrom('/', '/a/', '/c/'),
    transform: fc.constantFrom(...TRANSFORMS),
    permissions: fc.subarray(['token:read', 'token:use'] as const, { minLength: 1 }),
    through: fc.record({ reactors: fc.subarray(REACTORS), proxies: fc.constant([INVOKED]) }),
  },
  { requiredKeys: ['container', 'transform', 'permissions'] },
);
const acting = fc.constantFrom<Pick<Caller, 'type' | 'actsBy'>>(
  { type: 'private', actsBy: 'own_key' },
  { type: 'private', actsBy: 'invocation' },
  { type: 'public', actsBy: 'own_key' },
  { type: 'management', actsBy: 'own_key' },
  { type: 'session', actsBy: 'session' },
);
const callers = fc
  .record({ acting, permissions, rules: fc.array(rule, { maxLength: 3 }), ephemeralProxy: fc.boolean() })
  .map(({ acting: by, rules, ephemeralProxy, ...grants }) =>
    aCaller({
      ...by,
      ...grants,
      rules: rules.map((each, index) => ({ ...each, priority: index + 1 })),
      tenantSettings: { deduplicateTokens: false, ephemeralProxy },
    }),
  );

interface Text {
  readonly text: string;
  readonly tokens: readonly StoredToken[];
}

/** Texts of a body: tokens in expressions, one that no token has, and what is no expression. */
const texts: fc.Arbitrary<Text> = fc.oneof(
  fc
    .subarray([...TOKENS], { minLength: 1 })
    .map((tokens) => ({ text: tokens.map(({ id }) => `{{ ${id} }}`).join('-'), tokens })),
  fc.constantFrom(...TOKENS).map((token) => ({ text: `{{ ${token.id} | json: '$.a' }}`, tokens: [token] })),
  fc
    .constantFrom('{{ 5500005555555559 }}', 'plain', '{{ alias-of-b', '')
    .map((text) => ({ text, tokens: [] })),
);
const bodies = fc
  .array(fc.record({ inside: texts, depth: fc.nat(3) }), { minLength: 1, maxLength: 4 })
  .map((all) => ({
    body: all.map(({ inside: { text }, depth }) => {
      let value: Json = text;
      for (let level = 0; level < depth; level += 1)
        value = level % 2 === 0 ? { a: value, b: 1 } : [null, value];
      return value;
    }),
    ids: new Set(all.flatMap(({ inside }) => inside.tokens.map(({ id }) => nameOfToken(id)))),
  }));

const react = (id: string | undefined, more = {}) => ({
  path: `/reactors/${id ?? ''}/react`,
  bodyOf: (body: Json): Json => ({ args: { body }, ...more }),
});
const OPERATIONS = [
  { path: '/detokenize', bodyOf: (body: Json) => body },
  { path: '/proxy/below', bodyOf: (body: Json) => body },
  react(REACTORS[0]),
  react(REACTORS[1]),
  react(REACTORS[0], { callback_url: 'https://destination.example.com/hook' }),
];

async function aService() {
  const api = anApi();
  const tables = tablesInMemory();
  const storedTokens = tokenStoreOver(tables);
  await storedTokens.create(TOKENS.map((token) => ({ token })));
  const reactors = createReactorStore(tables.table('Reactors'));
  for (const id of REACTORS) await reactors.create(aStoredReactor({ id, tenantId: TENANT }), 100);
  const nowhere = () => Promise.reject(new Error('nothing leaves'));
  const handle = createApiHandler(
    {
      ...api.deps,
      tokenStore: storedTokens,
      reactorStore: reactors,
      reactorRunner: { run: nowhere },
      egress: { send: nowhere },
      egressAllowList: [],
      applicationGrantsStore: { grants: () => Promise.resolve([]) },
    } as never,
    [...tokenRoutes, ...reactorRoutes, ...proxyRoutes] as never,
  );
  return { ...api, handle };
}

it('a request that is refused names each token of its body in its record', async () => {
  const service = await aService();
  const refused = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      callers,
      fc.constantFrom(...OPERATIONS),
      bodies,
      async (caller, operation, { body, ids }) => {
        service.allow(KEY, caller);
        const before = service.audit.records.length;
        const { statusCode } = await service.handle(
          anEvent({
            method: 'POST',
            path: operation.path,
            headers: {
              'svc-api-key': KEY,
              'svc-proxy-url': 'https://destination.example.com',
              'content-type': 'application/json',
            },
            body: JSON.stringify(operation.bodyOf(body)),
          }),
        );
        if (statusCode !== 403) return;
        refused.set(operation.path, (refused.get(operation.path) ?? 0) + 1);
        const named = service.audit
          .entries()
          .slice(before)
          .flatMap(({ tokens }) => tokens?.refused ?? []);
        expect(new Set(named)).toEqual(ids);
      },
    ),
    { numRuns: cases(150) },
  );
  expect(refused.size).toBe(4);
});
