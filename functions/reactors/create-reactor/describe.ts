import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { reactorResponse, reactorWords } from '../../../src/wire/reactor.ts';
import { TAG, CHARGE } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'reactors.create',
  recorded: { by: 'management', makes: ['reactor', 'id'] },
  does: 'Creates a reactor; see [reactors](reactors.md)',
  tag: TAG,
  summary: 'Create a reactor',
  members: reactorWords(),
  required: ['configuration'],
  requests: { charge: { summary: 'A reactor', value: CHARGE } },
  response: { hasTag: true, description: 'The reactor.', schema: reactorResponse() },
  failures: {
    409: 'The tenant has as many reactors as it may have (`limit_reached`), or a request with the same idempotency key is still running.',
  },
};
