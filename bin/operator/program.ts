import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import {
  COMMAND_NAMES,
  COMMANDS,
  DEPLOYMENT_TRAIL,
  FLAGS,
  flagsOf,
  IMAGE_NAMES,
  INSTANCES_MAX,
  isSent,
  LIMIT_MAX,
  optionOf,
  PACKAGE,
  takesDeployment,
  usageOf,
  type CommandName,
  type FlagName,
} from '../../src/operator/command-names.ts';
import { COMMAND_BEHAVIOUR, type Response } from './command-behaviour.ts';
import { UsageError } from '../command-line/failures.ts';
import { localOption } from '../command-line/local-file.ts';
import { filled } from '../command-line/values.ts';
import { parseTarget, type SecretTarget } from './secret-target.ts';
import { DEFAULT_FUNCTION } from './local-account.ts';
import { removalCommand } from './removal/removal-command.ts';
import type { RemovalOptions } from './removal/remove-deployment.ts';
import { restoreCommand, type RestoreRequest } from './restore/restore-command.ts';

/** The parsed options that every command has. */
export interface CommonRequest {
  /** Default: that of the service of `cloakroom start`, or Cloakroom-operator. */
  readonly functionName?: string;
  /** Credentials file of the service of `cloakroom start`. */
  readonly local?: string;
  readonly asJson: boolean;
}

export interface Request extends CommonRequest {
  readonly name: CommandName;
  readonly payload: Response;
  /** Flags for the command line itself. */
  readonly files: Readonly<Partial<Record<'file' | 'key' | 'out', string>>>;
  /** Where the response goes, whose secrets are never shown. */
  readonly target?: SecretTarget;
  readonly secretsTo?: string;
}

/**
 * The flags of a command line, under the names of commander's attributes: `--wrapped-by` is
 * `wrappedBy`.
 */
interface Options extends Readonly<Partial<Record<string, string | boolean | number>>> {
  readonly function?: string;
  readonly local?: string;
  readonly json?: true;
  readonly secretsTo?: string;
}

const ABOUT_CREDENTIALS = `
Uses the AWS credentials and the Region of the environment, like the AWS command line.`;

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Checks of a flag's value, besides that it is not empty. */
const CHECKS: Partial<Readonly<Record<FlagName, (text: string, command: CommandName) => unknown>>> = {
  tenant: (text, command) => {
    const orDeployment = takesDeployment(command);
    if (UUID.test(text) || (orDeployment && text === DEPLOYMENT_TRAIL)) return text;
    const other = orDeployment ? `, or ${DEPLOYMENT_TRAIL}` : '';
    throw new UsageError(`--tenant must be a tenant id (cloakroom operator list-tenants shows them)${other}`);
  },
  invocation: (text) => {
    if (UUID.test(text)) return text;
    throw new UsageError(
      '--invocation must be an invocation id (cloakroom operator list-deliveries shows them)',
    );
  },
  expires: (text) => {
    if (/^(?:[1-9]|[12]\d|30)d$/.test(text)) return text;
    throw new UsageError('--expires must be a number of days up to 30, such as 7d');
  },
  target: (text) => parseTarget('to', text),
  'older-than': days('older-than'),
  'unused-for': days('unused-for'),
  seal: (text) => {
    if (/^[\w-]{43}$/.test(text)) return text;
    throw new UsageError("--seal must be the hash of a seal, such as NewestSeal in the sealer's log");
  },
  from: time('from'),
  to: time('to'),
  generation: (text) => {
    if (/^[1-9]\d*$/.test(text)) return Number(text);
    throw new UsageError('--to must be a generation, as cloakroom operator list-reactors shows it');
  },
  image: (text) => {
    if (IMAGE_NAMES.some((image) => image === text)) return text;
    throw new UsageError(`--image must be ${IMAGE_NAMES.join(' or ')}`);
  },
  package: (text) => {
    if (PACKAGE.test(text)) return text;
    throw new UsageError(
      '--package must be a name of npm, such as node-forge, or one with an exact version (node-forge@1.3.1)',
    );
  },
  instances: (text) => {
    if (/^\d{1,4}$/.test(text) && Number(text) <= INSTANCES_MAX) return Number(text);
    throw new UsageError(`--instances must be a whole number up to ${String(INSTANCES_MAX)}`);
  },
  limit: (text) => {
    const limit = Number(text);
    if (/^\d+$/.test(text) && limit >= 1 && limit <= LIMIT_MAX) return limit;
    throw new UsageError(`--limit must be a whole number from 1 to ${String(LIMIT_MAX)}`);
  },
};

/** Checks that a flag has a number of days, such as `90d`. */
function days(flag: string) {
  return (text: string) => {
    if (/^[1-9]\d{0,3}d$/.test(text)) return text;
    throw new UsageError(`--${flag} must be a number of days, such as 90d`);
  };
}

/** An ISO 8601 time. The function checks the rest. */
function time(flag: string) {
  return (text: string) => {
    if (/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/i.test(text)) return text;
    throw new UsageError(`--${flag} must be an ISO 8601 date or time, such as 2026-01-31T12:00:00Z`);
  };
}

function optionFor(command: CommandName, flag: FlagName): Option {
  const { value, does } = FLAGS[flag];
  const option = optionOf(flag);
  if (value === '') return new Option(`--${option}`, does);
  const isTrail = flag === 'tenant' && takesDeployment(command);
  const check = (text: string) => CHECKS[flag]?.(text, command) ?? text;
  return new Option(
    `--${option} <${value}>`,
    isTrail ? `${does}, or ${DEPLOYMENT_TRAIL} for records of no tenant` : does,
  ).argParser(filled(option, check));
}

/** The value of a flag; `undefined` if the command line lacks it. */
const valueOf = (options: Options, flag: FlagName) =>
  options[new Option(`--${optionOf(flag)}`).attributeName()];

/** Commander's own check precedes that of unknown options, and would hide a misspelled one. */
function checkRequired(name: CommandName, options: Options): void {
  const needed: readonly FlagName[] = COMMANDS[name].needs;
  const missing = needed.find((flag) => valueOf(options, flag) === undefined);
  if (missing !== undefined)
    throw new UsageError(`required option '--${optionOf(missing)} <${FLAGS[missing].value}>' not specified`);
}

/** `--local health` would use the command as the name of the file. */
function noCommand(text: string): string {
  if (!COMMAND_NAMES.some((name) => name === text)) return text;
  throw new UsageError(`--local must follow the command: cloakroom operator ${text} --local`);
}

function globalOptions(): readonly Option[] {
  return [
    new Option(
      '--function <NAME>',
      `the operator function, stack output OperatorFunctionName (default: that of --local, or ${DEFAULT_FUNCTION}); commands that give access invoke the one with -access behind`,
    ).argParser(filled('function')),
    localOption(noCommand),
    new Option('--json', 'print the result as JSON'),
  ];
}

function payloadOf(name: CommandName, options: Options): Response {
  const sent = flagsOf(name).filter((flag) => isSent(flag) && flag !== 'key');
  const members = sent.map((flag) => [FLAGS[flag].member, valueOf(options, flag)] as const);
  return { command: name, ...Object.fromEntries(members) };
}

function filesOf(name: CommandName, options: Options): Request['files'] {
  const named = (['file', 'key', 'out'] as const).filter((flag) => flagsOf(name).includes(flag));
  return Object.fromEntries(
    named.flatMap((flag) => {
      const value = valueOf(options, flag);
      return typeof value === 'string' ? [[flag, resolve(value)]] : [];
    }),
  );
}

/** The parser of the option has read it already. */
function targetIn(name: CommandName, options: Options): Pick<Request, 'target'> {
  if (!flagsOf(name).includes('target')) return {};
  return { target: valueOf(options, 'target') as unknown as SecretTarget };
}

const commonOf = (options: Options): CommonRequest => ({
  ...(options.function !== undefined && { functionName: options.function }),
  asJson: options.json === true,
  ...(options.local !== undefined && { local: options.local }),
});

function commandOf(name: CommandName, run: (request: Request) => Promise<void>): Command {
  const { does, secrets } = COMMAND_BEHAVIOUR[name];
  const command = new Command(name)
    .description(does)
    .usage(`${usageOf(name).slice(name.length + 1)} [options]`.trim());
  for (const flag of flagsOf(name)) command.addOption(optionFor(name, flag));
  if (secrets !== undefined) {
    const where = 'write the secrets to a new file (mode 0600) instead of printing them';
    command.addOption(
      new Option('--secrets-to <FILE>', where).argParser(filled('secrets-to', (file) => resolve(file))),
    );
  }
  return command.action(async () => {
    const options = command.optsWithGlobals<Options>();
    checkRequired(name, options);
    await run({
      name,
      payload: payloadOf(name, options),
      ...commonOf(options),
      files: filesOf(name, options),
      ...targetIn(name, options),
      ...(options.secretsTo !== undefined && { secretsTo: options.secretsTo }),
    });
  });
}

/** `operator` with its commands, which throw {@link UsageError}. */
export function operatorProgram(
  run: (request: Request) => Promise<void>,
  restore: (request: RestoreRequest & CommonRequest) => Promise<void>,
  remove: (request: RemovalOptions & CommonRequest) => Promise<void>,
): Command {
  const program = new Command('operator').usage('COMMAND [options]');
  for (const option of globalOptions()) program.addOption(option);
  const removal = removalCommand(async (options, command) => {
    const common = commonOf(command.optsWithGlobals<Options>());
    if (common.functionName !== undefined)
      throw new UsageError('--function does not select a deployment to remove: use --service');
    await remove({ ...options, ...common });
  });
  const restoring = restoreCommand((request, command) =>
    restore({ ...request, ...commonOf(command.optsWithGlobals<Options>()) }),
  );
  for (const command of [...COMMAND_NAMES.map((name) => commandOf(name, run)), restoring, removal])
    program.addCommand(command);
  return program.addHelpText('afterAll', ABOUT_CREDENTIALS);
}
