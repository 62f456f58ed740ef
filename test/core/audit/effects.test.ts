import { auditedDeps, EFFECTS } from '../../../src/core/audit/effects.ts';
import type { AuditScope, Effect } from '../../../src/core/audit/audit-scope.ts';
import { aStoredToken } from '../../support/builders/a-stored-token.ts';
import { anApplication } from '../../support/builders/an-application.ts';

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

const everyCall = Object.entries(EFFECTS).flatMap(([port, calls]) =>
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
  const audited = auditedDeps(deps as object, scope) as Record<
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
  const [one, other] = [aScope(), aScope()];
  const [first, second] = [one, other].map(
    ({ scope }) => auditedDeps(deps as object, scope) as unknown as typeof deps,
  ) as [typeof deps, typeof deps];
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
  const audited = auditedDeps({ tenantStore: port }, scope) as unknown as {
    tenantStore: typeof port;
  };
  await expect(audited.tenantStore.remove()).rejects.toThrow('down');
  expect(hasHappened).toBe(false);
});

describe('a change of an application', () => {
  const application = anApplication({ permissions: ['token:read', 'token:create'], rules: [] });

  it('is recorded by the names of members and of permissions granted or withdrawn', () => {
    const rule = {
      description: 'x',
      priority: 1,
      container: '/',
      transform: 'mask',
      permissions: ['token:use'],
    } as const;
    const next = { ...application, name: 'another', permissions: ['token:create'] as const, rules: [rule] };
    expect(EFFECTS.applicationStore.update).toBeInstanceOf(Function);
    const effect = (EFFECTS.applicationStore.update as (...args: unknown[]) => Effect)(application, next);
    expect(effect).toEqual({
      resource: `application:${application.id}`,
      change: {
        members: ['name', 'permissions', 'rules'],
        granted: ['token:use'],
        withdrawn: ['token:read'],
      },
    });
  });

  it('is recorded for a replaced key', () => {
    const effect = (EFFECTS.applicationStore.replaceKey as (...args: unknown[]) => Effect)(
      application,
      application,
    );
    expect(effect.change).toEqual({ members: ['key'] });
  });
});

describe('an update of a token', () => {
  const previous = aStoredToken({ containers: ['/a/'] });
  const update = EFFECTS.tokenStore.update as (...args: unknown[]) => Effect;

  it('names its old and new containers', () => {
    const token = aStoredToken({ containers: ['/b/'], writeId: Buffer.alloc(12, 7) });
    expect(update(previous, { token })).toEqual({
      tokens: [{ id: token.id, containers: ['/a/', '/b/'] }],
      form: 'update',
    });
  });

  it('that marks the token as shared is recorded as `identity`', () => {
    expect(update(previous, { token: { ...previous, isShared: true } }).form).toBe('identity');
  });
});
