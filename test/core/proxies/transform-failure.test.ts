import {
  FailedTransformError,
  guarded,
  RefusedPlacesError,
  type TransformPlace,
} from '../../../src/core/proxies/transform-failure.ts';
import { invalid } from '../../../src/core/shared/service-error.ts';

const REQUEST: TransformPlace = { number: 0, type: 'tokenize', isAsSent: true };
const ANSWER = { ...REQUEST, answer: { status: 402, headers: { date: 'today' } } };

const refused = new RefusedPlacesError(invalid('data.number', 'is not accepted'), [
  { exact: '$.card.4242', listed: '$.card.*', isThere: true },
  { exact: '$.card.cvc', listed: '$.card.cvc', isThere: false },
]);

async function failureAt(place: TransformPlace) {
  const error = await guarded(place, () => {
    throw refused;
  }).catch((thrown: unknown) => thrown);
  if (!(error instanceof FailedTransformError)) throw new Error('it did not fail as a transform');
  return error;
}

describe('a failed transform', () => {
  it('shows the caller the places that the caller has sent', async () => {
    const { failure, errors, code } = await failureAt(REQUEST);
    expect(failure).toMatchObject({ side: 'request', places: ['$.card.*', '$.card.cvc'] });
    expect([code, errors]).toEqual(['transform_failed_unsent', { '$.card.4242': ['is not accepted'] }]);
  });

  it('shows no place of a body that was changed before', async () => {
    expect((await failureAt({ ...REQUEST, isAsSent: false })).errors).toBeUndefined();
  });

  it('shows of an answer its status and headers alone', async () => {
    const { failure, errors, code, destinationStatus, headers } = await failureAt(ANSWER);
    expect(failure.side).toBe('response');
    expect([code, errors]).toEqual(['transform_failed', undefined]);
    expect([destinationStatus, headers]).toEqual([402, { date: 'today' }]);
  });
});
