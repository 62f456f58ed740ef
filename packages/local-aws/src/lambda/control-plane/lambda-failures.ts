import { AwsError } from '../../aws-service.ts';

/** Failures of the Lambda API, with AWS's messages. */

export function notFound(message: string): AwsError {
  return new AwsError('ResourceNotFoundException', 404, message);
}

export function conflict(message: string): AwsError {
  return new AwsError('ResourceConflictException', 409, message);
}

export function invalidParameter(message: string): AwsError {
  return new AwsError('InvalidParameterValueException', 400, message);
}

export function busyState(state: string): AwsError {
  return conflict(
    `The operation cannot be performed at this time. The function is currently in the following state: ${state}`,
  );
}

export function revisionMismatch(resource: 'GetFunction' | 'GetAlias'): AwsError {
  return new AwsError(
    'PreconditionFailedException',
    412,
    `The Revision Id provided does not match the latest Revision Id. Call the ${resource} API to retrieve the latest Revision Id`,
  );
}

/** Throws PreconditionFailedException if the caller saw another revision. */
export function checkRevision(
  wanted: string | undefined,
  actual: string,
  resource: 'GetFunction' | 'GetAlias',
): void {
  if (wanted !== undefined && wanted !== actual) throw revisionMismatch(resource);
}
