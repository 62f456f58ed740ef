import type { ServiceSurroundings } from '../command-line/service-call.ts';
import type { Secrets } from './secrets.ts';

/** Tests have a clock and a Secrets Manager of their own. */
export interface ConfigSurroundings extends ServiceSurroundings {
  readonly clock?: () => number;
  readonly secretValues?: Secrets;
}
