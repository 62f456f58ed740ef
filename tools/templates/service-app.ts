import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { buildService } from '../../lib/service.ts';
import { parseSettings } from '../../lib/settings.ts';

/** The feature flags of the project, which change templates, as the CDK's command line has them. */
const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8')) as {
  readonly context: Readonly<Record<string, unknown>>;
};

/**
 * The app of a deployment, to look at its templates: functions have no code. Throws for settings
 * that are refused.
 */
export function serviceApp(settings: Readonly<Record<string, unknown>> = {}, region?: string): App {
  const app = new App({ analyticsReporting: false, context: { ...context, 'aws:cdk:bundling-stacks': [] } });
  buildService(app, parseSettings(settings), region);
  return app;
}
