import type { Account } from '../assembly/account.ts';
import type { CloudParts } from '../assembly/cloud-parts.ts';
import type { RoleRegistry } from '../iam/role-registry.ts';
import { conditionKeys } from '../iam/conditions.ts';
import { isAllowed } from '../iam/is-allowed.ts';
import { resourcePolicyAllowsService } from '../iam/resource-policy.ts';
import type { StorageFailure } from '../storage-failure.ts';
import type { Kms } from '../kms/create-kms.ts';
import { createLambda, type Lambda } from './create-lambda.ts';
import type { InvocationObserver } from './function-pool.ts';

function mayWriteLogs(
  { region, accountId }: Account,
  roles: RoleRegistry,
  roleArn: string,
  logGroup: string,
): boolean {
  const resource = `arn:aws:logs:${region}:${accountId}:log-group:${logGroup}:log-stream:local`;
  return isAllowed(roles.role(roleArn), { action: 'logs:PutLogEvents', resource }).allowed;
}

/** Lambda encrypts code itself, so the key's policy must name it. */
function canEncrypt({ region, accountId }: Account, kms: Kms, keyArn: string, functionArn: string): boolean {
  const policy = kms.resourcePolicy(keyArn)?.document;
  if (policy === undefined) return false;
  const keys = conditionKeys({
    'aws:SourceAccount': accountId,
    'aws:SourceArn': functionArn,
    'kms:EncryptionContext:aws:lambda:FunctionArn': functionArn,
    'kms:EncryptionContextKeys': ['aws:lambda:FunctionArn'],
    'kms:ViaService': `lambda.${region}.amazonaws.com`,
  });
  return ['kms:GenerateDataKey', 'kms:Decrypt'].every((action) =>
    resourcePolicyAllowsService(policy, 'lambda.amazonaws.com', { action, resource: keyArn }, keys),
  );
}

interface StartedServices {
  readonly kms: Kms;
  /** Receives the output of functions whose role may write logs, in pieces. */
  readonly log: (functionName: string, text: string) => void;
  readonly observerOf: (functionName: string) => InvocationObserver;
  /** Directory of the functions of CreateFunction; without it they live in memory. */
  readonly dataDir?: string;
  readonly storageFailure: StorageFailure;
  /** Receives the output of functions whose role may not write logs. Default: it is dropped. */
  readonly onUnlogged?: (functionName: string, text: string) => void;
}

/**
 * Starts Lambda's control plane and invocations, with the roles, layers and functions of the app.
 */
export function startLambda(
  account: Account,
  { functions, layers, roles }: CloudParts,
  { kms, ...rest }: StartedServices,
): Promise<Lambda> {
  const { accountId, region } = account;
  return createLambda({
    accountId,
    region,
    ...rest,
    functions,
    layers,
    credentialsFor: (roleArn) => roles.credentialsFor(roleArn),
    canAssume: (roleArn) => roles.has(roleArn) && roles.trusts(roleArn, 'lambda.amazonaws.com'),
    canEncrypt: (keyArn, functionArn) => canEncrypt(account, kms, keyArn, functionArn),
    mayWriteLogs: (roleArn, logGroup) => mayWriteLogs(account, roles, roleArn, logGroup),
  });
}
