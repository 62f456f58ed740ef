import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Why findings of the policy packs (cdk-nag; `tools/check-policy.ts`) are meant as they are, by the
 * finding's id. They stand beside what they are about, so that whoever reads the one reads the
 * other; anything that is not acknowledged fails the test command.
 */
export function acknowledge(scope: IConstruct, reasons: Readonly<Record<string, string>>): void {
  for (const [id, reason] of Object.entries(reasons)) Validations.of(scope).acknowledge({ id, reason });
}
