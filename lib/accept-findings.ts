import { Stack, Token, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Accepts findings of the policy packs by id, each with its reason, next to the code that causes
 * them. `npm test` fails on every other finding (cdk-nag; `tools/check-policy.ts`).
 */
export function acceptFindings(scope: IConstruct, reasons: Readonly<Record<string, string>>): void {
  for (const [id, reason] of Object.entries(reasons)) Validations.of(scope).acknowledge({ id, reason });
}

/** The names of a stack's partition, account and Region in findings. */
export function namesInFindings(scope: IConstruct) {
  const { partition, region, account } = Stack.of(scope);
  const named = (value: string, name: string) => (Token.isUnresolved(value) ? `<AWS::${name}>` : value);
  return {
    partition: named(partition, 'Partition'),
    region: named(region, 'Region'),
    account: named(account, 'AccountId'),
  };
}
