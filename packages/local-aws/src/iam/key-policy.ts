import type { AwsAccess, PolicyDocument, PolicyStatement } from '../aws-service.ts';
import type { ConditionKeys } from './conditions.ts';
import { applies } from './statements.ts';

/** What a KMS key policy says: nothing is allowed on a key that its policy does not allow. */
export type KeyPolicyVerdict = 'denied' | 'allowed' | 'delegated' | 'silent';

function awsPrincipals(principal: unknown): readonly unknown[] {
  if (principal === '*') return ['*'];
  if (typeof principal !== 'object' || principal === null || !('AWS' in principal)) return [];
  return Array.isArray(principal.AWS) ? principal.AWS : [principal.AWS];
}

type Named = 'role' | 'account' | 'nobody';

function names(statement: PolicyStatement, roleArn: string): Named {
  const accountId = roleArn.split(':')[4] ?? '';
  const principals = awsPrincipals(statement.Principal);
  if (principals.includes('*') || principals.includes(roleArn)) return 'role';
  const account = principals.some((name) => name === accountId || name === `arn:aws:iam::${accountId}:root`);
  return account ? 'account' : 'nobody';
}

/**
 * `allowed`: the policy names the role itself; `delegated`: it names the account, so identity
 * policies decide (https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html);
 * `silent`: no statement applies.
 */
export function keyPolicyVerdict(
  policy: PolicyDocument,
  roleArn: string,
  access: AwsAccess,
  keys: ConditionKeys,
): KeyPolicyVerdict {
  const applying = policy.Statement.filter(
    (statement) => names(statement, roleArn) !== 'nobody' && applies(statement, access, keys),
  );
  if (applying.some(({ Effect }) => Effect === 'Deny')) return 'denied';
  if (applying.some((statement) => names(statement, roleArn) === 'role')) return 'allowed';
  return applying.length > 0 ? 'delegated' : 'silent';
}

function servicePrincipals(principal: unknown): readonly unknown[] {
  if (typeof principal !== 'object' || principal === null || !('Service' in principal)) return [];
  return [principal.Service].flat();
}

/**
 * Whether a key policy allows an AWS service, such as `lambda.amazonaws.com`, to do something by
 * itself.
 */
export function keyPolicyAllowsService(
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
