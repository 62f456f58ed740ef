import type { ProgressSurroundings } from './progress.ts';
import type { ServiceSurroundings } from './service-call.ts';

/** A command needs them if it reads or writes more than fits in memory. */
export interface StreamSurroundings extends ServiceSurroundings, ProgressSurroundings {
  /** Reads standard input. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** Writes to standard output; resolves once more may be written. Rejects if it cannot. */
  readonly output?: (bytes: Uint8Array) => Promise<void>;
}
