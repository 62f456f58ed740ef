import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { READABLE_MS } from '../../../src/core/reactors/invocation.ts';
import { invocationResult } from '../../../src/wire/invocation.ts';
import { duration } from '../../../src/wire/words.ts';
import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'reactors.retrieveResult',
  recorded: { by: 'shop' },
  does: 'Returns `{ id, status, result }` of an asynchronous invocation, for 24 hours',
  tag: TAG,
  summary: 'Get the result of an asynchronous invocation',
  description: `For ${duration(READABLE_MS)}, for the application or session that invoked. \`result\` is deleted earlier if a cvc or a token of the arguments ends.`,
  parameters: { ...ID, invocation_id: 'The `id` in the response to the invocation.' },
  response: {
    description: 'The status of the invocation, and its result once it has ended.',
    schema: invocationResult(),
  },
};
