import { AwsError } from '../aws-service.ts';
import type { DynaliteError } from './dynalite-types.ts';

const prefixes: Readonly<Record<string, string>> = {
  ValidationException: 'com.amazon.coral.validate#',
  AccessDeniedException: 'com.amazon.coral.service#',
  InternalFailure: 'com.amazon.coral.service#',
  InvalidSignatureException: 'com.amazon.coral.service#',
  MissingAuthenticationTokenException: 'com.amazon.coral.service#',
  SerializationException: 'com.amazon.coral.service#',
  UnknownOperationException: 'com.amazon.coral.service#',
  UnrecognizedClientException: 'com.amazon.coral.service#',
};

/** Returns the `__type` that an error has on the wire. */
export function wireType(code: string): string {
  return `${prefixes[code] ?? 'com.amazonaws.dynamodb.v20120810#'}${code}`;
}

export function validationFailure(message: string): AwsError {
  return new AwsError('ValidationException', 400, message);
}

/** The message about an empty key value, which belongs to an index if one is named. */
export function emptyKeyMessage(attribute: string, type: 'S' | 'B', indexName?: string): string {
  const [ofIndex, name] =
    indexName === undefined
      ? ['', `Key: ${attribute}`]
      : [
          'A value specified for a secondary index key is not supported. ',
          `IndexName: ${indexName}, IndexKey: ${attribute}`,
        ];
  return (
    `One or more parameter values are not valid. ${ofIndex}The AttributeValue for a key attribute ` +
    `cannot contain an empty ${type === 'S' ? 'string' : 'binary'} value. ${name}`
  );
}

export function notImplemented(what: string): AwsError {
  return new AwsError('UnknownOperationException', 400, `DynamoDB ${what} does not run locally.`);
}

export function tableNotFound(message = 'Requested resource not found'): AwsError {
  return new AwsError('ResourceNotFoundException', 400, message);
}

export function tableInUse(message: string): AwsError {
  return new AwsError('ResourceInUseException', 400, message);
}

/** A failure that costs capacity units: a failed condition. */
export class CostlyFailure extends AwsError {
  readonly consumedCapacity: number;

  constructor(failure: AwsError, fields: Readonly<Record<string, unknown>>, consumedCapacity: number) {
    super(failure.code, failure.status, failure.message, fields);
    this.consumedCapacity = consumedCapacity;
  }
}

function isDynaliteError(error: unknown): error is DynaliteError {
  return typeof error === 'object' && error !== null && 'statusCode' in error && 'body' in error;
}

/**
 * Turns an error of dynalite into an AwsError; a fault of dynalite or of this package is unchanged.
 */
export function toFailure(error: unknown): Error {
  if (!isDynaliteError(error)) return error instanceof Error ? error : new Error(String(error));
  const { __type, message, Message } = error.body;
  return new AwsError(__type.slice(__type.indexOf('#') + 1), error.statusCode, message ?? Message ?? '');
}
