import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { DELIVERY_TRIES } from '../../../src/core/reactors/invocation.ts';
import { pageOf } from '../../../src/wire/page.ts';
import { listDeliveriesParameters, parkedDelivery } from '../../../src/wire/parked-delivery.ts';
import { counted } from '../../../src/wire/words.ts';
import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'reactors.deliveries.list',
  // No server receives the result, so all attempts fail.
  recorded: { by: 'management', waits: '3h' },
  does: 'Lists [parked deliveries](contract.md#parked-deliveries), the oldest first: `size`, `after`',
  tag: TAG,
  summary: 'List parked deliveries',
  description: `Results of asynchronous invocations that the receiver has not accepted in ${counted(DELIVERY_TRIES)} attempts. The oldest first, without page numbers; the last few seconds may be missing.`,
  parameters: ID,
  query: listDeliveriesParameters(),
  response: { description: 'A page of parked deliveries.', schema: pageOf(parkedDelivery()) },
};
