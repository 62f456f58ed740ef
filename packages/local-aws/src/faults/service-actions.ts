import { ITEM_OPERATIONS } from '../dynamodb/operation.ts';
import { KMS_ACTIONS } from '../kms/requests.ts';
import { LAMBDA_ACTIONS } from '../lambda/control-plane/lambda-actions.ts';
import { SQS_ACTIONS } from '../sqs/queue-definitions.ts';

/** Actions that a fault can be restricted to: those that the services answer to functions. */
export const actionsOf: Readonly<Record<'dynamodb' | 'kms' | 'lambda' | 'sqs', readonly string[]>> = {
  dynamodb: ITEM_OPERATIONS,
  kms: KMS_ACTIONS,
  lambda: LAMBDA_ACTIONS,
  sqs: SQS_ACTIONS,
};
