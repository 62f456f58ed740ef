import type { Grants } from './access-rule.ts';
import type { ApplicationType } from './permission.ts';

/** An application: an API credential with its access (spec.md, Application object). Times in ms since the epoch. */
export interface Application extends Grants {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly type: ApplicationType;
  readonly createdBy?: string;
  readonly createdAt: number;
  readonly modifiedBy?: string;
  readonly modifiedAt?: number;
  /** From this instant the application is refused. */
  readonly expiresAt?: number;
}

/** Who makes a request: an authenticated credential with what it grants at this moment. */
export interface Caller extends Grants {
  readonly tenantId: string;
  /** Id of the application; what it creates is `created_by` this. */
  readonly applicationId: string;
  readonly type: ApplicationType;
}

/** Longest name of an application or a reactor (spec.md, Limits). */
export const NAME_MAX_LENGTH = 200;
