// This file imports nothing: the operator's command line reads it without the functions' code.

/**
 * Flags of operator commands on the command line. `value`: the placeholder in a usage line, empty
 * for a flag without a value. `does`: the help text.
 */
export const FLAGS = {
  name: { value: 'NAME', member: 'name', does: 'name of the tenant, up to 200 characters' },
  tenant: { value: 'ID', member: 'tenant_id', does: 'id of the tenant, as list-tenants shows it' },
  confirm: { value: 'ID', member: 'confirm', does: 'the id of the tenant again' },
  'wrapped-by': {
    value: 'KEY',
    member: 'wrapped_by',
    does: 'what wraps the root key: deployment (one key for many tenants) or kms (KMS itself)',
  },
  expires: { value: 'DAYS', member: 'expires', does: 'life of the key, up to 30d (24 hours without it)' },
  target: {
    option: 'to',
    value: 'TARGET',
    member: 'target',
    does: 'a new file (mode 0600) for the key, or aws-secret:NAME for a new secret',
  },
  start: { value: '', member: 'start', does: 'begin' },
  invocation: { value: 'ID', member: 'invocation_id', does: 'id, as list-deliveries shows it' },
  'older-than': { value: 'DAYS', member: 'older_than', does: 'only keys made so long ago, such as 90d' },
  'unused-for': {
    value: 'DAYS',
    member: 'unused_for',
    does: 'only keys last used, or made, so long ago, such as 30d',
  },
  limit: { value: 'N', member: 'limit', does: 'how many at most' },
  token: { value: 'ID', member: 'token_id', does: 'id of the token' },
  form: { value: 'FORM', member: 'form', does: 'only records that saw the token so, such as reveal' },
  'without-index': { value: '', member: 'without_index', does: 'read every record of the range instead' },
  from: { value: 'TIME', member: 'from', does: 'start of the range, ISO 8601' },
  to: { value: 'TIME', member: 'to', does: 'until when, ISO 8601' },
  index: { value: '', member: 'index', does: 'also verify that each record is found by its tokens' },
  seal: { value: 'HASH', member: 'seal', does: 'the noted hash of a seal (NewestSeal in a log)' },
  key: { value: 'FILE', member: 'public_key', does: 'the public key that audit-key printed, PEM' },
  file: { value: 'FILE', member: 'file', does: 'an export, verified without AWS' },
  image: { value: 'IMAGE', member: 'image', does: 'only code that runs on it, such as node16' },
  generation: {
    option: 'to',
    value: 'GENERATION',
    member: 'generation',
    does: 'the number of an earlier version of the layer, as list-reactors shows it',
  },
  instances: {
    value: 'N',
    member: 'instances',
    does: 'the most running instances that one reactor of the tenant may ask for, up to hotInstances',
  },
  none: { value: '', member: 'none', does: 'take the permission back' },
  'dry-run': { value: '', member: 'dry_run', does: 'show what would be done, and the last time' },
  outdated: { value: '', member: 'outdated', does: 'only with another layer than that of the deployment' },
  package: {
    value: 'NAME',
    member: 'package',
    does: 'only with this package of npm in the bundle, also as a package of a package; NAME@VERSION for one version',
  },
  out: { value: 'FILE', member: 'out', does: 'a new file for the records, one JSON object per line' },
} as const;

/** The images that code of reactors can run on. */
export const IMAGE_NAMES = ['node16', 'node24'] as const;

const PART = '[A-Za-z0-9~-][A-Za-z0-9._~-]*';
const VERSION = String.raw`\d+\.\d+\.\d+(?:[-+][A-Za-z0-9.+-]+)?`;

/** Matches the name of a package of npm, and one exact version behind it. */
export const PACKAGE = new RegExp(`^(?<name>(?:@${PART}/)?${PART})(?:@(?<version>${VERSION}))?$`);

/** The most that the setting `hotInstances` can be. */
export const INSTANCES_MAX = 2_000;

/** One list contains at most this many deliveries. */
export const LIMIT_MAX = 1_000;

export type FlagName = keyof typeof FLAGS;

/** The name of a flag on the command line: flags of two commands may share one. */
export function optionOf(flag: FlagName): string {
  const named = FLAGS[flag];
  return 'option' in named ? named.option : flag;
}

/** Names the part of the audit trail that belongs to no tenant. It replaces a tenant id. */
export const DEPLOYMENT_TRAIL = 'deployment';
const OF_TRAILS: readonly string[] = ['who-saw', 'verify-audit', 'export-audit', 'rebuild-index'];

/** Whether a command accepts {@link DEPLOYMENT_TRAIL} instead of a tenant id. */
export const takesDeployment = (command: string): boolean => OF_TRAILS.includes(command);

/** Flags for the command line itself; it does not send them to the function. */
export const LOCAL_FLAGS = ['file', 'out', 'target'] as const satisfies readonly FlagName[];
export type SentFlag = Exclude<FlagName, (typeof LOCAL_FLAGS)[number]>;

/** Whether the command line sends a flag to the function. */
export const isSent = (flag: FlagName): flag is SentFlag => !LOCAL_FLAGS.some((local) => local === flag);

/**
 * The Lambda functions that run commands, by their folders. Who may invoke `operator-access` can
 * give access to a tenant, or destroy it; who may invoke only `operator` cannot.
 */
export type OperatorFunction = 'operator' | 'operator-access';

interface CommandRow {
  readonly runsIn: OperatorFunction;
  readonly needs: readonly FlagName[];
  /** The flags that may be omitted. */
  readonly takes: readonly FlagName[];
}

export const COMMANDS = {
  'create-tenant': { runsIn: 'operator-access', needs: ['name'], takes: ['wrapped-by'] },
  'create-management-key': { runsIn: 'operator-access', needs: ['tenant', 'target'], takes: ['expires'] },
  'list-tenants': { runsIn: 'operator', needs: [], takes: [] },
  'list-keys': { runsIn: 'operator', needs: ['tenant'], takes: ['older-than', 'unused-for'] },
  'check-tenant': { runsIn: 'operator', needs: ['tenant'], takes: [] },
  'rotate-keys': { runsIn: 'operator', needs: ['tenant'], takes: [] },
  'replace-root': { runsIn: 'operator', needs: ['tenant'], takes: ['start'] },
  reencrypt: { runsIn: 'operator', needs: ['tenant'], takes: [] },
  'index-cards': { runsIn: 'operator', needs: ['tenant'], takes: [] },
  'rotate-deployment-key': { runsIn: 'operator', needs: [], takes: [] },
  'rewrap-roots': { runsIn: 'operator', needs: [], takes: ['tenant', 'wrapped-by'] },
  'destroy-tenant': { runsIn: 'operator-access', needs: ['tenant', 'confirm'], takes: [] },
  health: { runsIn: 'operator', needs: [], takes: [] },
  'rotate-webhook-secret': { runsIn: 'operator', needs: ['tenant'], takes: [] },
  'list-deliveries': { runsIn: 'operator', needs: [], takes: ['limit'] },
  'resend-delivery': { runsIn: 'operator', needs: ['tenant', 'invocation'], takes: [] },
  'allow-hot': { runsIn: 'operator', needs: ['tenant'], takes: ['instances', 'none'] },
  'list-reactors': { runsIn: 'operator', needs: [], takes: ['outdated', 'image', 'package'] },
  'republish-reactors': {
    runsIn: 'operator',
    needs: [],
    takes: ['tenant', 'image', 'generation', 'dry-run'],
  },
  'who-saw': {
    runsIn: 'operator',
    needs: ['token'],
    takes: ['tenant', 'form', 'without-index', 'from', 'to'],
  },
  'verify-audit': {
    runsIn: 'operator',
    needs: [],
    takes: ['key', 'seal', 'tenant', 'from', 'to', 'index', 'file'],
  },
  'export-audit': { runsIn: 'operator', needs: ['tenant', 'out'], takes: ['from', 'to'] },
  'rebuild-index': { runsIn: 'operator', needs: ['tenant', 'from', 'to'], takes: [] },
  'audit-key': { runsIn: 'operator', needs: [], takes: [] },
} as const satisfies Readonly<Record<string, CommandRow>>;

export type CommandName = keyof typeof COMMANDS;

/** The commands that a function runs. */
export type CommandOf<Runner extends OperatorFunction> = {
  [Name in CommandName]: (typeof COMMANDS)[Name]['runsIn'] extends Runner ? Name : never;
}[CommandName];

const ACCESS = '-access';

/** The name of the function beside an operator function that runs the commands that give access. */
export const accessFunctionOf = (operatorFunction: string): string =>
  operatorFunction.endsWith(ACCESS) ? operatorFunction : `${operatorFunction}${ACCESS}`;

/** The name of the function that runs a command, beside an operator function. */
export const functionOf = (name: CommandName, operatorFunction: string): string =>
  COMMANDS[name].runsIn === 'operator' ? operatorFunction : accessFunctionOf(operatorFunction);

export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

export type FlagOf<Name extends CommandName> = (typeof COMMANDS)[Name]['needs' | 'takes'][number];

/** The flags of a command: required ones first. */
export function flagsOf(name: CommandName): readonly FlagName[] {
  const { needs, takes }: CommandRow = COMMANDS[name];
  return [...needs, ...takes];
}

/** A command with its flags, as in docs/deploy.md: `replace-root --tenant ID [--start]`. */
export function usageOf(name: CommandName): string {
  const { needs, takes }: CommandRow = COMMANDS[name];
  const written = (flag: FlagName) => `--${optionOf(flag)} ${FLAGS[flag].value}`.trim();
  return [name, ...needs.map(written), ...takes.map((flag) => `[${written(flag)}]`)].join(' ');
}
