import { AwsError, type AwsAccess, type ResourcePolicy } from '../aws-service.ts';
import { isAllowed, isAllowedToRoot } from '../iam/is-allowed.ts';
import type { Caller } from './authenticate.ts';

/**
 * DynamoDB and KMS respond with 400, every other service with 403; SQS and STS call it
 * AccessDenied.
 */
function refusalOf(service: string, action: string, message: string): AwsError {
  if (service === 'sqs' && action.startsWith('kms:')) return new AwsError('KmsAccessDenied', 400, message);
  const code = service === 'sqs' || service === 'sts' ? 'AccessDenied' : 'AccessDeniedException';
  return new AwsError(code, service === 'dynamodb' || service === 'kms' ? 400 : 403, message);
}

/**
 * Checks all accesses of a call. Throws AwsError like the service itself, and Error for a policy
 * that cannot be evaluated locally.
 */
export function authorize(
  caller: Caller,
  service: string,
  accesses: readonly AwsAccess[],
  resourcePolicyOf: (arn: string) => ResourcePolicy | undefined,
): void {
  const { role, arn } = caller;
  for (const access of accesses) {
    const resourcePolicy = resourcePolicyOf(access.resource);
    const decision =
      role === undefined
        ? isAllowedToRoot(arn, access, resourcePolicy)
        : isAllowed(role, access, { resourcePolicy });
    if (decision.allowed) continue;
    throw refusalOf(
      service,
      access.action,
      `User: ${caller.arn} is not authorized to perform: ${access.action} on resource: ${access.resource} ${decision.why}`,
    );
  }
}
