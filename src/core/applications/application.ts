import type { Grants } from '../access/access-rule.ts';
import type { Named } from '../shared/external-id.ts';
import type { Platform } from '../shared/platform.ts';
import type { ApplicationType } from '../access/permission.ts';
import type { ApplicationKey } from './application-key.ts';

/**
 * Rights, and the keys that prove to have them (docs/contract.md#the-application-object). Times are
 * in ms since the epoch.
 */
export interface Application extends Grants, Named {
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
  /** Increases by one with each write of the application or of its keys. */
  readonly version: number;
}

/**
 * The first version of an application. A retried creation may make it again under the same id after
 * it was deleted: it is random, so that no version comes back, and no late change meets the second
 * one.
 */
export const firstVersion = ({ integer }: Platform['random']): number => integer(2 ** 47);

/** Longest name of an application or a reactor (docs/contract.md#limits). */
export const NAME_MAX_LENGTH = 200;
