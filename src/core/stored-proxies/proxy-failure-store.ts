import type { PortEffects } from '../audit/effect.ts';
import type { TransformFailure } from './transform-failure.ts';

/** A failed transform of one call, as it is stored. `at` is in ms since the epoch. */
export interface ProxyFailure extends TransformFailure {
  readonly traceId: string;
  readonly at: number;
}

/** How many failures of a proxy can be read. */
export const FAILURES_MAX = 50;

interface Of {
  readonly tenantId: string;
  readonly proxyId: string;
}

/** Stores failed transforms for a day. Rejects with `dependency_unavailable` when it is down. */
export interface ProxyFailureStore {
  add(of: Of, failure: ProxyFailure): Promise<void>;
  /** Reads the last {@link FAILURES_MAX} failures, newest first. */
  last(of: Of): Promise<readonly ProxyFailure[]>;
}

export const PROXY_FAILURE_STORE_EFFECTS: PortEffects<ProxyFailureStore> = {
  // It changes nothing that a caller can ask for, except this list itself.
  add: 'none',
  last: 'none',
};
