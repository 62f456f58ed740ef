import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { DELIVERY_TRIES } from '../../../src/core/reactors/invocation.ts';
import { counted } from '../../../src/wire/words.ts';
import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'reactors.deliveries.resend',
  recorded: 'nothing',
  does: 'Sends a parked delivery again, with ten attempts',
  tag: TAG,
  summary: 'Send a parked delivery again',
  description: `Starts up to ${counted(DELIVERY_TRIES)} new attempts, to the address of the invocation. Before each one the rules of the invoking application decide again.`,
  parameters: { ...ID, invocation_id: 'The `invocation_id` of the parked delivery.' },
  response: { description: 'The attempts begin.' },
  failures: {
    404: 'The reactor does not exist, or no delivery of it is listed under this id.',
    409: 'A key that asked for the delivery was revoked, another request is changing it, or the same idempotency key is still running.',
  },
};
