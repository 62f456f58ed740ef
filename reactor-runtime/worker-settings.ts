/** What the loop tells a worker when it starts it. */
export interface WorkerSettings {
  /** The author's code. */
  readonly code: string;
  /** Where `reactor.js` lies. */
  readonly taskRoot: string;
  /** The temp folder: the only place where reactor code may write. */
  readonly temp: string;
  /**
   * Ports of this machine that the code may reach: none, or that of the service where it runs here,
   * and what the deployer admits. Known before the code is loaded: what comes after that comes to a
   * process in which the code may have put something else in the place of the event.
   */
  readonly localPorts: readonly number[];
}

/** Bytes before each frame of the worker's standard input: its length, big endian. */
export const FRAME_HEADER_BYTES = 4;
