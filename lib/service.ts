import type { App } from 'aws-cdk-lib';
import { ApiStack } from './api-stack.ts';
import { DataStack } from './data-stack.ts';
import { edgeSecretValues } from './edge-secret-values.ts';
import { EDGE_REGION, firewallStackName } from './deployment-names.ts';
import { EdgeStack, FirewallStack } from './edge-stack.ts';
import { MonitoringStack } from './monitoring-stack.ts';
import { OperationsStack } from './operations-stack.ts';
import { ReactorStack } from './reactor-stack.ts';
import { parseSettings, SettingsError, type Settings } from './settings.ts';

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

/** CloudFront and its firewall in front of the API. The firewall is in a separate region. */
function buildEdge(
  app: App,
  settings: Settings,
  region: string | undefined,
  api: ApiStack,
  secretValue: string,
) {
  if (region === undefined)
    throw new SettingsError('setting edge needs a region: set AWS_REGION, or deploy with a profile');
  const name = settings.serviceName;
  const account = process.env['CDK_DEFAULT_ACCOUNT'];
  const accountOf = account === undefined ? {} : { account };
  const firewall = new FirewallStack(app, `${name}-Firewall`, {
    description: 'Cloakroom: rules of the edge',
    // Services of several Regions have theirs in the same one.
    stackName: firewallStackName(name, region),
    settings,
    env: { region: EDGE_REGION, ...accountOf },
  });
  new EdgeStack(app, `${name}-Edge`, {
    description: 'Cloakroom: CloudFront in front of the API',
    settings,
    api: api.api,
    firewallArn: firewall.arn,
    secretValue,
    env: { region, ...accountOf },
  });
}

/** All stacks of one deployment. `region` is its region, if known. */
export function buildService(app: App, settings: Settings, region?: string): void {
  const name = settings.serviceName;
  const hasEdge = settings.edge !== 'none';
  const account = process.env['CDK_DEFAULT_ACCOUNT'];
  // Stacks of a known region can refer to those of another; without an edge they fit any region.
  const place =
    hasEdge && region !== undefined ? { env: { region, ...(account !== undefined && { account }) } } : {};
  const data = new DataStack(app, `${name}-Data`, {
    description: 'Cloakroom: tables and key',
    settings,
    ...place,
  });
  const reactors = new ReactorStack(app, `${name}-Reactors`, {
    description: 'Cloakroom: reactors',
    ...place,
    settings,
    data,
  });
  const rest = { settings, data, reactors, ...place };
  const api = new ApiStack(app, `${name}-Api`, { description: 'Cloakroom: HTTP API and functions', ...rest });
  const operations = new OperationsStack(app, `${name}-Operations`, {
    description: 'Cloakroom: operator and sweep',
    ...rest,
  });
  new MonitoringStack(app, `${name}-Monitoring`, {
    description: 'Cloakroom: alarms and dashboard',
    ...place,
    settings,
    data,
    watched: {
      serviceName: name,
      api: api.api,
      apiFunctions: [...api.functions, reactors.api.lambda],
      workers: reactors.workers,
      sweeper: operations.sweeper,
      auditSealer: operations.auditSealer,
      operator: operations.operator,
      tables: [data.tokens, data.ephemeral, data.access, data.reactors],
      auditTables: [data.audit, data.auditIndex, data.auditSeals],
      indexes: data.indexes,
      invocations: reactors.invocations,
      deliveries: reactors.deliveries,
    },
  });
  const [secretValue] = edgeSecretValues(settings, data.edgeSecret);
  if (secretValue !== undefined) buildEdge(app, settings, region, api, secretValue);
}
