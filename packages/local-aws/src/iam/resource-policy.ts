import type { AwsAccess, PolicyDocument, PolicyStatement } from '../aws-service.ts';
import type { ConditionKeys } from './conditions.ts';
import { applies } from './statements.ts';

/** The policy of a resource, such as a KMS key or a table, decides so about an access. */
export type ResourcePolicyVerdict = 'denied' | 'allowed' | 'delegated' | 'silent';

function awsPrincipals(principal: unknown): readonly unknown[] {
  if (principal === '*') return ['*'];
  if (typeof principal !== 'object' || principal === null || !('AWS' in principal)) return [];
  return Array.isArray(principal.AWS) ? principal.AWS : [principal.AWS];
}

type Named = 'caller' | 'account' | 'other';

function names(statement: PolicyStatement, callerArn: string): Named {
  const accountId = callerArn.split(':')[4] ?? '';
  const principals = awsPrincipals(statement.Principal);
  if (principals.includes('*') || principals.includes(callerArn)) return 'caller';
  const account = principals.some((name) => name === accountId || name === `arn:aws:iam::${accountId}:root`);
  return account ? 'account' : 'other';
}

/**
 * The caller is a role or the root. `silent`: no statement applies. `delegated`: identity policies
 * decide (https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html).
 */
export function resourcePolicyVerdict(
  policy: PolicyDocument,
  callerArn: string,
  access: AwsAccess,
  keys: ConditionKeys,
): ResourcePolicyVerdict {
  const applying = policy.Statement.filter(
    (statement) => names(statement, callerArn) !== 'other' && applies(statement, access, keys),
  );
  if (applying.some(({ Effect }) => Effect === 'Deny')) return 'denied';
  if (applying.some((statement) => names(statement, callerArn) === 'caller')) return 'allowed';
  return applying.length > 0 ? 'delegated' : 'silent';
}

function servicePrincipals(principal: unknown): readonly unknown[] {
  if (typeof principal !== 'object' || principal === null || !('Service' in principal)) return [];
  return [principal.Service].flat();
}

/**
 * Whether the policy of a resource allows an AWS service, such as `lambda.amazonaws.com`, an access
 * of its own.
 */
export function resourcePolicyAllowsService(
  policy: PolicyDocument,
  service: string,
  access: AwsAccess,
  keys: ConditionKeys,
): boolean {
  const applying = policy.Statement.filter(
    (statement) =>
      servicePrincipals(statement.Principal).includes(service) && applies(statement, access, keys),
  );
  return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
}
