import { randomUUID } from 'node:crypto';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { StoredReactor } from './reactor.ts';
import type { ReactorFunctions, ReactorRepairs } from './reactor-functions.ts';
import type { ReactorStore } from './reactor-store.ts';

/** What keeps instances running. */
export interface HeatDeps {
  readonly reactorFunctions: Pick<ReactorRepairs, 'keepHot'>;
  readonly clock: Clock;
  /** Told of a reactor whose instances the account's quota refuses. */
  readonly onCold: (reactor: Pick<StoredReactor, 'id' | 'tenantId'>) => void;
}

/** What puts a function in order. */
export interface RepairFunctionDeps extends HeatDeps {
  readonly reactorStore: ReactorStore;
  readonly reactorFunctions: ReactorRepairs;
}

/** What makes and changes a function. */
export interface ChangeFunctionDeps extends RepairFunctionDeps {
  readonly reactorFunctions: ReactorFunctions;
}

/**
 * How long whoever changes a function has for it, in ms: longer than any Lambda of the service that
 * does it may live (30 s behind the gateway, 58 s for the sweep), so that nobody's late call meets
 * what the sweep has put in order.
 */
export const OPERATION_MS = 90_000;

/**
 * How long versions stay after another one took over, in ms: longer than the longest run of one
 * (docs/contract.md#limits).
 */
export const TIDY_AFTER_MS = 5 * 60 * 1000;

/**
 * How long after the account's quota has refused instances of a reactor they are asked for again,
 * in ms.
 */
const HEAT_AGAIN_MS = 10 * 60 * 1000;

/**
 * The reactor with instances kept running for it, or, where the quota leaves none, with the time to
 * ask again. Throws nothing of the quota: it starts cold.
 */
export async function heated(
  { reactorFunctions, clock, onCold }: HeatDeps,
  { heatAt: _, ...reactor }: StoredReactor,
): Promise<StoredReactor> {
  if (await reactorFunctions.keepHot(reactor.id)) return reactor;
  onCold(reactor);
  return { ...reactor, heatAt: clock() + HEAT_AGAIN_MS };
}

/** Whether somebody is changing the function at this moment. */
export function isBusy(reactor: StoredReactor, now: number): boolean {
  return reactor.operation !== undefined && reactor.operation.until > now;
}

/** The reactor with an operation of ours on it; `undefined` if somebody else was quicker. */
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

/** A reactor whose operation is over. */
export function withoutOperation({ operation: _, ...reactor }: StoredReactor): StoredReactor {
  return { ...reactor, version: reactor.version + 1 };
}

/**
 * Runs a step of an operation. If it fails, the operation is given to the sweep at once instead of
 * at its end, so that what was begun is put in order within a minute, unless it is open whether a
 * call will still be carried out; what failed is thrown.
 */
export async function orLeaveToSweep<T>(
  { reactorStore, clock }: Pick<RepairFunctionDeps, 'reactorStore' | 'clock'>,
  reactor: StoredReactor,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const { operation } = reactor;
    // A call without an answer may still be carried out: then the operation is held to its end.
    const isOpen = error instanceof ServiceError && error.code === 'dependency_unavailable';
    if (operation !== undefined && !isOpen) {
      const given = { ...reactor, operation: { ...operation, until: clock() }, version: reactor.version + 1 };
      // What failed first is what is told; an operation that cannot be given up ends by itself.
      await reactorStore.update(given).catch(() => false);
    }
    throw error;
  }
}
