import { Stack, Tags, type App } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ApiStack } from './api-stack.ts';
import { BackupStack } from './backup-stack.ts';
import { ConsoleStack } from './console-stack.ts';
import { DataStack } from './data-stack.ts';
import { edgeSecretValues } from './edge-secret-values.ts';
import { backupStackName, EDGE_REGION, firewallStackName, siteStackName } from './deployment-names.ts';
import { EdgeStack, FirewallStack } from './edge-stack.ts';
import { FieldsStack } from './fields-stack.ts';
import { MonitoringStack } from './monitoring-stack.ts';
import { OperationsStack } from './operations-stack.ts';
import { ReactorStack } from './reactor-stack.ts';
import { parseSettings, requireElsewhere, SettingsError, type Settings } from './settings.ts';

/**
 * Settings are the context entries with a plain name; entries of the CDK itself contain `:`, `@` or
 * `-`.
 */
export function settingsOf(app: App): Settings {
  const context = app.node.getAllContext() as Readonly<Record<string, unknown>>;
  return parseSettings(
    Object.fromEntries(Object.entries(context).filter(([name]) => /^[a-zA-Z]+$/.test(name))),
  );
}

/** The account and Region of a deployment, as far as they are known. */
export interface DeploymentPlace {
  readonly region?: string | undefined;
  readonly account?: string | undefined;
  /**
   * The stacks name this place, if it is known. Without it they fit any place, unless a setting
   * needs another Region.
   */
  readonly isFixed?: boolean;
}

/**
 * API Gateway reads the certificate of a domain in its own Region, and alarms publish to a topic of
 * theirs.
 */
function requireHere(settings: Settings, { region }: DeploymentPlace): void {
  const { edge, certificateArn, alarmTopicArn } = settings;
  const arns = { ...(edge === 'none' && { certificateArn }), alarmTopicArn };
  for (const [name, arn] of Object.entries(arns)) {
    const [, , , found] = arn.split(':');
    if (region !== undefined && found !== undefined && found !== region)
      throw new SettingsError(
        `setting ${name} must be in ${region}, the Region of the service, and is in ${found}`,
      );
  }
}

/** The stacks that every deployment has. */
export interface ServiceStacks {
  readonly api: ApiStack;
  readonly operations: OperationsStack;
  readonly monitoring: MonitoringStack;
}

const accountOf = ({ account }: DeploymentPlace) => (account === undefined ? {} : { account });

/** The name of a stack in the Region of CloudFront has the Region of the service. */
function requireRegion(setting: string, { region, isFixed = false }: DeploymentPlace): string {
  if (region !== undefined) return region;
  const remedy = isFixed
    ? 'name it as env of the Stack or Stage'
    : 'set AWS_REGION, or deploy with a profile';
  throw new SettingsError(`setting ${setting} needs a region: ${remedy}`);
}

/** Sites of static files. They refer to no other stack, and none refers to them. */
const SITE_STACKS = [
  { site: 'Console', setting: 'console', description: 'Cloakroom: console', SiteStack: ConsoleStack },
  { site: 'Fields', setting: 'fields', description: 'Cloakroom: card fields', SiteStack: FieldsStack },
] as const;

function buildSites(scope: Construct, settings: Settings, place: DeploymentPlace): void {
  const name = settings.serviceName;
  for (const { site, setting, description, SiteStack } of SITE_STACKS)
    if (settings[setting] !== '')
      new SiteStack(scope, `${name}-${site}`, {
        description,
        stackName: siteStackName(name, site, requireRegion(setting, place)),
        settings,
        serviceRegion: requireRegion(setting, place),
        env: { region: EDGE_REGION, ...accountOf(place) },
      });
}

/** CloudFront and its firewall in front of the API. The firewall is in a separate region. */
function buildEdge(
  scope: Construct,
  settings: Settings,
  place: DeploymentPlace,
  api: ApiStack,
  secretValue: string,
) {
  const region = requireRegion('edge', place);
  const name = settings.serviceName;
  const firewall = new FirewallStack(scope, `${name}-Firewall`, {
    description: 'Cloakroom: rules of the edge',
    // Services of several Regions have theirs in the same one.
    stackName: firewallStackName(name, region),
    settings,
    serviceRegion: region,
    env: { region: EDGE_REGION, ...accountOf(place) },
  });
  new EdgeStack(scope, `${name}-Edge`, {
    stackName: `${name}-Edge`,
    description: 'Cloakroom: CloudFront in front of the API',
    settings,
    api: api.api,
    firewallArn: firewall.arn,
    secretValue,
    env: { region, ...accountOf(place) },
  });
}

/** The CDK also passes the tags of a stack to CloudFormation, which tags the stack itself. */
function tagStacks(scope: Construct, { tags }: Settings): void {
  const stacks = scope.node.children.filter((child) => Stack.isStack(child));
  for (const tag of tags) {
    const end = tag.indexOf('=');
    for (const stack of stacks) Tags.of(stack).add(tag.slice(0, end), tag.slice(end + 1));
  }
}

/** All stacks of one deployment. Their names do not depend on the scope, such as a stage. */
export function buildService(
  scope: Construct,
  settings: Settings,
  place: DeploymentPlace = {},
): ServiceStacks {
  const { serviceName: name, edge } = settings;
  const { region, isFixed = false } = place;
  requireHere(settings, place);
  requireElsewhere(settings, place);
  // Stacks of a known region can refer to those of another; without an edge they fit any region.
  const env =
    (isFixed || edge !== 'none') && region !== undefined ? { env: { region, ...accountOf(place) } } : {};
  const named = (part: string) => ({ stackName: `${name}-${part}`, ...env });
  const data = new DataStack(scope, `${name}-Data`, {
    ...named('Data'),
    description: 'Cloakroom: tables and key',
    settings,
  });
  const reactors = new ReactorStack(scope, `${name}-Reactors`, {
    ...named('Reactors'),
    description: 'Cloakroom: reactors',
    settings,
    data,
  });
  const rest = { settings, data, reactors };
  const api = new ApiStack(scope, `${name}-Api`, {
    ...named('Api'),
    description: 'Cloakroom: HTTP API and functions',
    ...rest,
  });
  const operations = new OperationsStack(scope, `${name}-Operations`, {
    ...named('Operations'),
    description: 'Cloakroom: operator and sweep',
    ...rest,
  });
  const monitoring = new MonitoringStack(scope, `${name}-Monitoring`, {
    ...named('Monitoring'),
    description: 'Cloakroom: alarms and dashboard',
    settings,
    data,
    watched: {
      serviceName: name,
      api: api.api,
      prompt: api.prompt,
      apiFunctions: [...api.functions, reactors.api.lambda],
      workers: reactors.workers,
      sweeper: operations.sweeper,
      auditSealer: operations.auditSealer,
      operator: operations.operator,
      reactorPrefix: reactors.functionPrefix,
      tables: [data.tokens, data.ephemeral, data.access, data.reactors],
      auditTables: [data.audit, data.auditIndex, data.auditSeals],
      indexes: data.indexes,
      invocations: reactors.invocations,
      deliveries: reactors.deliveries,
    },
  });
  const [secretValue] = edgeSecretValues(settings, data.edgeSecret);
  if (secretValue !== undefined) buildEdge(scope, settings, place, api, secretValue);
  if (settings.backup !== 'none')
    new BackupStack(scope, `${name}-Backup`, {
      ...env,
      stackName: backupStackName(name),
      description: 'Cloakroom: copies of the tables elsewhere',
      settings,
      data,
    });
  buildSites(scope, settings, place);
  tagStacks(scope, settings);
  return { api, operations, monitoring };
}
