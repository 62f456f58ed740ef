import { createHash, randomUUID } from 'node:crypto';
import type { Application, Caller } from '../../../src/core/applications/application.ts';
import type { ChangeReactorDeps } from '../../../src/core/reactors/create-reactor.ts';
import type { ReactorDefinition, StoredReactor } from '../../../src/core/reactors/reactor.ts';
import type { ReactorRunner } from '../../../src/core/reactors/reactor-runner.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { aVault } from '../../support/builders/a-vault.ts';

export const TENANT = randomUUID();

export const anApplication = (more: Partial<Application> = {}): Application => ({
  id: randomUUID(),
  tenantId: TENANT,
  name: 'An application',
  type: 'private',
  permissions: ['token:use', 'token:create'],
  rules: [],
  createdAt: 0,
  version: 1,
  ...more,
});

export const aManager: Caller = {
  tenantId: TENANT,
  applicationId: 'manager',
  credentialId: 'manager',
  type: 'management',
  actsBy: 'own_key',
  permissions: ['reactor:create', 'reactor:read', 'reactor:update', 'reactor:delete'],
  rules: [],
};

export const aDefinition = (code: string, more: Partial<ReactorDefinition> = {}): ReactorDefinition => ({
  name: 'Charge card',
  code: new Secret(code),
  configuration: new Secret({ url: 'https://example.com' }),
  ...more,
});

interface CloudFunction {
  live: string | undefined;
  readonly versions: Map<string, string>;
  latest: number;
}

/** The process ends here: nothing after it is done. */
export class Death extends Error {}

const hashOf = (code: string) => createHash('sha256').update(code).digest('hex');

/** Where a record of a tenant stands in the fakes: what another tenant asks for by the same id is not there. */
export const at = (tenantId: string, id: string): string => `${tenantId}/${id}`;

/**
 * Reactors and their cloud functions in memory, with the contracts of their ports. `dieAt(n)`: the process dies before the nth call of
 * any port; `dieAfter(n)`: after it, so that what it did is done and its answer is lost.
 */
export function aReactorWorld() {
  const reactors = new Map<string, StoredReactor>();
  const functions = new Map<string, CloudFunction>();
  const colds: string[] = [];
  let isHotAllowed = () => true;
  const applications = new Map<string, Application>();
  let [calls, dieBefore, dieAfterCall, now] = [0, Infinity, Infinity, 1_000_000];

  const step = async <T>(act: () => T): Promise<T> => {
    calls += 1;
    // A process that has died does nothing any more.
    if (calls >= dieBefore) throw new Death();
    const result = act();
    if (calls >= dieAfterCall) {
      dieBefore = 0;
      throw new Death();
    }
    return Promise.resolve(result);
  };
  const functionOf = (id: string) => {
    const found = functions.get(id);
    if (found === undefined) throw new Error('no such function');
    return found;
  };
  const publish = (target: CloudFunction, code: string): string => {
    target.latest += 1;
    target.versions.set(String(target.latest), hashOf(code));
    return String(target.latest);
  };

  const deps: ChangeReactorDeps = {
    clock: () => now,
    vault: aVault(),
    applicationStore: {
      find: (tenantId, id) => Promise.resolve(applications.get(at(tenantId, id))),
      findMany: (tenantId, ids) =>
        Promise.resolve(ids.flatMap((id) => applications.get(at(tenantId, id)) ?? [])),
    },
    reactorStore: {
      create: (reactor) =>
        step(() => {
          const existing = reactors.get(at(reactor.tenantId, reactor.id));
          if (existing !== undefined) return existing;
          reactors.set(at(reactor.tenantId, reactor.id), reactor);
          return 'created' as const;
        }),
      find: (tenantId, id) => step(() => reactors.get(at(tenantId, id))),
      findMany: (tenantId, ids) => step(() => ids.flatMap((id) => reactors.get(at(tenantId, id)) ?? [])),
      async *list(tenantId) {
        yield await step(() =>
          [...reactors.values()].filter((reactor) => reactor.tenantId === tenantId).toReversed(),
        );
      },
      update: (next) =>
        step(() => {
          const place = at(next.tenantId, next.id);
          if (reactors.get(place)?.version !== next.version - 1) return false;
          reactors.set(place, next);
          return true;
        }),
      delete: (reactor) =>
        step(() => {
          const place = at(reactor.tenantId, reactor.id);
          if (reactors.get(place)?.version !== reactor.version) return false;
          return reactors.delete(place);
        }),
    },
    onCold: ({ id }) => colds.push(id),
    reactorFunctions: {
      keepHot: () => step(() => isHotAllowed()),
      create: (id, code) =>
        step(() => {
          const created: CloudFunction = { live: undefined, versions: new Map(), latest: 0 };
          functions.set(id, created);
          created.live = publish(created, code.reveal());
          return created.live;
        }),
      publish: (id, code) =>
        step(() => {
          const target = functions.get(id) ?? { live: undefined, versions: new Map(), latest: 0 };
          functions.set(id, target);
          return publish(target, code.reveal());
        }),
      isCurrent: (id, version) => step(() => functions.get(id)?.live === version),
      pointLive: (id, version) =>
        step(() => {
          const target = functions.get(id);
          if (target?.versions.has(version) !== true) return 'gone' as const;
          const isNew = target.live === undefined;
          target.live = version;
          return isNew ? ('made' as const) : ('moved' as const);
        }),
      removeOtherVersions: (id, version) =>
        step(() => {
          const target = functionOf(id);
          for (const other of target.versions.keys())
            if (other !== version) {
              if (target.live === other) throw new Error('live stands for it');
              target.versions.delete(other);
            }
        }),
      remove: (id) => step(() => void functions.delete(id)),
    },
  };

  /** Instances as they are: they run the code they have, if it is what is meant. The answer is that code's hash. */
  const reactorRunner: ReactorRunner = {
    run: ({ reactorId, functionVersion, codeHash }) => {
      const target = functions.get(reactorId);
      const code = target?.versions.get(functionVersion ?? target.live ?? '');
      return Promise.resolve(
        code === codeHash ? { outcome: 'returned', value: new Secret({ raw: code }) } : { outcome: 'stale' },
      );
    },
  };

  return {
    deps,
    reactorRunner,
    reactors,
    functions,
    applications,
    colds,
    allowHot: (isAllowed: boolean) => {
      isHotAllowed = () => isAllowed;
    },
    calls: () => calls,
    /** Another process, that may die. */
    process: (fate: { readonly dieBefore?: number; readonly dieAfter?: number } = {}) => {
      calls = 0;
      dieBefore = fate.dieBefore ?? Infinity;
      dieAfterCall = fate.dieAfter ?? Infinity;
    },
    pass: (ms: number) => {
      now += ms;
    },
    /** Whether every record and function agree: no function without a reactor, `live` runs what the record says. */
    disorder: (): readonly string[] => [
      ...[...functions.keys()]
        .filter((id) => ![...reactors.values()].some((reactor) => reactor.id === id))
        .map((id) => `function without reactor ${id}`),
      ...[...reactors.values()].flatMap((reactor) => {
        const target = functions.get(reactor.id);
        if (reactor.state !== 'ready') return [`${reactor.state} reactor`];
        if (reactor.operation !== undefined) return ['an operation that nobody ends'];
        if (target?.live === undefined) return ['reactor without a function'];
        return target.versions.get(target.live) === reactor.codeHash ? [] : ['live runs other code'];
      }),
    ],
  };
}
