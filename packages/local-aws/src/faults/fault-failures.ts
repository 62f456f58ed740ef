import { z } from 'zod';
import { AwsError, type AwsCall } from '../aws-service.ts';

const transaction = z.object({ TransactItems: z.array(z.unknown()) });

const throttling: Readonly<Record<string, AwsError>> = {
  dynamodb: new AwsError(
    'ProvisionedThroughputExceededException',
    400,
    'The level of configured provisioned throughput for the table was exceeded.',
  ),
  kms: new AwsError('ThrottlingException', 400, 'You have exceeded the rate at which you may call KMS.'),
  lambda: new AwsError('TooManyRequestsException', 429, 'Rate exceeded', {
    Reason: 'CallerRateLimitExceeded',
  }),
  sqs: new AwsError('RequestThrottled', 400, 'Request is throttled.'),
};

/** Each service has its own name and status for an internal failure. */
const internal: Readonly<Record<string, readonly [string, number]>> = {
  dynamodb: ['InternalServerError', 500],
  kms: ['KMSInternalException', 500],
  lambda: ['ServiceException', 500],
  sqs: ['InternalFailure', 500],
};

/**
 * DynamoDB's refusal of a whole transaction: one reason for each of its items, of which one is the
 * cause.
 */
function cancelled(call: AwsCall, code: string, message: string, which: number): AwsError {
  const { TransactItems } = transaction.parse(JSON.parse(call.body.toString('utf8')));
  const cause = Math.floor(which * TransactItems.length);
  const reasons = TransactItems.map((_item, index) =>
    index === cause ? { Code: code, Message: message } : { Code: 'None' },
  );
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return new AwsError(
    'TransactionCanceledException',
    400,
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons },
  );
}

const isTransaction = (action: string): boolean => action.startsWith('Transact');

/**
 * Too many calls. For a transaction DynamoDB has two errors; `chance` (0 to below 1) selects one.
 */
export function throttled(call: AwsCall, action: string, chance: number): AwsError {
  if (isTransaction(action) && chance < 0.5)
    return cancelled(call, 'ThrottlingError', 'Throughput exceeds the current capacity.', chance * 2);
  return throttling[call.service] ?? new AwsError('ThrottlingException', 400, 'Rate exceeded');
}

/** Another transaction uses the same item. */
export function conflicting(call: AwsCall, action: string, chance: number): AwsError {
  const message = 'Transaction is ongoing for the item';
  return isTransaction(action)
    ? cancelled(call, 'TransactionConflict', message, chance)
    : new AwsError('TransactionConflictException', 400, message);
}

/** The service itself has failed. */
export function failed({ service }: AwsCall): AwsError {
  const [code, status] = internal[service] ?? ['InternalFailure', 500];
  return new AwsError(code, status, 'An internal error occurred.');
}

/** All instances are running. */
export function busy(): AwsError {
  return new AwsError('TooManyRequestsException', 429, 'Rate Exceeded.', {
    Reason: 'ConcurrentInvocationLimitExceeded',
  });
}
