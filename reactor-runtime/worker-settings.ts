/** What the loop tells a worker when it starts it. */
export interface WorkerSettings {
  /** The author's code. */
  readonly code: string;
  /** Where `reactor.js` lies. */
  readonly taskRoot: string;
  /** The layer's folder. */
  readonly layer: string;
  /** The temp folder: the only place where reactor code may write. */
  readonly temp: string;
}

/** What the loop sends to a worker: the port of the service, where that is on this machine, and the Invoke payload as it came. */
export type EventMessage = readonly [localPorts: readonly number[], payload: string];

/** In place of a payload: nothing to run, but the way of an event has been gone once when the first one comes. */
export const WARM_UP = '';
