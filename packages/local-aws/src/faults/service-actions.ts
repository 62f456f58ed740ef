import { ITEM_OPERATIONS } from '../dynamodb/operation.ts';
import { KMS_ACTIONS } from '../kms/requests.ts';
import { LAMBDA_ACTIONS } from '../lambda/control-plane/lambda-actions.ts';
import { SQS_ACTIONS } from '../sqs/queue-definitions.ts';

/** Actions to which a fault can be restricted: those that functions call. */
export const serviceActions: Readonly<Record<'dynamodb' | 'kms' | 'lambda' | 'sqs', readonly string[]>> = {
  dynamodb: ITEM_OPERATIONS,
  kms: KMS_ACTIONS,
  lambda: LAMBDA_ACTIONS,
  sqs: SQS_ACTIONS,
};
