/*
 * Replaces the packages of the AWS SDK in the bundle (tools/build-testing.ts): the services in
 * memory read the input of a command, and know commands and errors by their classes.
 */
class Command {
  readonly input: unknown;

  constructor(input: unknown) {
    this.input = input;
  }
}

/** An error with the members that a service sends. */
class ServiceException extends Error {
  constructor(members: { readonly message: string }) {
    super(members.message);
    Object.assign(this, members, { name: this.constructor.name });
  }
}

/** A vault has its own clients, and never makes one of these. */
class NoClient {
  readonly config: unknown;

  constructor(config: unknown) {
    this.config = config;
  }
}

/* DynamoDB */
export class BatchExecuteStatementCommand extends Command {}
export class BatchGetCommand extends Command {}
export class DeleteCommand extends Command {}
export class PutCommand extends Command {}
export class QueryCommand extends Command {}
export class TransactWriteCommand extends Command {}
export class UpdateCommand extends Command {}
export class ConditionalCheckFailedException extends ServiceException {}
export class TransactionCanceledException extends ServiceException {}
export class DynamoDBClient extends NoClient {}
export class DynamoDBDocumentClient extends NoClient {}

/* KMS */
export class DecryptCommand extends Command {}
export class EncryptCommand extends Command {}
export class GenerateDataKeyCommand extends Command {}
export class GetPublicKeyCommand extends Command {}
export class SignCommand extends Command {}
export class KMSClient extends NoClient {}

/* SQS */
export class GetQueueAttributesCommand extends Command {}
export class SendMessageCommand extends Command {}
export class SQSClient extends NoClient {}

/* Lambda */
export class CreateAliasCommand extends Command {}
export class CreateFunctionCommand extends Command {}
export class DeleteFunctionCommand extends Command {}
export class DeleteProvisionedConcurrencyConfigCommand extends Command {}
export class GetFunctionCommand extends Command {}
export class InvokeCommand extends Command {}
export class ListVersionsByFunctionCommand extends Command {}
export class PutProvisionedConcurrencyConfigCommand extends Command {}
export class TagResourceCommand extends Command {}
export class UpdateAliasCommand extends Command {}
export class UpdateFunctionCodeCommand extends Command {}
export class UpdateFunctionConfigurationCommand extends Command {}
export class InvalidParameterValueException extends ServiceException {}
export class ResourceConflictException extends ServiceException {}
export class ResourceNotFoundException extends ServiceException {}
export class LambdaClient extends NoClient {}

/* @smithy/node-http-handler */
export class NodeHttpHandler extends NoClient {}
