import type { Construct } from 'constructs';
import cdkJson from '../../../cdk.json' with { type: 'json' };

/**
 * Sets the feature flags with which the templates are tested, for everything below a construct. Of
 * an app that sets others, the same stacks would get strong exports and other key policies.
 */
export function setFeatureFlags({ node }: Construct): void {
  for (const [flag, value] of Object.entries(cdkJson.context)) node.setContext(flag, value);
}
