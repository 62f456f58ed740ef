import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { buildService } from '../../lib/service.ts';
import { parseSettings } from '../../lib/settings.ts';

/** What the AWS command line would hand on: the feature flags, which change templates. */
const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8')) as {
  readonly context: Readonly<Record<string, unknown>>;
};

/** The app of a deployment with the project's feature flags, without the code of its functions. */
export function anApp(settings: Readonly<Record<string, unknown>> = {}, region?: string): App {
  const app = new App({ context: { ...context, 'aws:cdk:bundling-stacks': [] } });
  buildService(app, parseSettings(settings), region);
  return app;
}

/** Settings that put the edge in front. */
export const EDGE = {
  edge: 'cloudfront-waf',
  domainName: 'vault.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/x',
};

/** The templates of a deployment. */
export function synthesized(settings: Readonly<Record<string, unknown>> = {}, region?: string): Stack[] {
  return anApp(settings, region)
    .synth()
    .stacks.map(({ stackName, template }) => {
      const { Parameters = {}, Conditions = {}, Resources, Outputs = {} } = template;
      for (const resource of Object.values<{ Properties?: unknown }>(Resources)) resource.Properties ??= {};
      return { name: stackName, template: { Parameters, Conditions, Resources, Outputs } };
    });
}
