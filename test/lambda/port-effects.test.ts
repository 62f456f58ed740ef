import { createAuditedPorts } from '../../src/core/audit/audited-ports.ts';
import type { AuditScope } from '../../src/core/audit/audit-scope.ts';
import type { Effect } from '../../src/core/audit/effect.ts';
import type { Classified } from '../../src/lambda/audited-deps.ts';
import { PORT_EFFECTS } from '../../src/lambda/port-effects.ts';

/** A scope that stores its reports, in order with the calls of the ports. */
function aScope() {
  const reported: unknown[] = [];
  const scope = {
    ahead(effect: Effect) {
      reported.push({ ahead: effect });
      return Promise.resolve();
    },
    found: (tokens: unknown) => reported.push({ found: tokens }),
  } as unknown as AuditScope;
  return { scope, reported };
}

const auditedPorts = createAuditedPorts(PORT_EFFECTS);

const everyCall = Object.entries(PORT_EFFECTS).flatMap(([port, calls]) =>
  Object.entries(calls).map(([call, kind]) => [port, call, kind as unknown] as const),
);

/** A value with every property that the description of an effect may read. */
const ANYTHING: unknown = new Proxy(() => undefined, {
  get: (_, name) => {
    if (name === Symbol.toPrimitive) return () => 'x';
    if (name === Symbol.iterator) return () => [][Symbol.iterator]();
    if (name === 'map' || name === 'flatMap' || name === 'filter') return () => [];
    if (name === 'toJSON') return () => 'x';
    return ANYTHING;
  },
  apply: () => ANYTHING,
  ownKeys: () => [],
});

it.each(everyCall)('%s.%s is recorded before it happens, or is not an effect', async (port, call, kind) => {
  const { scope, reported } = aScope();
  const deps = { [port]: { [call]: () => (reported.push('done'), kind === 'finds' ? [] : undefined) } };
  const audited = auditedPorts(deps, scope) as Record<
    string,
    Record<string, (...args: unknown[]) => unknown>
  >;
  await audited[port]?.[call]?.(ANYTHING, ANYTHING, ANYTHING);
  const order = reported.map((each) => (each === 'done' ? 'done' : Object.keys(each as object)[0]));
  if (kind === 'none') expect(order).toEqual(['done']);
  else if (kind === 'finds') expect(order).toEqual(['done', 'found']);
  else expect(order).toEqual(['ahead', 'done']);
});

it('each request reports to its own scope, also if one object is two dependencies', async () => {
  const store = { find: () => Promise.resolve({ id: 'a' }), create: () => Promise.resolve() };
  const deps = { storedTokens: store, tokenStore: store };
  const one = aScope();
  const other = aScope();
  const [first, second] = [one, other].map(({ scope }) => auditedPorts(deps, scope) as typeof deps) as [
    typeof deps,
    typeof deps,
  ];
  await first.storedTokens.find();
  await first.tokenStore.find();
  await second.tokenStore.find();
  expect(one.reported).toEqual([{ found: [{ id: 'a' }] }, { found: [{ id: 'a' }] }]);
  expect(other.reported).toEqual([{ found: [{ id: 'a' }] }]);
  expect([Object.keys(first.storedTokens), Object.keys(first.tokenStore)]).toEqual([
    ['find'],
    ['create', 'find'],
  ]);
});

it('an effect that cannot be recorded does not happen', async () => {
  let hasHappened = false;
  const scope = { ahead: () => Promise.reject(new Error('down')) } as unknown as AuditScope;
  const port = { remove: () => Promise.resolve((hasHappened = true)) };
  const audited = auditedPorts({ tenantStore: port }, scope) as {
    tenantStore: typeof port;
  };
  await expect(audited.tenantStore.remove()).rejects.toThrow('down');
  expect(hasHappened).toBe(false);
});

it('a dependency, or a call of a port, without a stated effect does not compile', () => {
  const accept = <Deps>(deps: Deps & Classified<Deps>): Deps => deps;
  const find = () => Promise.resolve(undefined);
  expect(accept({ tokenStore: { find }, clock: () => 1 })).toBeDefined();
  // @ts-expect-error: no table has this dependency.
  expect(accept({ tokenArchive: { find } })).toBeDefined();
  // @ts-expect-error: the port does not state the effect of this call.
  expect(accept({ tokenStore: { find, burn: find } })).toBeDefined();
  const optional: { tokenStore?: { find: typeof find; burn: typeof find } } = {};
  // @ts-expect-error: nor does a port that may be absent.
  expect(accept(optional)).toBeDefined();
  const either: { tokenStore: { find: typeof find } | { find: typeof find; burn: typeof find } } = {
    tokenStore: { find },
  };
  // @ts-expect-error: nor does one of several alternatives.
  expect(accept(either)).toBeDefined();
});
