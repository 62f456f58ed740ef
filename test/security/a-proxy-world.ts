import { randomUUID } from 'node:crypto';
import type { Grants } from '../../src/core/access/access-rule.ts';
import type { Caller } from '../../src/core/access/caller.ts';
import type { InboundResponse } from '../../src/core/egress/egress-client.ts';
import type { CallProxyDeps } from '../../src/core/stored-proxies/call-proxy.ts';
import type { ProxyCall } from '../../src/core/stored-proxies/exchange.ts';
import { encryptConfiguration, encryptRetired } from '../../src/core/stored-proxies/open-proxy.ts';
import type { ProxyFailure } from '../../src/core/stored-proxies/proxy-failure-store.ts';
import type {
  Proxy,
  ProxyConfiguration,
  ProxyDefinition,
  RetiredSecrets,
} from '../../src/core/stored-proxies/stored-proxy.ts';
import { contentOfText } from '../../src/core/shared/content.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import { createToken } from '../../src/core/tokens/create-tokens.ts';
import { createProvenTokenStore } from '../../src/core/tokens/proven-token-store.ts';
import { tokenInputParser } from '../../src/http/parse-token-input.ts';
import { createIdempotencyStore } from '../../src/adapters/dynamodb/idempotency-store.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import { TENANT } from '../core/reactors/a-reactor-world.ts';
import { anInvocationWorld } from '../core/reactors/an-invocation-world.ts';
import { tokenStoreOver, type MemoryTables } from '../support/stores-in-memory.ts';
import { bytesOfBody } from '../../src/core/shared/utf8.ts';

export const PROXY = randomUUID();
export const APPLICATION = randomUUID();

/** Stored proxies with tokens, and a destination that answers as a test wants. */
export interface World {
  readonly tables: MemoryTables;
  readonly deps: CallProxyDeps;
  /** The requests that reached the destination, as text. */
  readonly sent: string[];
  readonly failures: ProxyFailure[];
  readonly guessed: string[];
  readonly tokens: readonly { readonly id: string; readonly text: string; readonly containers: string[] }[];
  readonly state: { answer: (request: string) => Partial<InboundResponse>; grants: Grants | undefined };
}

export async function aProxyWorld(): Promise<World> {
  const world = anInvocationWorld();
  const { tables } = world;
  const sent: string[] = [];
  const failures: ProxyFailure[] = [];
  const guessed: string[] = [];
  const state: World['state'] = { answer: () => ({ body: Buffer.from('ok') }), grants: undefined };
  const deps = {
    ...world.deps,
    tokenStore: createProvenTokenStore(tokenStoreOver(tables), world.deps.vault),
    cvcLifetimeMs: 1,
    parseTokenInput: tokenInputParser('strict'),
    egressAllowList: [],
    applicationGrantsStore: {
      grants: () =>
        Promise.resolve(
          state.grants === undefined
            ? []
            : [{ id: APPLICATION, tenantId: TENANT, type: 'private', keys: [], ...state.grants }],
        ),
    },
    idempotencyStore: createIdempotencyStore(tables.table('Ephemeral')),
    proxyFailureStore: {
      add: (_of: unknown, failure: ProxyFailure) => {
        failures.push(failure);
        return Promise.resolve();
      },
    },
    onSecretGuessed: ({ name }: { name: string }) => guessed.push(name),
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
        const request = JSON.stringify([
          bytesOfBody(body.reveal()).toString(),
          headers.reveal(),
          target.reveal(),
        ]);
        sent.push(request);
        return Promise.resolve({
          status: 200,
          headers: [],
          body: Buffer.alloc(0),
          ...state.answer(request),
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
  return { tables, deps, sent, failures, guessed, tokens, state };
}

export async function aProxy(
  { deps }: World,
  more: Partial<ProxyDefinition>,
  values: ProxyConfiguration = {},
  retired: readonly RetiredSecrets[] = [],
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
  const encryptedRetired = await encryptRetired(deps.vault, place, new Secret(retired));
  const stored = { ...place, encryptedConfiguration, encryptedRetired, secretAuthor: APPLICATION };
  return { stored: stored as unknown as Proxy['stored'], definition };
}

export const CALL: ProxyCall = {
  method: 'POST',
  suffix: '',
  query: '',
  headers: { 'content-type': 'application/json' },
  isReserved: () => false,
  extraHeaders: [],
  url: 'https://vault.example.com/proxy',
  body: contentOfText('{}'),
  ownHosts: [],
  traceId: 'trace',
  remainingMs: 30_000,
  service: { baseUrl: 'https://api.example.com', headerPrefix: 'SVC' },
};

export const callerWith = (own: Grants): Caller => ({
  tenantId: TENANT,
  applicationId: 'caller',
  credentialId: 'caller',
  type: 'private',
  actsBy: 'own_key',
  ...own,
});
