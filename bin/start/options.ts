import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { UsageError } from '../command-line/failures.ts';
import { requireApp } from '../command-line/synthesized-app.ts';
import { repeatableOption } from '../command-line/values.ts';

export interface StartOptions {
  /** 0 selects a free port. */
  readonly port: number;
  /** Keeps state across starts; without it state is in memory. */
  readonly dataDirectory?: string;
  /**
   * Default: `.local/credentials.json`, or a file named by the port while another service uses
   * that.
   */
  readonly credentialsFile?: string;
  /** The length of a scheduled minute. */
  readonly tickSeconds: number;
  /** Deploy settings by name, as for `cdk deploy --context`: strings, lists separated by commas. */
  readonly settings: Readonly<Record<string, string>>;
  /** A synthesized app to run in place of this one. */
  readonly appDirectory?: string;
  /** The stage of that app to run, such as `Production`. */
  readonly stage?: string;
  /** An OpenAPI document against which every response is checked. */
  readonly contractFile?: string;
  /**
   * Faults to inject as soon as the service is ready (see
   * `packages/local-aws/src/faults/fault.ts`).
   */
  readonly faults: readonly string[];
  readonly faultSeed: number;
  /** PEM files whose certificates the service accepts from receivers and destinations. */
  readonly trust: readonly string[];
  /** Fills the vault of the first tenant with sample data. */
  readonly sample: boolean;
  readonly verbose: boolean;
}

/** The options as commander names them. */
interface Parsed {
  readonly port?: number;
  readonly data?: string;
  readonly credentials?: string;
  readonly tick?: number;
  readonly set?: readonly (readonly [name: string, value: string])[];
  readonly app?: string;
  readonly stage?: string;
  readonly contract?: string;
  readonly fault?: readonly string[];
  readonly faultSeed?: number;
  readonly trust?: readonly string[];
  readonly sample?: true;
  readonly verbose?: true;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not ${text}`);
  return port;
}

function parseTick(text: string): number {
  const seconds = Number(text);
  // Timers count milliseconds in 31 bits.
  if (text.trim() === '' || !(seconds >= 0.001 && seconds <= 2_000_000))
    throw new UsageError(`--tick must be a number of seconds over 0, not ${text}`);
  return seconds;
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed >= 2 ** 32)
    throw new UsageError(`--fault-seed must be a whole number below 2^32, not ${text}`);
  return seed;
}

const path = (name: string) => (text: string) => {
  if (text === '') throw new UsageError(`--${name} needs a path`);
  return resolve(text);
};

function parseSetting(entry: string): readonly [name: string, value: string] {
  const equals = entry.indexOf('=');
  if (equals < 1) throw new UsageError(`--set needs NAME=VALUE, not ${entry}`);
  return [entry.slice(0, equals), entry.slice(equals + 1)];
}

const parsedOption = (flags: string, does: string, parse: (text: string) => unknown) => {
  const option = new Option(flags, does);
  return option.argParser(parse);
};

const OPTIONS = (): readonly Option[] => [
  parsedOption(
    '--port <N>',
    'port of the API (default 8787; 0: a free one); the pages have the next four',
    parsePort,
  ),
  parsedOption(
    '--data <DIR>',
    'store tables, keys, queues, reactors and the first tenant in DIR (default: in memory)',
    path('data'),
  ),
  parsedOption(
    '--credentials <FILE>',
    'file for the addresses and keys (default .local/credentials.json)',
    path('credentials'),
  ),
  parsedOption('--tick <SECONDS>', 'length of a scheduled minute (default 60)', parseTick),
  repeatableOption(
    '--set <NAME=VALUE>',
    'a deploy setting; repeat it for more, separate list items by commas',
    parseSetting,
  ),
  parsedOption('--app <DIR>', 'run a synthesized app (cdk.out) in place of this one', path('app')),
  parsedOption(
    '--stage <NAME>',
    'the stage of that app to run, if it is the app of a pipeline',
    (name) => name,
  ),
  parsedOption(
    '--contract <FILE>',
    'log every response that an OpenAPI document (docs/openapi.json) does not allow',
    path('contract'),
  ),
  repeatableOption(
    '--fault <FAULT>',
    'a fault to inject, such as dynamodb:throttle:0.3; repeat it for more (docs/local.md)',
    (fault) => fault,
  ),
  parsedOption(
    '--fault-seed <N>',
    'seed of the random draws of these faults and of those set later (default 1)',
    parseSeed,
  ),
  repeatableOption(
    '--trust <FILE>',
    'accept the certificates of a PEM file from webhook receivers and proxy destinations',
    path('trust'),
  ),
  new Option('--sample', 'fill the vault with sample data, to look at in the console'),
  new Option('--verbose', 'print the logs of the functions instead of writing them to files'),
];

/** Checks the settings with the code of the stacks, which only a start with settings needs here. */
async function settingsOf(entries: NonNullable<Parsed['set']>): Promise<Record<string, string>> {
  const twice = entries.find(([name], at) => entries.findIndex((other) => other[0] === name) < at);
  if (twice !== undefined) throw new UsageError(`--set ${twice[0]} appears twice`);
  const chosen = Object.fromEntries(entries);
  const { refusalOf } = await import('./local-app.ts');
  for (const name of Object.keys(chosen)) {
    const reason = refusalOf(name);
    if (reason !== undefined) throw new UsageError(`--set ${name} has no effect here: ${reason}`);
  }
  const { parseSettings, SettingsError } = await import('../../lib/settings.ts');
  try {
    parseSettings(chosen);
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(`--set: ${error.message}`);
    throw error;
  }
  return chosen;
}

async function checkFaults(faults: readonly string[]): Promise<readonly string[]> {
  const { FaultError, parseFault } = await import('../../packages/local-aws/src/faults/fault.ts');
  try {
    faults.forEach(parseFault);
  } catch (error) {
    if (error instanceof FaultError) throw new UsageError(`--fault ${error.message}`);
    throw error;
  }
  return faults;
}

/** Rejects an option that would have no effect. */
function refuseContradictions({ app, set, stage }: Parsed): void {
  if (app !== undefined && set !== undefined)
    throw new UsageError('--set has no effect on a synthesized app: remove --app or --set');
  if (stage !== undefined && app === undefined) throw new UsageError('--stage needs the --app that has it');
}

/** Rejects a path to something else than the option needs. */
function checkPaths({ app, data }: Parsed): void {
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (app !== undefined) requireApp(app);
  if (data !== undefined && isFolder(data) === false) throw new UsageError(`--data: ${data} is not a folder`);
}

/** The files, folders and names that the command line has. */
const namedIn = ({ credentials, data, contract, app, stage }: Parsed) => ({
  ...(credentials !== undefined && { credentialsFile: credentials }),
  ...(data !== undefined && { dataDirectory: data }),
  ...(contract !== undefined && { contractFile: contract }),
  ...(app !== undefined && { appDirectory: app }),
  ...(stage !== undefined && { stage }),
});

async function optionsOf(parsed: Parsed): Promise<StartOptions> {
  const { set = [], fault = [] } = parsed;
  refuseContradictions(parsed);
  checkPaths(parsed);
  return {
    port: parsed.port ?? 8787,
    tickSeconds: parsed.tick ?? 60,
    settings: set.length === 0 ? {} : await settingsOf(set),
    faults: fault.length === 0 ? [] : await checkFaults(fault),
    faultSeed: parsed.faultSeed ?? 1,
    trust: parsed.trust ?? [],
    sample: parsed.sample ?? false,
    verbose: parsed.verbose ?? false,
    ...namedIn(parsed),
  };
}

/** `start` with its options. Paths become absolute. Throws {@link UsageError}. */
export function startProgram(run: (options: StartOptions) => Promise<void>): Command {
  const command = new Command('start').usage('[options]');
  for (const option of OPTIONS()) command.addOption(option);
  return command.action(async () => {
    await run(await optionsOf(command.opts<Parsed>()));
  });
}
