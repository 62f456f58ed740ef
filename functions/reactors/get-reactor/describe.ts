import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { readReactorResponse } from '../../../src/wire/reactor.ts';
import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'reactors.retrieve',
  recorded: { by: 'management' },
  does: 'Returns a reactor with its code, configuration and application',
  tag: TAG,
  summary: 'Get a reactor',
  parameters: ID,
  response: { hasTag: true, description: 'The reactor.', schema: readReactorResponse() },
};
