import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSettings as checkSettings, SettingsError } from '../../lib/settings.ts';
import { errorCode, errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { FaultError, parseFault } from '../../packages/local-aws/src/faults/fault.ts';

export interface StartOptions {
  readonly kind: 'start';
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
  /** A synthesized app to run instead of synthesizing this one. */
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
  readonly verbose: boolean;
}

/** `problem` describes the invalid command line in one line. */
export type Options =
  | StartOptions
  | { readonly kind: 'help' }
  | { readonly kind: 'invalid'; readonly problem: string };

export const USAGE = `npm start -- [options]

  --port N             port of the HTTP API (default 8787; 0 selects a free port); the pages have the next four
  --data DIR           store tables, keys, queues, reactors and the first tenant in DIR (default: in memory)
  --credentials FILE   file for the addresses and keys (default .local/credentials.json)
  --tick SECONDS       length of a scheduled minute (default 60)
  --set NAME=VALUE     a deploy setting; repeat it for more, separate list items by commas
  --app DIR            run a synthesized cdk.out instead of synthesizing
  --stage NAME         the stage of that app to run, if it is the app of a pipeline
  --contract FILE      log every response that an OpenAPI document (docs/openapi.json) does not allow
  --fault FAULT        a fault to inject, such as dynamodb:throttle:0.3; repeat it for more (docs/local.md)
  --fault-seed N       seed of the faults' random draws (default 1)
  --trust FILE         accept the certificates of a PEM file from webhook receivers and proxy destinations
  --verbose            print the logs of the functions instead of writing them to files
  --help               print this help
`;

const config = {
  port: { type: 'string' },
  data: { type: 'string' },
  credentials: { type: 'string' },
  tick: { type: 'string' },
  set: { type: 'string', multiple: true },
  app: { type: 'string' },
  stage: { type: 'string' },
  contract: { type: 'string' },
  fault: { type: 'string', multiple: true },
  'fault-seed': { type: 'string' },
  trust: { type: 'string', multiple: true },
  verbose: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type Parsed = ReturnType<typeof parseArgs<{ options: typeof config; tokens: true }>>;

class InvalidOption extends Error {}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidOption(`--port must be a number from 0 to 65535, not ${text}`);
  return port;
}

function parseTick(text: string): number {
  const seconds = Number(text);
  // Timers count milliseconds in 31 bits.
  if (text.trim() === '' || !(seconds >= 0.001 && seconds <= 2_000_000))
    throw new InvalidOption(`--tick must be a number of seconds over 0, not ${text}`);
  return seconds;
}

function parseSettings(entries: readonly string[]): Record<string, string> {
  const settings = entries.map((entry): [string, string] => {
    const equals = entry.indexOf('=');
    if (equals < 1) throw new InvalidOption(`--set needs NAME=VALUE, not ${entry}`);
    return [entry.slice(0, equals), entry.slice(equals + 1)];
  });
  const chosen = Object.fromEntries(settings);
  const twice = settings.find(([name], index) => settings.findIndex((other) => other[0] === name) < index);
  if (twice !== undefined) throw new InvalidOption(`--set ${twice[0]} appears twice`);
  try {
    checkSettings(chosen);
  } catch (error) {
    if (error instanceof SettingsError) throw new InvalidOption(`--set: ${error.message}`);
    throw error;
  }
  return chosen;
}

function checkFaults(faults: readonly string[]): readonly string[] {
  try {
    faults.forEach(parseFault);
  } catch (error) {
    if (error instanceof FaultError) throw new InvalidOption(`--fault ${error.message}`);
    throw error;
  }
  return faults;
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed >= 2 ** 32)
    throw new InvalidOption(`--fault-seed must be a whole number below 2^32, not ${text}`);
  return seed;
}

function path(name: string, text: string): string {
  if (text === '') throw new InvalidOption(`--${name} needs a path`);
  return resolve(text);
}

/** Options that would be ignored: of two values of one option only the last counts. */
function refuseContradictions({ values, tokens }: Parsed): void {
  if (values.app !== undefined && values.set !== undefined)
    throw new InvalidOption('--set has no effect on a synthesized app: remove --app or --set');
  if (values.stage !== undefined && values.app === undefined)
    throw new InvalidOption('--stage needs the --app that has it');
  const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
  const single = names.filter((name) => !('multiple' in config[name]));
  const twice = single.find((name, index) => single.indexOf(name) < index);
  if (twice !== undefined) throw new InvalidOption(`--${twice} appears twice`);
}

/** The files and folders that were named, as absolute paths. */
const optionalPaths = ({ credentials, data, contract, app }: Parsed['values']) => ({
  ...(credentials !== undefined && { credentialsFile: path('credentials', credentials) }),
  ...(data !== undefined && { dataDirectory: path('data', data) }),
  ...(contract !== undefined && { contractFile: path('contract', contract) }),
  ...(app !== undefined && { appDirectory: path('app', app) }),
});

function startOptions(args: readonly string[]): Options {
  const parsed = parseArgs({ args: [...args], options: config, strict: true, tokens: true });
  const { values } = parsed;
  if (values.help === true) return { kind: 'help' };
  refuseContradictions(parsed);
  return {
    kind: 'start',
    port: parsePort(values.port ?? '8787'),
    tickSeconds: parseTick(values.tick ?? '60'),
    settings: parseSettings(values.set ?? []),
    faults: checkFaults(values.fault ?? []),
    faultSeed: parseSeed(values['fault-seed'] ?? '1'),
    trust: (values.trust ?? []).map((file) => path('trust', file)),
    verbose: values.verbose ?? false,
    ...(values.stage !== undefined && { stage: values.stage }),
    ...optionalPaths(values),
  };
}

/** Parses the command line. Paths become absolute. Never throws: the result contains problems. */
export function parseOptions(args: readonly string[]): Options {
  try {
    return startOptions(args);
  } catch (error) {
    const code = String(errorCode(error));
    if (!(error instanceof InvalidOption) && !code.startsWith('ERR_PARSE_ARGS')) throw error;
    // Node explains unknown options in several sentences; the first is enough.
    const [problem = ''] = errorMessage(error).split(/\. |\n/, 1);
    return { kind: 'invalid', problem };
  }
}
