import { createHash } from 'node:crypto';
import type { Settings } from '../../../../lib/settings.ts';
import type { Template } from '../../../local-aws/src/assembly/read-assembly.ts';

interface Place {
  /** Functions have it in this variable. */
  readonly variable?: string;
  /** All resources of a type have it in a property. */
  readonly type?: string;
  readonly path?: readonly string[];
  /** Functions with a custom runtime have it in a property. */
  readonly inProcesses?: readonly string[];
  /** Why a person cannot choose it. */
  readonly refused?: string;
}

const ONLY_ON_AWS: Place = { refused: 'it changes what only AWS has' };
/** The start gives it to its pages, and the templates do not have it. */
const OF_PAGES: Place = {};
const STAGE = 'AWS::ApiGatewayV2::Stage';

/** The place of each setting in the templates. */
const PLACES: Readonly<Record<keyof Settings, Place>> = {
  serviceName: { refused: 'the built app has the names of Cloakroom' },
  headerPrefixes: { variable: 'HEADER_PREFIXES' },
  clientCompatibility: { variable: 'CLIENT_COMPATIBILITY' },
  cvcLifetimeSeconds: { variable: 'CVC_LIFETIME_SECONDS' },
  egressAllowList: { variable: 'EGRESS_ALLOW_LIST' },
  proxyRedirects: { variable: 'PROXY_REDIRECTS' },
  architecture: {
    variable: 'REACTOR_ARCHITECTURE',
    type: 'AWS::Lambda::LayerVersion',
    path: ['CompatibleArchitectures', '0'],
    inProcesses: ['Architectures', '0'],
    refused: 'functions run on this machine',
  },
  reactorImages: { variable: 'REACTOR_IMAGES' },
  reactorPackages: { variable: 'REACTOR_PACKAGES' },
  hotConcurrency: { variable: 'HOT_CONCURRENCY' },
  hotInstances: { variable: 'HOT_INSTANCES' },
  reactorsPerTenant: { variable: 'REACTORS_PER_TENANT' },
  deployment: ONLY_ON_AWS,
  throttleRate: { type: STAGE, path: ['DefaultRouteSettings', 'ThrottlingRateLimit'] },
  throttleBurst: { type: STAGE, path: ['DefaultRouteSettings', 'ThrottlingBurstLimit'] },
  edge: ONLY_ON_AWS,
  edgeRateLimit: ONLY_ON_AWS,
  edgeKeyRateLimit: ONLY_ON_AWS,
  edgePublicKeyRateLimit: ONLY_ON_AWS,
  edgeSecretVersions: ONLY_ON_AWS,
  domainName: ONLY_ON_AWS,
  certificateArn: ONLY_ON_AWS,
  console: { refused: 'a start serves the console by itself' },
  consoleCertificateArn: ONLY_ON_AWS,
  consoleNetworks: ONLY_ON_AWS,
  fields: { refused: 'a start serves card fields by itself' },
  fieldsCertificateArn: ONLY_ON_AWS,
  fieldsOrigins: OF_PAGES,
  fieldsDigits: OF_PAGES,
  fieldsFonts: OF_PAGES,
  docsUrl: { variable: 'DOCS_URL' },
  alarms: ONLY_ON_AWS,
  alarmEmail: ONLY_ON_AWS,
  alarmTopicArn: ONLY_ON_AWS,
  alarmReveals: ONLY_ON_AWS,
  alarmSilence: ONLY_ON_AWS,
  concurrencyQuota: ONLY_ON_AWS,
  reservedConcurrency: ONLY_ON_AWS,
  warmThroughput: ONLY_ON_AWS,
  tableMaxWrites: ONLY_ON_AWS,
  keyRotationDays: { variable: 'KEY_ROTATION_DAYS' },
  auditRetentionDays: { variable: 'AUDIT_RETENTION_DAYS' },
  logRetentionDays: { type: 'AWS::Logs::LogGroup', path: ['RetentionInDays'] },
  backup: ONLY_ON_AWS,
  backupCopyTo: ONLY_ON_AWS,
  backupRetentionDays: ONLY_ON_AWS,
  tags: ONLY_ON_AWS,
};

const isSetting = (name: string): name is keyof Settings => Object.hasOwn(PLACES, name);

/** Why a setting cannot be chosen for a built app that runs here; `undefined` if it can. */
export const refusalOf = (name: string): string | undefined =>
  isSetting(name) ? PLACES[name].refused : undefined;

type Members = Record<string, unknown>;

const membersAt = (value: unknown, name: string): Members | undefined => {
  const found: unknown = (value as Members | undefined)?.[name];
  return typeof found === 'object' && found !== null ? (found as Members) : undefined;
};

/** Changes the variable of a function that has it. Returns whether it did. */
function layVariable(properties: Members, name: string, text: string): boolean {
  const variables = membersAt(membersAt(properties, 'Environment'), 'Variables');
  if (variables === undefined || !Object.hasOwn(variables, name) || variables[name] === text) return false;
  variables[name] = text;
  return true;
}

function layProperty(properties: Members, path: readonly string[], value: unknown): void {
  const [last = '', ...parents] = path.toReversed();
  const holder = parents.toReversed().reduce<Members | undefined>(membersAt, properties);
  if (holder !== undefined && Object.hasOwn(holder, last)) holder[last] = value;
}

/** Another function has another version, whose id the CDK ends with a hash. */
function renameVersions(template: Template, changed: ReadonlyMap<string, string>): Template {
  let text = JSON.stringify(template);
  for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
    const ofFunction = membersAt(Properties, 'FunctionName')?.['Ref'];
    const change = typeof ofFunction === 'string' ? changed.get(ofFunction) : undefined;
    if (Type !== 'AWS::Lambda::Version' || change === undefined) continue;
    const hash = createHash('sha256').update(id).update(change).digest('hex').slice(0, 32);
    text = text.replaceAll(id, id.slice(0, -hash.length) + hash);
  }
  return JSON.parse(text) as Template;
}

/**
 * The template of a stack with settings, which was synthesized with the defaults. `chosen` names
 * the settings that differ from them.
 */
export function laySettings(template: Template, settings: Settings, chosen: readonly string[]): Template {
  const laid = structuredClone(template);
  const changed = new Map<string, string>();
  for (const name of chosen.filter(isSetting)) {
    const { variable, type, path = [], inProcesses = [] } = PLACES[name];
    const text = String(settings[name]);
    for (const [id, { Type, Properties }] of Object.entries(laid.Resources)) {
      if (type === Type) layProperty(Properties, path, settings[name]);
      if (Properties['Runtime'] === 'provided.al2023') layProperty(Properties, inProcesses, settings[name]);
      if (variable !== undefined && layVariable(Properties, variable, text))
        changed.set(id, `${changed.get(id) ?? ''}${name}=${text}\n`);
    }
  }
  const { ApiKeyHeader: header } = laid.Outputs;
  if (header !== undefined) header.Value = `${settings.headerPrefixes[0] ?? ''}-API-KEY`;
  return renameVersions(laid, changed);
}
