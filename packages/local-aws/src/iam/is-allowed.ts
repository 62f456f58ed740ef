import type { AwsAccess, PolicyDocument, Role } from '../aws-service.ts';
import { conditionKeys, type ConditionKeys } from './conditions.ts';
import { keyPolicyVerdict } from './key-policy.ts';
import { anyStatement } from './statements.ts';

/** A refusal says `why` as the tail of AWS's own message, from "because" or "with" on. */
export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly why: string };

export interface AccessCircumstances {
  /** Condition keys of the caller and the request as a whole, such as `aws:PrincipalTag/team`. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * The policy of the KMS key that the access is about; without one, identity policies decide
   * alone.
   */
  readonly keyPolicy?: PolicyDocument;
}

const allowed: Decision = { allowed: true };

function refused(why: string): Decision {
  return { allowed: false, why };
}

function globalKeys(role: Role, access: AwsAccess): Readonly<Record<string, string>> {
  const accountId = role.arn.split(':')[4] ?? '';
  return {
    'aws:PrincipalArn': role.arn,
    'aws:PrincipalAccount': accountId,
    'aws:PrincipalType': 'AssumedRole',
    'aws:RequestedRegion': access.resource.split(':')[3] ?? '',
    // Loopback stands in for TLS: nothing leaves the machine.
    'aws:SecureTransport': 'true',
    ...(access.action.startsWith('kms:') && { 'kms:CallerAccount': accountId }),
  };
}

function explicitDeny(role: Role, access: AwsAccess, keys: ConditionKeys): Decision | undefined {
  if (anyStatement(role.policies, 'Deny', access, keys)) {
    return refused('with an explicit deny in an identity-based policy');
  }
  const boundary = role.permissionsBoundary;
  if (boundary !== undefined && anyStatement([boundary], 'Deny', access, keys)) {
    return refused('with an explicit deny in a permissions boundary');
  }
  return undefined;
}

function boundaryDecision(role: Role, access: AwsAccess, keys: ConditionKeys): Decision {
  const boundary = role.permissionsBoundary;
  if (boundary === undefined || anyStatement([boundary], 'Allow', access, keys)) return allowed;
  return refused(`because no permissions boundary allows the ${access.action} action`);
}

function identityDecision(role: Role, access: AwsAccess, keys: ConditionKeys): Decision {
  if (anyStatement(role.policies, 'Allow', access, keys)) return boundaryDecision(role, access, keys);
  return refused(`because no identity-based policy allows the ${access.action} action`);
}

/**
 * Evaluates an access of a role as AWS does inside one account: an explicit deny wins; otherwise an
 * identity policy and the permissions boundary (if any) must allow it. On a KMS key its policy must
 * allow the role by name, or name the account and so leave it to the identity policies.
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html)
 * Throws an Error naming a condition operator or policy variable that is not implemented.
 */
export function isAllowed(role: Role, access: AwsAccess, circumstances: AccessCircumstances = {}): Decision {
  const keys = conditionKeys(globalKeys(role, access), circumstances.context ?? {}, access.context ?? {});
  const denied = explicitDeny(role, access, keys);
  if (denied !== undefined) return denied;
  if (circumstances.keyPolicy === undefined) return identityDecision(role, access, keys);
  switch (keyPolicyVerdict(circumstances.keyPolicy, role.arn, access, keys)) {
    case 'denied':
      return refused('with an explicit deny in a resource-based policy');
    case 'silent':
      return refused(`because no resource-based policy allows the ${access.action} action`);
    case 'allowed':
      // A boundary limits even what a resource policy grants to the role by name.
      return boundaryDecision(role, access, keys);
    case 'delegated':
      return identityDecision(role, access, keys);
  }
}
