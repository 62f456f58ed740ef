import { ServiceError, type ServiceErrorCode } from '../shared/service-error.ts';
import type { KeyName } from './credential-store.ts';

/**
 * The rejection of a key that is or was one of an application. The record of the rejection names
 * the key; the response does not.
 */
export class RefusedKeyError extends ServiceError {
  readonly key: KeyName;
  /** A key that was deleted or has expired: a forgotten client has it, or a thief. */
  readonly isRetired: boolean;

  constructor(
    code: ServiceErrorCode,
    detail: string,
    { key, isRetired }: { readonly key: KeyName; readonly isRetired: boolean },
  ) {
    super(code, detail);
    this.key = key;
    this.isRetired = isRetired;
  }
}
