import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Operation, StoredReactor } from './reactor.ts';
import type { ReactorFunctions, ReactorId, ReactorRepairs } from './reactor-functions.ts';
import type { ReactorStore } from './reactor-store.ts';
import type { Platform } from '../shared/platform.ts';

export interface RepairFunctionDeps extends Platform {
  readonly reactorStore: ReactorStore;
  readonly reactorFunctions: ReactorRepairs;
}

/** An operation is part of the record of its reactor. */
export interface OperationDeps {
  readonly reactorStore: Pick<ReactorStore, 'update'>;
  readonly clock: Clock;
}

export interface ChangeFunctionDeps extends RepairFunctionDeps {
  readonly reactorFunctions: ReactorFunctions;
}

/**
 * Time limit for changing a function, in ms. It is longer than any Lambda that does it runs (30 s
 * behind the gateway, 58 s for the sweep), so that no late call of a dead one undoes a repair.
 */
export const OPERATION_MS = 90_000;

/**
 * How long an old version of a function stays after it was replaced, in ms. This is longer than any
 * run (docs/contract.md#limits).
 */
export const TIDY_AFTER_MS = 5 * 60 * 1000;

/**
 * The reactor with a new `live`, which has no running instances: it waits (keep-hot.ts), unless its
 * owner wants none.
 */
export function waiting({ heat: _, ...reactor }: StoredReactor, now: number): StoredReactor {
  return reactor.warmConcurrency === 0 ? reactor : { ...reactor, heat: { state: 'waiting', since: now } };
}

/**
 * The reactor with the number of running instances that its owner asks for, or the usual one. A
 * place that it has is changed within an hour (keep-hot.ts).
 */
export function withWarmConcurrency(
  { warmConcurrency: _, ...reactor }: StoredReactor,
  warmConcurrency: number | undefined,
  now: number,
): StoredReactor {
  const next: StoredReactor = { ...reactor, ...(warmConcurrency !== undefined && { warmConcurrency }) };
  if (next.heat?.state === 'hot' || (next.heat !== undefined && warmConcurrency !== 0)) return next;
  return waiting(next, now);
}

export function isBusy(reactor: StoredReactor, now: number): boolean {
  return reactor.operation !== undefined && reactor.operation.until > now;
}

/** Starts our operation on a reactor; `undefined` if another writer was faster. */
export async function startOperation(
  { reactorStore, clock, random }: OperationDeps & Pick<RepairFunctionDeps, 'random'>,
  reactor: StoredReactor,
  change: Partial<Pick<StoredReactor, 'state'>> = {},
  by: Pick<Operation, 'by'> = {},
): Promise<StoredReactor | undefined> {
  const now = clock();
  if (isBusy(reactor, now)) return undefined;
  const next = {
    ...reactor,
    ...change,
    operation: { id: random.uuid(), until: now + OPERATION_MS, ...by },
    version: reactor.version + 1,
  };
  return (await reactorStore.update(next)) ? next : undefined;
}

/**
 * Runs a change by the owner of a reactor. If it gives up because a roll moves the function, throws
 * `dependency_unavailable` in place of `conflict`: the caller has no rival, and waits.
 */
export async function whileNotMoved<T>(
  { reactorStore }: { readonly reactorStore: Pick<ReactorStore, 'find'> },
  { tenantId, id }: ReactorId,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'conflict') throw error;
    const found = await reactorStore.find(tenantId, id);
    if (found?.operation?.by !== 'roll') throw error;
    throw new ServiceError('dependency_unavailable', 'The reactor is being moved to another layer.', {
      cause: error,
      headers: { 'Retry-After': '5' },
    });
  }
}

/** Ends the operation, and counts the version up. */
export function withoutOperation({ operation: _, ...reactor }: StoredReactor): StoredReactor {
  return { ...reactor, version: reactor.version + 1 };
}

/**
 * Ends the operation now if the step fails, so that the sweep repairs the function within a minute.
 * If a call of the step may still be carried out, the operation stays. Throws the error of the
 * step.
 */
export async function releaseOperationOnFailure<T>(
  { reactorStore, clock }: OperationDeps,
  reactor: StoredReactor,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const { operation } = reactor;
    // A call without a response may still be carried out. Then the operation stays until its end.
    const isOpen = error instanceof ServiceError && error.code === 'dependency_unavailable';
    if (operation !== undefined && !isOpen) {
      const released = {
        ...reactor,
        operation: { ...operation, until: clock() },
        version: reactor.version + 1,
      };
      // Reports the first error. An operation that cannot be released still ends at its time limit.
      await reactorStore.update(released).catch(() => false);
    }
    throw error;
  }
}
