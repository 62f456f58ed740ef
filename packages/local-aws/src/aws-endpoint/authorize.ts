import { AwsError, type AwsAccess, type PolicyDocument } from '../aws-service.ts';
import { isAllowed } from '../iam/is-allowed.ts';
import type { Caller } from './authenticate.ts';

/**
 * DynamoDB and KMS refuse with 400, every other service with 403; SQS and STS call it AccessDenied.
 */
function refusalOf(service: string, action: string, message: string): AwsError {
  if (service === 'sqs' && action.startsWith('kms:')) return new AwsError('KmsAccessDenied', 400, message);
  const code = service === 'sqs' || service === 'sts' ? 'AccessDenied' : 'AccessDeniedException';
  return new AwsError(code, service === 'dynamodb' || service === 'kms' ? 400 : 403, message);
}

/**
 * Checks that the caller may do all that a call needs. Throws AwsError as the service itself
 * refuses, and Error for a policy that cannot be evaluated locally.
 */
export function authorize(
  caller: Caller,
  service: string,
  accesses: readonly AwsAccess[],
  keyPolicy: (resource: string) => PolicyDocument | undefined,
): void {
  const { role } = caller;
  if (role === undefined) return;
  for (const access of accesses) {
    // Other services need keys as well, such as SQS for an encrypted queue.
    const policy = access.action.startsWith('kms:') ? keyPolicy(access.resource) : undefined;
    const decision = isAllowed(role, access, policy === undefined ? {} : { keyPolicy: policy });
    if (decision.allowed) continue;
    throw refusalOf(
      service,
      access.action,
      `User: ${caller.arn} is not authorized to perform: ${access.action} on resource: ${access.resource} ${decision.why}`,
    );
  }
}
