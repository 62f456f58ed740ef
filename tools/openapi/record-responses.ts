// Records a real response of each operation: the handlers of the service answer the examples of the
// document, over stores in memory.
import { createVault } from '../../packages/testing/src/index.ts';
import { allRoutes } from './all-routes.ts';
import { EXAMPLE_IDS, withExampleValues } from './example-values.ts';
import { FUNCTION_OF, OPERATIONS } from './operations.ts';
import type { MadeName, Recording } from '../../src/wire/operation-description.ts';

/**
 * Contains the bodies of successes by operation and status. An operation without a body has none.
 */
export type Recorded = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The recording begins at this time. */
const BEGIN = '2026-12-01T09:00:00Z';

/** The example of an authorization contains it. */
const EXAMPLE_NONCE = 'n0nce...';

type Body = Readonly<Record<string, unknown>>;
type Made = Record<MadeName, string>;

const textOf = (body: Body, member: string): string => String(body[member]);

/** Returns the first of an operation's requests. */
const exampleOf = (operation: string): unknown =>
  Object.values(OPERATIONS[operation]?.requests ?? {})[0]?.value;

/** Opens a vault. `call` sends the example of an operation and records the response. */
async function openVault() {
  const vault = await createVault({ now: BEGIN });
  const recorded: Record<string, Record<string, unknown>> = {};
  const made: Made = {
    token: '',
    application: '',
    key: '',
    reactor: '',
    proxy: '',
    proxyKey: '',
    invocation: '',
    nonce: '',
  };
  const routes = new Map(allRoutes().map((route) => [route.operation, route]));

  function pathOf(operation: string): string {
    const { path = '' } = routes.get(operation) ?? {};
    const resources = {
      tokens: made.token,
      applications: made.application,
      reactors: made.reactor,
      proxies: made.proxy,
    };
    const kind = path.split('/')[1] as keyof typeof resources;
    return path
      .replace('{id}', resources[kind])
      .replace('{key_id}', kind === 'proxies' ? made.proxyKey : made.key)
      .replace('{invocation_id}', made.invocation);
  }

  /** Sends a request with the real ids in the place of those of the examples. */
  async function call(
    operation: string,
    key: string,
    { query = '', body = exampleOf(operation) }: { readonly query?: string; readonly body?: unknown } = {},
  ): Promise<Body> {
    const { method = 'GET', mergePatch = false } = routes.get(operation) ?? {};
    const text = JSON.stringify(body ?? null)
      .replaceAll(EXAMPLE_IDS.token, made.token)
      .replaceAll(EXAMPLE_IDS.application, made.application)
      .replaceAll(EXAMPLE_NONCE, made.nonce);
    const response = await vault.fetch(pathOf(operation) + query, {
      method,
      headers: {
        'SVC-API-KEY': key,
        'Content-Type': mergePatch ? 'application/merge-patch+json' : 'application/json',
      },
      ...(body !== undefined && { body: text }),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${operation}: ${String(response.status)} ${answer}`);
    if (answer === '') return {};
    const parsed = JSON.parse(answer) as Body;
    recorded[operation] = { ...recorded[operation], [String(response.status)]: parsed };
    return parsed;
  }

  return { vault, made, call, recorded };
}

/** Functions in the order in which their operations are recorded: later ones read what was made. */
const ORDER = ['applications', 'tokens', 'logs', 'reactors', 'proxies', 'proxy'];
const placeOf = (operation: string): number => ORDER.indexOf(FUNCTION_OF.get(operation) ?? '');

/** The operations that are recorded, in their order. */
const recordings = (): readonly (readonly [operation: string, recording: Recording])[] =>
  [...new Set(allRoutes().map(({ operation }) => operation))]
    .flatMap((operation) => {
      const { recorded = 'nothing' } = OPERATIONS[operation] ?? {};
      return recorded === 'nothing' ? [] : [[operation, recorded] as const];
    })
    .toSorted(
      ([one, { turn = 0 }], [other, { turn: otherTurn = 0 }]) =>
        turn - otherTurn || placeOf(one) - placeOf(other),
    );

/** Records every operation whose success has a body. */
export async function recordResponses(): Promise<Recorded> {
  const { vault, made, call, recorded } = await openVault();
  const shop = await vault.applications.create({
    name: 'Shop',
    type: 'private',
    permissions: ['token:create', 'token:read', 'token:update', 'token:delete', 'token:search', 'token:use'],
  });
  const page = await vault.applications.create({
    name: 'Checkout page',
    type: 'public',
    permissions: ['token:create'],
  });
  const keys = { management: vault.managementKey, shop: shop.key, page: page.key };
  for (const [operation, { by, query = '', makes, alsoWith, waits }] of recordings()) {
    await vault.settled();
    if (waits !== undefined) await vault.clock.advance(waits);
    const body = exampleOf(operation);
    for (const more of alsoWith === undefined ? [{}] : [{}, alsoWith]) {
      const sent = body === undefined ? undefined : { ...(body as Body), ...more };
      const options = { query: query.replace('{token}', made.token), ...(sent && { body: sent }) };
      const response = await call(operation, keys[by], options);
      if (makes !== undefined && makes[1] in response) made[makes[0]] = textOf(response, makes[1]);
    }
  }
  vault.reset();
  const known = new Map(
    (['token', 'application', 'key', 'reactor', 'proxy', 'invocation'] as const).map(
      (name) => [made[name], EXAMPLE_IDS[name]] as const,
    ),
  ).set(made.proxyKey, EXAMPLE_IDS.key);
  return withExampleValues(recorded, known) as Recorded;
}
