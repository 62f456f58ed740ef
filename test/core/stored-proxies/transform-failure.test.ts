import {
  FailedTransformError,
  guarded,
  RefusedPlacesError,
  type TransformPlace,
} from '../../../src/core/stored-proxies/transform-failure.ts';
import { invalid } from '../../../src/core/shared/service-error.ts';

const REQUEST: TransformPlace = { number: 0, type: 'tokenize', isAsSent: true };
const RESPONSE = { ...REQUEST, response: { status: 402, headers: { date: 'today' } } };

const PLACES = Array.from({ length: 7 }, (_, at) => ({
  exact: '$',
  listed: '$',
  problem: `p${String(at)}`,
  isThere: false,
}));

const refused = new RefusedPlacesError(invalid('data.number', 'is not accepted'), [
  { exact: '$.card.4242', listed: '$.card.*', problem: '$.card: data.* is 4', isThere: true },
  { exact: '$.card.cvc', listed: '$.card.cvc', problem: '$.card: data.cvc is 5', isThere: false },
]);

async function failureAt(place: TransformPlace, thrownError = refused) {
  const error = await guarded(place, () => {
    throw thrownError;
  }).catch((thrown: unknown) => thrown);
  if (!(error instanceof FailedTransformError)) throw new Error('it did not fail as a transform');
  return error;
}

describe('a failed transform', () => {
  it('shows the caller the places that the caller has sent', async () => {
    const { failure, errors, code } = await failureAt(REQUEST);
    expect(failure).toMatchObject({
      side: 'request',
      places: ['$.card.*', '$.card.cvc'],
      reason: '$.card: data.* is 4; $.card: data.cvc is 5',
    });
    expect([code, errors]).toEqual(['transform_failed_unsent', { '$.card.4242': ['is not accepted'] }]);
  });

  it('has few of many problems as its reason', async () => {
    const many = new RefusedPlacesError(invalid('data', 'is not accepted'), PLACES);
    expect((await failureAt(REQUEST, many)).failure.reason).toBe('p0; p1; p2; p3; p4; and 2 more');
  });

  it('shows no place of a body that was changed before', async () => {
    expect((await failureAt({ ...REQUEST, isAsSent: false })).errors).toBeUndefined();
  });

  it('shows of an answer its status and headers alone', async () => {
    const { failure, errors, code, destinationStatus, headers } = await failureAt(RESPONSE);
    expect(failure.side).toBe('response');
    expect([code, errors]).toEqual(['transform_failed', undefined]);
    expect([destinationStatus, headers]).toEqual([402, { date: 'today' }]);
  });
});
