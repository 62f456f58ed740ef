import { FailedTransformError, guarded } from '../../../src/core/proxies/transform-failure.ts';
import { invalid } from '../../../src/core/shared/service-error.ts';

const place = {
  side: 'response',
  number: 0,
  type: 'tokenize',
  location: '$.card',
  dataMembers: ['number', 'cvc'],
  sentPlaces: () => () => true,
} as const;

async function failureAt(path: string) {
  const failed = guarded(place, () => {
    throw invalid(path, 'is not accepted');
  });
  const error = await failed.catch((thrown: unknown) => thrown);
  if (!(error instanceof FailedTransformError)) throw new Error('it did not fail as a transform');
  return [error.failure.places, error.errors];
}

it.each([
  ['data', '$.card'],
  ['data.number', '$.card.number'],
  ['data[3][0]', '$.card[3][0]'],
  // Names of a hidden answer are a part of what it hides.
  ['data.4242424242424242', '$.card.*'],
  ['data.number.4242424242424242', '$.card.*'],
  ['data["4242 4242"]', '$.card.*'],
  ['mask.number', 'mask.number'],
])('a failure at %s is listed at %s, and not shown to the caller', async (path, listed) => {
  expect(await failureAt(path)).toEqual([[listed], undefined]);
});
