import type { AwsAccess, ResourcePolicy, Role } from '../aws-service.ts';
import { conditionKeys, type ConditionKeys } from './conditions.ts';
import { resourcePolicyVerdict } from './resource-policy.ts';
import { anyStatement } from './statements.ts';

/** `why` is the end of AWS's own message, from "because" or "with" on. */
export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly why: string };

export interface AccessCircumstances {
  /**
   * Condition keys that describe the caller and the request as a whole, such as
   * `aws:PrincipalTag/team`.
   */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
  /** The policy of the resource; without one, only identity policies decide. */
  readonly resourcePolicy?: ResourcePolicy | undefined;
}

const allowed: Decision = { allowed: true };

function refused(why: string): Decision {
  return { allowed: false, why };
}

const deniedByResource = refused('with an explicit deny in a resource-based policy');

function globalKeys(
  callerArn: string,
  type: 'AssumedRole' | 'Account',
  access: AwsAccess,
): Readonly<Record<string, string>> {
  const accountId = callerArn.split(':')[4] ?? '';
  return {
    'aws:PrincipalArn': callerArn,
    'aws:PrincipalAccount': accountId,
    'aws:PrincipalType': type,
    'aws:RequestedRegion': access.resource.split(':')[3] ?? '',
    // Loopback counts as TLS: nothing leaves the machine.
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
 * Evaluates an access of a role like AWS inside one account: an explicit deny wins; otherwise an
 * identity policy and the permissions boundary (if any) must allow it. The policy of a resource can
 * also allow the role by name. That of a KMS key must do so, or name the account and so leave it to
 * the identity policies.
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html)
 * Throws an Error naming a condition operator or policy variable that is not implemented.
 */
export function isAllowed(role: Role, access: AwsAccess, circumstances: AccessCircumstances = {}): Decision {
  const { context = {}, resourcePolicy } = circumstances;
  const keys = conditionKeys(globalKeys(role.arn, 'AssumedRole', access), context, access.context ?? {});
  const denied = explicitDeny(role, access, keys);
  if (denied !== undefined) return denied;
  if (resourcePolicy === undefined) return identityDecision(role, access, keys);
  switch (resourcePolicyVerdict(resourcePolicy.document, role.arn, access, keys)) {
    case 'denied':
      return deniedByResource;
    case 'silent':
      return resourcePolicy.isRequired
        ? refused(`because no resource-based policy allows the ${access.action} action`)
        : identityDecision(role, access, keys);
    case 'allowed':
      // A boundary limits even what a resource policy grants to the role by name.
      return boundaryDecision(role, access, keys);
    case 'delegated':
      return identityDecision(role, access, keys);
  }
}

/**
 * Evaluates an access of the account's root, which may do everything that no resource policy
 * denies. It can always delete the policy of a table, so that no table is lost.
 * (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DeleteResourcePolicy.html)
 */
export function isAllowedToRoot(
  rootArn: string,
  access: AwsAccess,
  resourcePolicy: ResourcePolicy | undefined,
): Decision {
  if (resourcePolicy === undefined || access.action === 'dynamodb:DeleteResourcePolicy') return allowed;
  const keys = conditionKeys(globalKeys(rootArn, 'Account', access), access.context ?? {});
  const verdict = resourcePolicyVerdict(resourcePolicy.document, rootArn, access, keys);
  return verdict === 'denied' ? deniedByResource : allowed;
}
