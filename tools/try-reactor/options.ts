import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const USAGE = `npm run reactor -- CODE.js [options]
npm run reactor -- --bundle CODE.js [--out FILE] [--lenient]

Runs the code of a reactor once, on Node.js 16 in the runtime of the service. What it prints and
throws goes to standard error, its result to standard output. No service needs to run.

  --args FILE            JSON of req.args, an object or array (default {})
  --configuration FILE   JSON of req.configuration, an object of strings (default {})
  --key KEY              API key of the application that req.bt acts as (default: CLOAKROOM_KEY
                         of the environment, which other processes cannot read; without a key
                         req.bt is null)
  --url URL              the service that req.bt calls (default http://localhost:8787)
  --lenient              as a deployment with clientCompatibility=lenient (docs/lenient.md)
  --bundle               run nothing: print the code in one file with the installed packages that it
                         requires and reactors do not have
  --out FILE             write the bundle to FILE
  --help                 print this

Exit code: 0 if the code returned a result or was bundled, 1 if it failed, 2 if the command line is wrong.
`;

/** The command line is invalid, or names an invalid file. The message is one line. */
export class UsageError extends Error {}

export interface TryOptions {
  readonly kind: 'run';
  readonly file: string;
  readonly code: string;
  readonly args: object;
  readonly configuration: Readonly<Record<string, string>>;
  readonly isLenient: boolean;
  /** The settings that `req.bt` gets. */
  readonly client?: { readonly baseUrl: string; readonly apiKey: string };
}

export interface BundleOptions {
  readonly kind: 'bundle';
  readonly file: string;
  /** The path is absolute. */
  readonly path: string;
  readonly isLenient: boolean;
  /** Absolute; without it the bundle is printed. */
  readonly out?: string;
}

const OPTIONS = {
  args: { type: 'string' },
  configuration: { type: 'string' },
  key: { type: 'string' },
  url: { type: 'string' },
  lenient: { type: 'boolean' },
  bundle: { type: 'boolean' },
  out: { type: 'string' },
  help: { type: 'boolean' },
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** npm runs this in the project's folder, and passes that of the caller. */
const pathOf = (file: string, { INIT_CWD = '' }: Environment): string => resolve(INIT_CWD, file);

function textOf(file: string, environment: Environment): string {
  try {
    return readFileSync(pathOf(file, environment), 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
}

function objectIn(option: string, file: string | undefined, environment: Environment): object {
  if (file === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(textOf(file, environment));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--${option}: ${file} is not JSON`);
  }
  if (typeof value !== 'object' || value === null)
    throw new UsageError(`--${option}: ${file} must contain an object`);
  return value;
}

function configurationIn(
  file: string | undefined,
  environment: Environment,
): Readonly<Record<string, string>> {
  const value = objectIn('configuration', file, environment);
  const isText = (entry: unknown): entry is string => typeof entry === 'string';
  if (Array.isArray(value) || !Object.values(value).every(isText))
    throw new UsageError(`--configuration: ${String(file)} must contain an object of strings`);
  return value as Record<string, string>;
}

function clientOf(values: { key?: string; url?: string }, { CLOAKROOM_KEY }: Environment) {
  const { key = CLOAKROOM_KEY ?? '', url = 'http://localhost:8787' } = values;
  if (!URL.canParse(url)) throw new UsageError(`--url: ${url} is not a URL`);
  if (key !== '') return { client: { baseUrl: url, apiKey: key } };
  if (values.url !== undefined) throw new UsageError('--url needs an API key: --key, or CLOAKROOM_KEY');
  return {};
}

function checkOnce(tokens: readonly { readonly kind: string; readonly name?: string }[]): void {
  const names = tokens.filter(({ kind }) => kind === 'option').map(({ name }) => String(name));
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new UsageError(`--${twice} appears twice`);
}

function parsed(commandLine: readonly string[]) {
  try {
    return parseArgs({ args: [...commandLine], options: OPTIONS, allowPositionals: true, tokens: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
}

/** Options of a run, which a bundle would ignore. */
const OF_A_RUN = ['args', 'configuration', 'key', 'url'] as const;

function bundleOptions(
  file: string,
  values: ReturnType<typeof parsed>['values'],
  environment: Environment,
): BundleOptions {
  const ignored = OF_A_RUN.find((name) => values[name] !== undefined);
  if (ignored !== undefined) throw new UsageError(`--${ignored} has no effect with --bundle`);
  textOf(file, environment);
  const path = pathOf(file, environment);
  if (values.out !== undefined && pathOf(values.out, environment) === path)
    throw new UsageError('--out must name another file than the code');
  return {
    kind: 'bundle',
    file,
    path,
    isLenient: values.lenient === true,
    ...(values.out !== undefined && { out: pathOf(values.out, environment) }),
  };
}

/** `help` if it was requested. Throws {@link UsageError}. */
export function readOptions(
  commandLine: readonly string[],
  environment: Environment,
): TryOptions | BundleOptions | 'help' {
  const { values, positionals, tokens } = parsed(commandLine);
  if (values.help === true) return 'help';
  checkOnce(tokens);
  const [file] = positionals;
  if (file === undefined || positionals.length > 1)
    throw new UsageError('name one file with the code of a reactor');
  if (values.bundle === true) return bundleOptions(file, values, environment);
  if (values.out !== undefined) throw new UsageError('--out needs --bundle');
  return {
    kind: 'run',
    file,
    code: textOf(file, environment),
    args: objectIn('args', values.args, environment),
    configuration: configurationIn(values.configuration, environment),
    isLenient: values.lenient === true,
    ...clientOf(values, environment),
  };
}
