import { ServiceError, type FieldErrors } from '../shared/service-error.ts';
import { TextLengthError } from './json-location.ts';

/** A transform does not work on a message. The words follow the name of the transform. */
export class TransformError extends Error {
  readonly errors: FieldErrors | undefined;

  constructor(reason: string, errors?: FieldErrors) {
    super(reason);
    this.name = 'TransformError';
    this.errors = errors;
  }
}

/**
 * Runs a transform. Before the destination a failure is `transform_failed` with 400: nothing was
 * sent. After it, it is `transform_failed` with 502, and shows nothing of the answer. A failure of
 * the service before the destination stays what it is, so that the caller may repeat the call.
 */
export async function guarded<T>(
  { member, at, type }: { readonly member: string; readonly at: number; readonly type: string },
  isSent: boolean,
  run: () => T | Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    const error =
      thrown instanceof TextLengthError ? new TransformError('the body would become too large') : thrown;
    const isOfService = error instanceof ServiceError && error.code === 'dependency_unavailable';
    if (isOfService && !isSent) throw error;
    const isKnown = error instanceof TransformError || error instanceof ServiceError;
    if (!isKnown) throw error;
    const reason = error instanceof TransformError ? `: ${error.message}` : '';
    const detail = `${member}[${String(at)}] (${type}) failed${reason}.`;
    if (isSent) throw new ServiceError('transform_failed', detail);
    const { errors } = error;
    throw new ServiceError('transform_failed_unsent', detail, errors === undefined ? {} : { errors });
  }
}
