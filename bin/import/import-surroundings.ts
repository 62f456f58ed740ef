import type { StreamSurroundings } from '../command-line/stream-surroundings.ts';
import type { ImportService } from './service.ts';

/** Tests have a service and an interruption of their own. */
export interface ImportSurroundings extends StreamSurroundings {
  readonly importService?: ImportService;
  /** Calls `stop` at an interruption, until the function that it returns is called. */
  readonly onInterrupt?: (stop: () => void) => () => void;
}
