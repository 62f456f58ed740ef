import type { ReactorId } from './reactor-functions.ts';

/** A reactor that has running instances, or is to get them. */
export interface Place extends ReactorId {
  /** The reactor has so many of the budget. */
  readonly instances: number;
  /** The time of the decision that gave it the place, in ms since the epoch. */
  readonly since: number;
  /** Whether Lambda has accepted its instances. */
  readonly isGranted: boolean;
}

/** Lambda has refused capacity, which is a fact of the whole account. */
export interface Refusal {
  /** Instances are requested again at this time, in ms since the epoch. */
  readonly until: number;
  readonly pauseMs: number;
}

/** A deployment pays for so much. Both are numbers of instances. */
export interface HotBudget {
  /** All reactors together have at most so many. */
  readonly hotInstances: number;
  /** A reactor has so many, unless its owner asks for another number. */
  readonly hotConcurrency: number;
}

/**
 * The only record of which reactors have running instances, with the budget by which they were
 * handed out. The sweep alone writes it.
 */
export interface HotPlaces extends HotBudget {
  readonly places: readonly Place[];
  /** The time of the last decision about who gives up a place, in ms since the epoch. */
  readonly decidedAt: number;
  readonly refusal?: Refusal;
  /** Starts at 1 and increases by one with each write. */
  readonly version: number;
}

export interface HotPlaceStore {
  find(): Promise<HotPlaces | undefined>;
  /** Replaces the previous version; `false` if it has changed since. */
  write(next: HotPlaces): Promise<boolean>;
}

/** A reactor that waits, with the number of instances that its owner asks for, if any. */
export interface WaitingReactor extends ReactorId {
  readonly warmConcurrency?: number;
}

/** Reactors that wait for running instances, found without reading all of them. */
export interface WaitingReactors {
  /** Yields them in batches. Who has waited longest comes first. */
  list(): AsyncIterable<readonly WaitingReactor[]>;
  /** Counts them, up to `most`. */
  count(most: number): Promise<number>;
}

/** Starts and ends the running instances of a function, in one attempt. */
export interface ReactorHeat {
  /**
   * Requests running instances of `live`, or another number of them. Returns `refused` if the
   * account's concurrency quota leaves none for them, `gone` if there is no `live`, `busy` if
   * Lambda has no time for anyone, and `skipped` if this function alone cannot get them now.
   */
  start(reactorId: string, instances: number): Promise<'started' | 'refused' | 'gone' | 'busy' | 'skipped'>;
  /** Ends them. It is no error that there are none. */
  end(reactorId: string): Promise<'ended' | 'busy' | 'skipped'>;
}

export const instancesOf = (places: readonly Pick<Place, 'instances'>[]): number =>
  places.reduce((sum, { instances }) => sum + instances, 0);

/**
 * One tenant gets at most so many instances while reactors of others wait. One reactor with the
 * usual number always fits.
 */
export const shareOf = ({ hotInstances, hotConcurrency }: HotBudget): number =>
  Math.max(1, hotConcurrency, Math.floor(hotInstances / 4));
