import type { Grants } from '../access/access-rule.ts';
import type { ApplicationType } from '../access/permission.ts';
import type { ApplicationKey } from './application-key.ts';

/**
 * Rights, and the keys that prove to have them (docs/contract.md#the-application-object). Times are
 * in ms since the epoch.
 */
export interface Application extends Grants {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly type: ApplicationType;
  readonly createdBy?: string;
  readonly createdAt: number;
  readonly modifiedBy?: string;
  readonly modifiedAt?: number;
  /** The application is rejected from this time on. */
  readonly expiresAtMs?: number;
  /** The oldest first. Without one, only reactors act for the application. */
  readonly keys: readonly ApplicationKey[];
  /** Starts at 1 and increases by one with each change of the application or of its keys. */
  readonly version: number;
}

/** Longest name of an application or a reactor (docs/contract.md#limits). */
export const NAME_MAX_LENGTH = 200;
