/** The settings that the loop passes to a new worker. */
export interface WorkerSettings {
  /** The code that the author wrote. */
  readonly code: string;
  /** The folder that contains `reactor.js`. */
  readonly taskRoot: string;
  /** The names that code can require of the packages beside it. */
  readonly packages: readonly string[];
  /** The temp folder, the only folder that reactor code may write to. */
  readonly temp: string;
  /**
   * Local ports that the code may reach: none on AWS; locally the service's and the allow list's.
   * Fixed before the code is loaded, since loaded code could forge a later message.
   */
  readonly localPorts: readonly number[];
}

/**
 * Length in bytes of the frame header on the worker's standard input: the frame's length, big
 * endian.
 */
export const FRAME_HEADER_BYTES = 4;
