import { ApiError, ConnectionError, TimeoutError } from './sdk.ts';
import { InputError } from './input-error.ts';
import { ChangedMeanwhileError } from './refuse-if-changed.ts';

/** A failure, as it is shown to a person. */
export interface Problem {
  readonly title: string;
  /** The code of the service, by which a view knows a failure. */
  readonly code: string | undefined;
  readonly detail: string;
  /** The input has these problems, each with the path of its member. */
  readonly fields: readonly (readonly [path: string, messages: string])[];
  /** Finds the request in the logs of the service. */
  readonly traceId: string | undefined;
}

/** The words for what the service cannot say itself, because it did not answer. */
function unanswered(error: unknown): Problem {
  const plain = { code: undefined, fields: [], traceId: undefined };
  if (error instanceof TimeoutError)
    return { ...plain, title: 'The service did not answer', detail: 'It took too long. Try again.' };
  if (error instanceof ConnectionError)
    return {
      ...plain,
      title: 'The service cannot be reached',
      detail:
        'Check that it runs and that this network reaches it. A change that you sent may have been made.',
    };
  if (error instanceof ChangedMeanwhileError) return { ...plain, title: 'Not saved', detail: error.message };
  if (error instanceof InputError) return { ...plain, title: 'Not sent', detail: error.message };
  return {
    ...plain,
    title: 'This page failed',
    detail: error instanceof Error ? error.message : 'Reload it.',
  };
}

/** Describes an error by the words of the service, which contain no data and no key. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof ApiError)) return unanswered(error);
  return {
    title: error.title,
    code: error.code,
    detail: error.detail ?? '',
    fields: Object.entries(error.errors ?? {}).map(([path, messages]) => [path, messages.join('; ')]),
    traceId: error.traceId,
  };
}

/** Whether an error says that a call was ended by this page itself. */
export const isAborted = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';
