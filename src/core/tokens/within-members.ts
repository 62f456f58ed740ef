import { JsonExtentError, MEMBERS_MAX_TEXT } from '../shared/json-extent.ts';
import { ServiceError } from '../shared/service-error.ts';

/** Runs a function that counts members of data. Throws `payload_too_large` for too many. */
export function withinMembers<T>(count: () => T): T {
  try {
    return count();
  } catch (error) {
    if (!(error instanceof JsonExtentError)) throw error;
    throw new ServiceError(
      'payload_too_large',
      `Data and mask of a token contain at most ${MEMBERS_MAX_TEXT}.`,
    );
  }
}
