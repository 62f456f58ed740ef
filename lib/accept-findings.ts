import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Accepts findings of the policy packs (cdk-nag; `tools/check-policy.ts`), each with its reason by
 * the finding's id, next to the code that causes them. The test command fails on every other
 * finding.
 */
export function acceptFindings(scope: IConstruct, reasons: Readonly<Record<string, string>>): void {
  for (const [id, reason] of Object.entries(reasons)) Validations.of(scope).acknowledge({ id, reason });
}
