import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { checkCode } from '../../src/core/reactors/check-code.ts';
import type { Image } from '../../src/core/reactors/layer.ts';
import { REACTOR_LIMITS } from '../../src/core/reactors/reactor.ts';
import { returnedParts } from '../../src/core/reactors/run-reactor.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { problemOf } from '../../src/wire/problem.ts';
import { connectionOf, hasKey, type ConnectionFlags } from '../command-line/connection.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import type { Surroundings } from '../command-line/surroundings.ts';
import type { BundledCode } from './bundle-code.ts';
import { configurationIn, objectIn, textOf } from './read-files.ts';
import { prepareRuntime, runCode, TIME_MS, type CodeRun } from './run-code.ts';

/** These are the options of `reactor run`, as commander names them. */
export interface RunFlags extends ConnectionFlags {
  readonly args?: string;
  readonly configuration?: string;
  readonly lenient?: true;
  readonly image?: Image;
}

/** These are the options of `reactor bundle`. */
export interface BundleFlags {
  readonly out?: string;
  readonly lenient?: true;
  readonly image?: Image;
}

const imageOf = ({ image = 'node16' }: Pick<RunFlags, 'image'>): Image => image;

/** The code's result. Throws the error that a caller would get. */
async function resultOf(run: CodeRun, { printError }: Surroundings): Promise<object> {
  const compatibility = run.isLenient ? 'lenient' : 'strict';
  const warnings = await checkCode(new Secret(run.code), run.image, compatibility);
  for (const warning of warnings) printError(`${run.file}: ${warning}\n`);
  let last = '\n';
  const outcome = await runCode(run, (text) => {
    last = text;
    printError(text);
  });
  if (!last.endsWith('\n')) printError('\n');
  if (outcome.outcome === 'stale' || outcome.outcome === 'gone')
    throw new Error('the runtime ran different code');
  return returnedParts(outcome, { limitMs: TIME_MS, image: run.image }, compatibility);
}

/**
 * Code gets a client only if the command line asks for one: a shell may have a key for other work.
 */
async function clientOf(flags: RunFlags, { environment }: Surroundings): Promise<Pick<CodeRun, 'client'>> {
  const { keyFrom, url, local } = flags;
  if ([keyFrom, url, local].every((each) => each === undefined)) return {};
  if (!hasKey(flags, environment))
    throw new UsageError('--url needs an API key: --key-from, or CLOAKROOM_API_KEY');
  return { client: await connectionOf(flags, environment) };
}

/**
 * Runs the code of a reactor once, with example arguments, like the service. Resolves with whether
 * it returned a result.
 */
export async function runReactor(
  file: string,
  flags: RunFlags,
  surroundings: Surroundings,
): Promise<boolean> {
  const { print, printError } = surroundings;
  const run = {
    file,
    code: textOf(file),
    args: objectIn('args', flags.args),
    configuration: configurationIn(flags.configuration),
    isLenient: flags.lenient === true,
    image: imageOf(flags),
    ...(await clientOf(flags, surroundings)),
  };
  await prepareRuntime(run.image);
  try {
    print(`${JSON.stringify(await resultOf(run, surroundings), null, 2)}\n`);
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    printError(`${file} failed. A caller gets:\n`);
    printError(`${JSON.stringify(problemOf(error).problem, null, 2)}\n`);
    return false;
  }
}

const grouped = (size: number): string => size.toLocaleString('en-US');

/** Prints where the characters of a bundle are. */
function printSizes(file: string, { code, parts, refused }: BundledCode, { printError }: Surroundings): void {
  for (const { name, size } of parts) printError(`${grouped(size).padStart(9)}  ${name || 'your code'}\n`);
  const all = grouped(code.length).padStart(9);
  printError(`${all}  in all, of ${grouped(REACTOR_LIMITS.code)} that a reactor may have\n`);
  for (const reason of refused) printError(`${file} requires ${reason}, so it may not load in a reactor.\n`);
}

function writeBundle(out: string, code: string): void {
  try {
    writeFileSync(out, code);
  } catch (error) {
    throw new CommandFailure(errorMessage(error), { cause: error });
  }
}

/**
 * Bundles the code of a reactor with the packages that it requires. Resolves with `false` if it
 * cannot be bundled: the reasons are printed, one in a line.
 */
export async function bundleReactor(
  file: string,
  { out, lenient, ...flags }: BundleFlags,
  surroundings: Surroundings,
): Promise<boolean> {
  textOf(file);
  if (out !== undefined && resolve(out) === resolve(file))
    throw new UsageError('--out must name another file than the code');
  // A run needs no bundler.
  const { bundleCode, BundleError } = await import('./bundle-code.ts');
  try {
    const bundled = await bundleCode(resolve(file), { isLenient: lenient === true, image: imageOf(flags) });
    printSizes(file, bundled, surroundings);
    const { code } = bundled;
    const excess = code.length - REACTOR_LIMITS.code;
    if (excess > 0)
      throw new CommandFailure(`${file} is too long for a reactor by ${grouped(excess)} characters.`);
    await checkCode(new Secret(code), imageOf(flags), 'strict');
    if (out === undefined) surroundings.print(code);
    else writeBundle(out, code);
    return true;
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    surroundings.printError(`${error.message}\n`);
    return false;
  }
}
