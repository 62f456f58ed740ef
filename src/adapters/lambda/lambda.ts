import type { Platform } from '../../core/shared/platform.ts';
import type { LambdaCalls } from '../aws/clients.ts';

/** Lambda as one instance uses it. */
export interface Lambda {
  readonly client: LambdaCalls;
  readonly platform: Platform;
}
