/** An error of DynamoDB for which its client has no class. */
export class DynamoDbError extends Error {
  readonly $metadata = { httpStatusCode: 400 };

  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

export const validationError = (message: string): DynamoDbError =>
  new DynamoDbError('ValidationException', message);
