import type { Image, Layer, LayerVersion } from '../reactors/layer.ts';
import type { Stay } from '../reactors/reactor.ts';

/**
 * The move of reactors to a layer, which an operator started. There is one for each image, which
 * the next one replaces. Times are in ms since the epoch.
 */
export interface Roll {
  readonly id: string;
  readonly target: LayerVersion;
  /** Whether the operator named the target. If not, it is the layer of the deployment. */
  readonly isNamed: boolean;
  /** Restricts it to the reactors of a tenant. */
  readonly tenantId?: string;
  readonly startedAt: number;
  readonly state: 'running' | 'ended' | 'stopped';
  /**
   * Why it stopped: the function of the service itself did not load, reactors of several tenants
   * did not, or another deployment has another layer.
   */
  readonly stoppedBy?: 'own_function' | 'failures' | 'deployment';
  /** Whether the function of the service itself has loaded on the target. */
  readonly isProven: boolean;
  /** The number of reactors with another layer when it started. */
  readonly total: number;
  readonly moved: number;
  /** The number of reactors that were left as they are. */
  readonly stayed: number;
  /** The tenants with a reactor that failed. */
  readonly failedTenants: readonly string[];
  /** How often all reactors were read, from 1. Those that were busy get another turn. */
  readonly pass: number;
  /** The number of reactors that the next pass tries again. */
  readonly again: number;
  /** The pass begins at this time: reactors were busy. Absent for at once. */
  readonly passFrom?: number;
  /** The place of the last reactor that was tried in this pass; empty at its start. */
  readonly after: string;
  /** The worker that works it off, and the end of its time. */
  readonly runner?: { readonly id: string; readonly until: number };
  /** Starts at 1 and increases by one with each write, also of the next roll. */
  readonly version: number;
}

/** Stores the roll of each image. Rejects with `dependency_unavailable` when the store is down. */
export interface RollStore {
  find(image: Image): Promise<Roll | undefined>;
  /** Replaces the previous version of a roll; `false` if it has changed since. */
  write(roll: Roll): Promise<boolean>;
}

/** A reactor has a place in the order of its image. */
export interface PlacedReactor {
  readonly tenantId: string;
  readonly id: string;
  readonly layer: Layer;
  readonly layerSince: number;
  readonly stayed?: Stay;
  /** It sorts after the places before it. */
  readonly place: string;
}

/** Finds reactors by the layer of their function. What is read may be a second old. */
export interface ReactorIndex {
  /** Reads those whose layer has another hash, after a place, in pages. */
  withOther(layer: Pick<Layer, 'image' | 'hash'>, after: string): AsyncIterable<readonly PlacedReactor[]>;
  /** Reads all of an image after a place, in pages. */
  all(image: Image, after: string): AsyncIterable<readonly PlacedReactor[]>;
  /** Counts those whose layer has another hash. */
  countOther(layer: Pick<Layer, 'image' | 'hash'>): Promise<number>;
}

/** The messages by which the worker continues. */
export interface RollQueue {
  send(image: Image): Promise<void>;
}

/**
 * The numbers of reactors after which each wave ends: one, a percent, a tenth, all. A wave begins
 * when all of the one before it have been tried.
 */
export function waveEnds(total: number): readonly number[] {
  const second = 1 + Math.ceil(total / 100);
  return [1, second, second + Math.ceil(total / 10), Infinity];
}

/** The wave that a roll is in, from 1, and how many reactors are left in it. */
export function waveOf({ total, moved, stayed }: Pick<Roll, 'total' | 'moved' | 'stayed'>): {
  readonly wave: number;
  readonly left: number;
} {
  const tried = moved + stayed;
  const ends = waveEnds(total);
  const at = ends.findIndex((end) => tried < end);
  return { wave: at + 1, left: (ends[at] ?? Infinity) - tried };
}
