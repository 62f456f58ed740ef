import { ServiceError, type FieldErrors } from '../shared/service-error.ts';
import { TextLengthError } from './json-places.ts';

/** A transform does not work on a message. The words follow the name of the transform. */
export class TransformError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'TransformError';
  }
}

/** A place in a message that a transform does not accept. */
export interface RefusedPlace {
  /** Such as `$.cards[0].number`. */
  readonly exact: string;
  /** The same without names that others than the writer of the proxy have chosen. */
  readonly listed: string;
  /**
   * Describes the problem there, for readers of the proxy: `$.cards[1]: data.number is required`.
   */
  readonly problem: string;
  /** Whether the message has it. */
  readonly isThere: boolean;
}

/** The service refused a part of a message. */
export class RefusedPlacesError extends Error {
  readonly refusal: ServiceError;
  readonly places: readonly RefusedPlace[];

  constructor(refusal: ServiceError, places: readonly RefusedPlace[]) {
    super(refusal.message);
    this.refusal = refusal;
    this.places = places;
  }
}

/** A caller sees only this of a response that a transform could not change. */
export interface VisibleResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Which transform of a proxy runs. */
export interface TransformPlace {
  /** Counts the transforms of the side, from 0. */
  readonly number: number;
  readonly type: string;
  /** Present if the destination has responded. */
  readonly response?: VisibleResponse | undefined;
  /** Whether the body is still as the caller sent it. */
  readonly isAsSent: boolean;
}

/** All that is known of a failed transform. It is for readers of the proxy, and has no values. */
export interface TransformFailure {
  readonly side: 'request' | 'response';
  readonly number: number;
  readonly type: string;
  /** The code of the error; absent where the message does not fit. */
  readonly code?: string;
  readonly reason: string;
  /**
   * Places that the reason names: in the body such as `$.card.number`, or members. A name that only
   * the message has is `*`, because it is a part of what a proxy hides.
   */
  readonly places: readonly string[];
}

/** A failed transform: the caller sees little of it, because others have written the proxy. */
export class FailedTransformError extends ServiceError {
  readonly failure: TransformFailure;

  constructor(failure: TransformFailure, errors: FieldErrors, response: VisibleResponse | undefined) {
    super(
      response === undefined ? 'transform_failed_unsent' : 'transform_failed',
      `${failure.side}_transforms[${String(failure.number)}] failed.`,
      {
        ...(Object.keys(errors).length > 0 && { errors }),
        ...(response !== undefined && { headers: response.headers, destinationStatus: response.status }),
      },
    );
    this.failure = failure;
  }
}

/**
 * Lists the places that a refusal names: those of the message, or members of what the service got.
 */
function listedPlaces(refusal: TransformError | ServiceError, places: readonly RefusedPlace[]) {
  const paths = refusal instanceof ServiceError ? Object.keys(refusal.errors ?? {}) : [];
  return [...new Set(places.length > 0 ? places.map(({ listed }) => listed) : paths)];
}

/** How many problems a reason has at most. */
const PROBLEMS_SHOWN = 5;

function reasonOf(refusal: TransformError | ServiceError, places: readonly RefusedPlace[]) {
  const problems = [...new Set(places.map(({ problem }) => problem))];
  const more = problems.length - PROBLEMS_SHOWN;
  const shown = problems.slice(0, PROBLEMS_SHOWN).join('; ');
  return {
    ...(refusal instanceof ServiceError && { code: refusal.code }),
    reason: shown === '' ? refusal.message : `${shown}${more > 0 ? `; and ${String(more)} more` : ''}`,
  };
}

/** The error of a failed transform; the error itself where it is none. */
function failureOf(thrown: unknown, { response, number, type, isAsSent }: TransformPlace): unknown {
  const error =
    thrown instanceof TextLengthError ? new TransformError('the body would become too large') : thrown;
  const refusal = error instanceof RefusedPlacesError ? error.refusal : error;
  if (!(refusal instanceof TransformError || refusal instanceof ServiceError)) return error;
  const isOfService = refusal instanceof ServiceError && refusal.code === 'dependency_unavailable';
  // Nothing was sent, so the caller may repeat the call.
  if (isOfService && response === undefined) return refusal;
  const places = error instanceof RefusedPlacesError ? error.places : [];
  const shown = response === undefined && isAsSent ? places.filter(({ isThere }) => isThere) : [];
  return new FailedTransformError(
    {
      side: response === undefined ? 'request' : 'response',
      number,
      type,
      ...reasonOf(refusal, places),
      places: listedPlaces(refusal, places),
    },
    Object.fromEntries(shown.map(({ exact }) => [exact, ['is not accepted']])),
    response,
  );
}

/**
 * Runs a transform. Before the destination a failure is `transform_failed` with 400: nothing was
 * sent. After it, the status is that of the destination, or 424 for a success. A caller sees the
 * number of the transform, and a place in the body that he sent himself; the rest was written by
 * others. A failure of the service before the destination stays what it is, so that the caller may
 * repeat the call.
 */
export async function guarded<T>(place: TransformPlace, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    throw failureOf(thrown, place);
  }
}
