import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { parseTemplate, type Template } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { WITHOUT_CODE } from '../../lib/assets.ts';
import { buildService, type DeploymentPlace } from '../../lib/service.ts';
import { parseSettings } from '../../lib/settings.ts';

/**
 * The feature flags of the project, which change templates, as the CDK's command line passes them.
 */
const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8')) as {
  readonly context: Readonly<Record<string, unknown>>;
};

/** The context of an app whose functions have no code. */
export const appContext = { ...context, [WITHOUT_CODE]: true, 'aws:cdk:disable-asset-staging': true };

interface AppOptions {
  /**
   * A synthesis compares the templates with the schemas of CloudFormation, which takes twice the
   * time.
   */
  readonly isValidated?: boolean;
  /** Added to the context of the app. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Uses the app of a deployment to inspect its templates: functions have no code. Throws for invalid
 * settings.
 */
export function withServiceApp<T>(
  settings: Readonly<Record<string, unknown>>,
  place: DeploymentPlace,
  use: (app: App) => T,
  { isValidated = false, context: more = {} }: AppOptions = {},
): T {
  const outdir = mkdtempSync(join(tmpdir(), 'cloakroom-templates-'));
  try {
    const app = new App({
      outdir,
      analyticsReporting: false,
      context: { ...appContext, ...more },
      builtinCloudFormationValidation: isValidated,
    });
    buildService(app, parseSettings(settings), place);
    return use(app);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/**
 * The templates of a deployment by the names of their stacks, in the order of a deployment, with
 * the sections and properties that they omit.
 */
export const templatesOf = (
  settings: Readonly<Record<string, unknown>>,
  region?: string,
  context?: AppOptions['context'],
): Readonly<Record<string, Template>> =>
  withServiceApp(
    settings,
    { region },
    (app) =>
      Object.fromEntries(
        app.synth().stacks.map(({ stackName, template }) => [stackName, parseTemplate(template)]),
      ),
    { context },
  );
