// Simulates: one process that creates, changes or removes a reactor, and dies on the way. The
// record, the code and the cloud function stand in memory behind their ports; every call of a port
// is a step. `dieAt(n)` ends the process before its nth step, `dieAfter(n)` after it: done, and
// nobody hears of it. A `Death` is what the test catches then; from there on the process can do
// nothing, whatever catches it inside. A test that fails for `n` names the call after which the
// promise is broken: run it with that `n` alone.
import { randomUUID } from 'node:crypto';
import type { Application, Caller } from '../../../src/core/applications/application.ts';
import type { ChangeReactorDeps } from '../../../src/core/reactors/create-reactor.ts';
import type { ReactorDefinition, StoredReactor } from '../../../src/core/reactors/reactor.ts';
import type { ReactorRunner } from '../../../src/core/reactors/reactor-runner.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { aVault } from '../../support/builders/a-vault.ts';
import { aReactorStore } from '../../support/fakes/a-reactor-store.ts';
import { applicationReads } from '../../support/fakes/applications.ts';
import { inSteps, type Step } from '../../support/fakes/in-steps.ts';
import { reactorFunctions, type CloudFunction } from '../../support/fakes/reactor-functions.ts';
import { anAudit } from '../../support/fakes/an-audit.ts';

export const TENANT = randomUUID();

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

/** The process ends here: nothing after it is done. */
export class Death extends Error {}

/**
 * Reactors and their cloud functions in memory, with the contracts of their ports. `dieAt(n)`: the
 * process dies before the nth call of any port; `dieAfter(n)`: after it, so that what it did is
 * done and its answer is lost.
 */
export function aReactorWorld() {
  const reactors = new Map<string, StoredReactor>();
  const functions = new Map<string, CloudFunction>();
  const colds: string[] = [];
  let isHotAllowed = () => true;
  const applications = new Map<string, Application>();
  let [calls, dieBefore, dieAfterCall, now] = [0, Infinity, Infinity, 1_000_000];

  const step: Step = async (act) => {
    calls += 1;
    // A process that has died does nothing any more.
    if (calls >= dieBefore) throw new Death();
    const result = act();
    if (calls >= dieAfterCall) {
      dieBefore = 0;
      throw new Death();
    }
    return result;
  };

  const deps: ChangeReactorDeps = {
    clock: () => now,
    vault: aVault(),
    audit: anAudit(),
    applicationStore: applicationReads(applications),
    reactorStore: inSteps(aReactorStore(reactors), step),
    onCold: ({ id }) => colds.push(id),
    reactorFunctions: inSteps(
      { ...reactorFunctions(functions), keepHot: () => Promise.resolve(isHotAllowed()) },
      step,
    ),
  };

  /**
   * Instances as they are: they run the code they have, if it is what is meant. The answer is that
   * code's hash.
   */
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
    /**
     * Whether every record and function agree: no function without a reactor, `live` runs what the
     * record says.
     */
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
