import { ServiceError, type FieldErrors } from '../shared/service-error.ts';
import { TextLengthError } from './json-location.ts';

/** A transform does not work on a message. The words follow the name of the transform. */
export class TransformError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'TransformError';
  }
}

/** Which transform of a proxy runs. */
export interface TransformPlace {
  readonly side: 'request' | 'response';
  /** Counts the transforms of the side, from 0. */
  readonly number: number;
  readonly type: string;
  /** The place in the body of the value that becomes the data of a token, where there is one. */
  readonly location?: string;
  /** The members that data of the token may have; absent where its type has none by name. */
  readonly dataMembers?: readonly string[];
  /** Which places below a location the body has that the caller sent, if it is as it was sent. */
  readonly sentPlaces: (location: string) => (place: string) => boolean;
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
   * What the reason is about: places in the body such as `$.card.number`, or members. A name that
   * only the message has is `*`, because it is a part of what a proxy hides.
   */
  readonly places: readonly string[];
}

/** A failed transform: the caller sees little of it, because others have written the proxy. */
export class FailedTransformError extends ServiceError {
  readonly failure: TransformFailure;

  constructor(failure: TransformFailure, errors: FieldErrors) {
    const isSent = failure.side === 'response';
    super(
      isSent ? 'transform_failed' : 'transform_failed_unsent',
      `${failure.side}_transforms[${String(failure.number)}] failed.`,
      Object.keys(errors).length === 0 ? {} : { errors },
    );
    this.failure = failure;
  }
}

/** The member of a token that has its data. Its path is the place of the data in the body. */
const DATA = /^data(?=[.[]|$)/;

const placeOf = (path: string, { location }: TransformPlace): string =>
  location !== undefined && DATA.test(path) ? path.replace(DATA, () => location) : path;

const ITEMS = /^(?:\[\d+\])+$/;

/** The place of an error as readers of the proxy see it, without names that others have chosen. */
function listedPlace(path: string, { location, dataMembers = [] }: TransformPlace): string {
  if (location === undefined || !DATA.test(path)) return path;
  const below = path.replace(DATA, '');
  const isKnown = below === '' || ITEMS.test(below) || dataMembers.some((name) => below === `.${name}`);
  return `${location}${isKnown ? below : '.*'}`;
}

/** The places that the caller may see: those that he sent. */
function shownOf(places: readonly string[], { location, sentPlaces }: TransformPlace): readonly string[] {
  return location === undefined || places.length === 0 ? [] : places.filter(sentPlaces(location));
}

/** The error of a failed transform; the error itself where it is none. */
function failureOf(thrown: unknown, place: TransformPlace): unknown {
  const error =
    thrown instanceof TextLengthError ? new TransformError('the body would become too large') : thrown;
  if (!(error instanceof TransformError || error instanceof ServiceError)) return error;
  const { side, number, type } = place;
  const isOfService = error instanceof ServiceError && error.code === 'dependency_unavailable';
  // Nothing was sent, so the caller may repeat the call.
  if (isOfService && side === 'request') return error;
  const paths = error instanceof ServiceError ? Object.keys(error.errors ?? {}) : [];
  const exact = paths.map((path) => placeOf(path, place));
  const shown = side === 'request' ? shownOf(exact, place) : [];
  return new FailedTransformError(
    {
      side,
      number,
      type,
      ...(error instanceof ServiceError && { code: error.code }),
      reason: error.message,
      places: [...new Set(paths.map((path) => listedPlace(path, place)))],
    },
    Object.fromEntries(shown.map((each) => [each, ['is not accepted']])),
  );
}

/**
 * Runs a transform. Before the destination a failure is `transform_failed` with 400: nothing was
 * sent. After it, it is `transform_failed` with 502. A caller sees the number of the transform, and
 * a place in the body that he sent himself; the rest was written by others. A failure of the
 * service before the destination stays what it is, so that the caller may repeat the call.
 */
export async function guarded<T>(place: TransformPlace, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    throw failureOf(thrown, place);
  }
}
