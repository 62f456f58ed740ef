import type { ReactorId } from './reactor-functions.ts';

/** A reactor that has running instances, or is to get them. */
export interface Place extends ReactorId {
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

/** The only record of which reactors have running instances. The sweep alone writes it. */
export interface HotPlaces {
  /** Each place has so many instances. */
  readonly instances: number;
  /** The number of places that the budget pays for. */
  readonly capacity: number;
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

/** Reactors that wait for running instances, found without reading all of them. */
export interface WaitingReactors {
  /** Yields them in batches. Who has waited longest comes first. */
  list(): AsyncIterable<readonly ReactorId[]>;
  /** Counts them, up to `most`. */
  count(most: number): Promise<number>;
}

/** Starts and ends the running instances of a function, in one attempt. */
export interface ReactorHeat {
  /**
   * Requests running instances of `live`. Returns `refused` if the account's concurrency quota
   * leaves none for them, `gone` if there is no `live`, `busy` if Lambda has no time for anyone,
   * and `skipped` if this function alone cannot get them now.
   */
  start(reactorId: string, instances: number): Promise<'started' | 'refused' | 'gone' | 'busy' | 'skipped'>;
  /** Ends them. It is no error that there are none. */
  end(reactorId: string): Promise<'ended' | 'busy' | 'skipped'>;
}

/** A deployment pays for so much. Both are numbers of instances. */
export interface HotBudget {
  /** All reactors together have at most so many. */
  readonly hotInstances: number;
  /** One reactor has so many. */
  readonly hotConcurrency: number;
}

/** The number of places that a budget pays for. */
export const capacityOf = ({ hotInstances, hotConcurrency }: HotBudget): number =>
  hotConcurrency === 0 ? 0 : Math.floor(hotInstances / hotConcurrency);

/** One tenant gets at most so many places while reactors of others wait. */
export const shareOf = (capacity: number): number => Math.max(1, Math.floor(capacity / 4));
