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

/** Throws if an input has a member that the stores in memory would ignore. */
export function checkMembers(input: object, known: ReadonlySet<string>): void {
  const unknown = Object.entries(input).find(([name, value]) => value !== undefined && !known.has(name));
  if (unknown !== undefined) throw validationError(`the stores in memory do not know ${unknown[0]}`);
}
