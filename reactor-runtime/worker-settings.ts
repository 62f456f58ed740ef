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
  /** What the worker says when it waits and none of the code runs, so that the event is sent to nobody else. */
  readonly proof: string;
  /** Comes again with the event, so that reactor code, which could put a file in the pipe's place, cannot make one up. */
  readonly secret: string;
}

/** What comes before the Invoke payload, which follows in a frame of its own as it came. */
export interface Admission {
  readonly secret: string;
  /** Ports of this machine that the code may reach. */
  readonly localPorts: readonly number[];
}

/** Bytes before each frame of the worker's standard input: its length, big endian. */
export const FRAME_HEADER_BYTES = 4;
