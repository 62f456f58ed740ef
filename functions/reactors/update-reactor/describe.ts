import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { updateReactorWords, updatedReactorResponse } from '../../../src/wire/reactor.ts';
import { TAG, ID, CHARGE, CONFLICT } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'reactors.update',
  recorded: { by: 'management' },
  does: 'Replaces the reactor but its `runtime`; without `application` in the body it has none',
  tag: TAG,
  summary: 'Update a reactor',
  description:
    'Replaces all members but `runtime`, which stays if it is left out; without `application` the reactor has none.',
  parameters: ID,
  members: updateReactorWords(),
  required: ['configuration'],
  requests: { charge: { summary: 'Other code', value: CHARGE } },
  response: {
    hasTag: true,
    description: 'The reactor after the update.',
    schema: updatedReactorResponse(),
    namesStoppedProxies: true,
  },
  failures: { 409: CONFLICT },
};
