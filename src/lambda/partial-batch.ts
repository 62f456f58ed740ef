import type { MiddlewareObj } from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';

/** The outcome of each record, in the order in which SQS sent the records. */
export type RecordOutcomes = readonly PromiseSettledResult<unknown>[];

/**
 * A middy middleware that reports the failed records, so that SQS sends only these again (AWS
 * Lambda Developer Guide, "Reporting batch item failures"). The event source mapping must allow it.
 */
export const partialBatch = (): MiddlewareObj<SQSEvent, RecordOutcomes | SQSBatchResponse> => ({
  after: (request) => {
    const outcomes = request.response as RecordOutcomes;
    const failed = request.event.Records.filter((_, index) => outcomes[index]?.status !== 'fulfilled');
    request.response = { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  },
});
