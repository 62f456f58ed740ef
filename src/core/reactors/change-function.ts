import { randomUUID } from 'node:crypto';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { StoredReactor } from './reactor.ts';
import type { ReactorFunctions, ReactorRepairs } from './reactor-functions.ts';
import type { ReactorStore } from './reactor-store.ts';

/** The dependencies for keeping instances running. */
export interface HeatDeps {
  readonly reactorFunctions: Pick<ReactorRepairs, 'keepHot'>;
  readonly clock: Clock;
  /** Called for a reactor whose instances the account's quota does not allow. */
  readonly onCold: (reactor: Pick<StoredReactor, 'id' | 'tenantId'>) => void;
}

/** The dependencies for repairing a function. */
export interface RepairFunctionDeps extends HeatDeps {
  readonly reactorStore: ReactorStore;
  readonly reactorFunctions: ReactorRepairs;
}

/** The dependencies for creating and changing a function. */
export interface ChangeFunctionDeps extends RepairFunctionDeps {
  readonly reactorFunctions: ReactorFunctions;
}

/**
 * Time limit for changing a function, in ms: longer than any Lambda that does it runs (30 s behind
 * the gateway, 58 s for the sweep), so that no late call of a dead one undoes a repair.
 */
export const OPERATION_MS = 90_000;

/**
 * How long an old version of a function stays after it was replaced, in ms: longer than any run
 * (docs/contract.md#limits).
 */
export const TIDY_AFTER_MS = 5 * 60 * 1000;

/**
 * Pause before instances are requested again after the account's quota did not allow them, in ms.
 */
const HEAT_AGAIN_MS = 10 * 60 * 1000;

/**
 * The reactor after its instances were requested. If the quota allows none, the reactor starts
 * cold, and `heatAt` is the time of the next request. Does not throw because of the quota.
 */
export async function heated(
  { reactorFunctions, clock, onCold }: HeatDeps,
  { heatAt: _, ...reactor }: StoredReactor,
): Promise<StoredReactor> {
  if (await reactorFunctions.keepHot(reactor.id)) return reactor;
  onCold(reactor);
  return { ...reactor, heatAt: clock() + HEAT_AGAIN_MS };
}

/** Whether the function is being changed now. */
export function isBusy(reactor: StoredReactor, now: number): boolean {
  return reactor.operation !== undefined && reactor.operation.until > now;
}

/** The reactor with our operation on it; `undefined` if another writer was faster. */
export async function startOperation(
  { reactorStore, clock }: Pick<RepairFunctionDeps, 'reactorStore' | 'clock'>,
  reactor: StoredReactor,
  change: Partial<Pick<StoredReactor, 'state'>> = {},
): Promise<StoredReactor | undefined> {
  const now = clock();
  if (isBusy(reactor, now)) return undefined;
  const next = {
    ...reactor,
    ...change,
    operation: { id: randomUUID(), until: now + OPERATION_MS },
    version: reactor.version + 1,
  };
  return (await reactorStore.update(next)) ? next : undefined;
}

/** The next version of a reactor, without its operation. */
export function withoutOperation({ operation: _, ...reactor }: StoredReactor): StoredReactor {
  return { ...reactor, version: reactor.version + 1 };
}

/**
 * If the step fails, ends the operation now, so that the sweep repairs the function within a
 * minute, unless a call of the step may still be carried out. Throws the error of the step.
 */
export async function releaseOperationOnFailure<T>(
  { reactorStore, clock }: Pick<RepairFunctionDeps, 'reactorStore' | 'clock'>,
  reactor: StoredReactor,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const { operation } = reactor;
    // A call without a response may still be carried out: then the operation stays until its end.
    const isOpen = error instanceof ServiceError && error.code === 'dependency_unavailable';
    if (operation !== undefined && !isOpen) {
      const released = {
        ...reactor,
        operation: { ...operation, until: clock() },
        version: reactor.version + 1,
      };
      // Report the first error: if the operation cannot be released, it still ends at its time
      // limit.
      await reactorStore.update(released).catch(() => false);
    }
    throw error;
  }
}
