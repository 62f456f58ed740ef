// Simulates the runs of the sweep that hand out running instances, over the real stores. Lambda is
// a fake that counts its calls, and a run may die before or after any of them.
import { dueEntries } from '../../../src/adapters/dynamodb/due-index.ts';
import { parseReactorKey } from '../../../src/adapters/dynamodb/keys.ts';
import type { StoredReactor } from '../../../src/core/reactors/reactor.ts';
import { createHotAllowanceStore } from '../../../src/adapters/dynamodb/hot-allowance-store.ts';
import {
  createHotPlaceStore,
  createWaitingReactors,
} from '../../../src/adapters/dynamodb/hot-place-store.ts';
import { createReactorStore } from '../../../src/adapters/dynamodb/reactor-store.ts';
import type { KeepHotDeps } from '../../../src/core/reactors/hot-decision.ts';
import { withWarmConcurrency } from '../../../src/core/reactors/change-function.ts';
import { allowHot } from '../../../src/core/reactors/hot-allowances.ts';
import { countCold, keepHot } from '../../../src/core/reactors/keep-hot.ts';
import { dayOf } from '../../../src/core/shared/day-of.ts';
import { aStoredReactor } from '../../support/builders/a-stored-reactor.ts';
import { inSteps, type Step } from '../../support/fakes/in-steps.ts';
import { itemsOf, putItem, reactorsIn, tablesInMemory } from '../../support/stores-in-memory.ts';

/** The run ends here: it does nothing afterwards. */
class Death extends Error {}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export function aHeatWorld({ hotInstances = 100, hotConcurrency = 1 } = {}) {
  let now = Date.parse('2026-01-05T00:00:00Z');
  const clock = () => now;
  const tables = tablesInMemory(clock);
  const table = tables.table('Reactors');
  const reactorStore = createReactorStore(table);
  const hotAllowanceStore = createHotAllowanceStore(table);
  /** Each function has so many running instances. */
  const running = new Map<string, number>();
  const allowed = new Map<string, number>();
  const cold: string[] = [];
  const failures: unknown[] = [];
  /** Lambda says this to requests for one function. */
  const answers = new Map<string, 'skipped' | Error>();
  const budget = { hotInstances, hotConcurrency };
  let quota = Infinity;
  let isThrottled = false;
  let controlCalls = 0;
  let calls = 0;
  let fate: { readonly before?: number; readonly after?: number } = {};

  const step: Step = async (act) => {
    calls += 1;
    if (calls >= (fate.before ?? Infinity)) throw new Death();
    const result = await act();
    if (calls < (fate.after ?? Infinity)) return result;
    fate = { before: 0 };
    throw new Death();
  };

  const reactors = () => reactorsIn(tables);
  const itemOf = (id: string) => [...itemsOf(tables, 'Reactors')].find((item) => item['id'] === id);
  const total = () => [...running.values()].reduce((sum, count) => sum + count, 0);

  const deps = (): KeepHotDeps => ({
    ...budget,
    clock,
    until: Infinity,
    hotPlaceStore: inSteps(createHotPlaceStore(table), step),
    hotAllowanceStore: inSteps(hotAllowanceStore, step),
    waitingReactors: createWaitingReactors(table),
    reactorStore: inSteps(reactorStore, step),
    reactorHeat: inSteps(
      {
        start(id, instances) {
          controlCalls += 1;
          if (isThrottled) return Promise.resolve('busy');
          const answer = answers.get(id);
          if (answer instanceof Error) return Promise.reject(answer);
          if (answer !== undefined) return Promise.resolve(answer);
          if (itemOf(id) === undefined) return Promise.resolve('gone');
          if (total() - (running.get(id) ?? 0) + instances > quota) return Promise.resolve('refused');
          running.set(id, instances);
          return Promise.resolve('started');
        },
        end(id) {
          controlCalls += 1;
          if (isThrottled) return Promise.resolve('busy');
          running.delete(id);
          return Promise.resolve('ended');
        },
      },
      step,
    ),
    onCold: ({ id }) => cold.push(id),
    onFailure: (error) => failures.push(error),
  });

  /** One run of the sweep. */
  async function run(dies: typeof fate = {}): Promise<void> {
    calls = 0;
    fate = dies;
    await keepHot(deps()).catch((error: unknown) => {
      if (!(error instanceof Death)) throw error;
    });
    fate = {};
  }

  const find = (id: string) => reactors().find((reactor) => reactor.id === id);

  return {
    budget,
    running,
    cold,
    failures,
    answers,
    reactors,
    run,
    find,
    now: clock,
    controlCalls: () => controlCalls,
    coldCount: () => countCold(deps()),
    quota: (instances: number) => {
      quota = instances;
    },
    throttle: (is: boolean) => {
      isThrottled = is;
    },
    pass: (ms: number) => {
      now += ms;
    },
    /** Runs the sweep every minute. */
    async minutes(count: number): Promise<void> {
      for (let minute = 0; minute < count; minute += 1) {
        now += MINUTE_MS;
        await run();
      }
    },
    async create(tenantId: string, warmConcurrency?: number): Promise<string> {
      now += 1;
      const members = { tenantId, createdAt: now };
      const reactor = withWarmConcurrency(aStoredReactor(members), warmConcurrency, now);
      await reactorStore.create(reactor, Infinity);
      return reactor.id;
    },
    async call(id: string): Promise<void> {
      const reactor = find(id);
      if (reactor !== undefined && reactor.calledOn !== dayOf(now))
        await reactorStore.noteCall(reactor, dayOf(now));
    },
    async delete(id: string): Promise<void> {
      const reactor = find(id);
      running.delete(id);
      if (reactor !== undefined) await reactorStore.delete(reactor);
    },
    /** The instances that run, by tenant. */
    perTenant(): Readonly<Record<string, number>> {
      const counts: Record<string, number> = {};
      for (const { id, tenantId } of reactors())
        if (running.has(id)) counts[tenantId] = (counts[tenantId] ?? 0) + (running.get(id) ?? 0);
      return counts;
    },
    /** An operator allows so many instances. */
    async allow(tenantId: string, instances: number): Promise<void> {
      allowed.set(tenantId, instances);
      await allowHot({ ...tables.platform, hotAllowanceStore, hotInstances: Infinity }, tenantId, instances);
    },
    allowed,
    /** The owner of a reactor asks for so many. */
    async want(id: string, warmConcurrency: number | undefined): Promise<void> {
      const reactor = find(id);
      if (reactor !== undefined)
        await reactorStore.update({
          ...withWarmConcurrency(reactor, warmConcurrency, now),
          version: reactor.version + 1,
        });
    },
    instances: total,
    /** Another writer changes the reactor. */
    async change(id: string, change: (reactor: StoredReactor) => StoredReactor): Promise<void> {
      const reactor = find(id);
      if (reactor !== undefined)
        await reactorStore.update({ ...change(reactor), version: reactor.version + 1 });
    },
    /** Writes members as no function of the service does. */
    forge(id: string, members: object): void {
      putItem(tables, 'Reactors', { ...itemOf(id), ...members });
    },
    note: (reactor: StoredReactor, day: string) => reactorStore.noteCall(reactor, day),
    /** The reactors that the sweep finds in its first look. */
    async due(): Promise<readonly (string | undefined)[]> {
      for await (const batch of dueEntries(table, now))
        return batch.map(({ key }) => parseReactorKey(key)?.id);
      return [];
    },
  };
}
