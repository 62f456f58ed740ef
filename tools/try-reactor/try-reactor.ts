import { writeFileSync } from 'node:fs';
import { checkCode } from '../../src/core/reactors/check-code.ts';
import { REACTOR_LIMITS } from '../../src/core/reactors/reactor.ts';
import { returnedParts } from '../../src/core/reactors/run-reactor.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { problemOf } from '../../src/wire/problem.ts';
import { bundleCode, BundleError, type BundledCode } from './bundle-code.ts';
import { readOptions, USAGE, UsageError, type BundleOptions, type TryOptions } from './options.ts';
import { runCode, TIME_MS } from './run-code.ts';

const FAILED = 1;
const MISUSED = 2;

/** The streams of the program. Each gets text with its line ends. */
export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The code's result. Throws the error that a caller would get. */
async function resultOf(options: TryOptions, { err }: Streams): Promise<object> {
  const compatibility = options.isLenient ? 'lenient' : 'strict';
  const warnings = await checkCode(new Secret(options.code), compatibility);
  for (const warning of warnings) err(`${options.file}: ${warning}\n`);
  let last = '\n';
  const outcome = await runCode(options, (text) => {
    last = text;
    err(text);
  });
  if (!last.endsWith('\n')) err('\n');
  if (outcome.outcome === 'stale') throw new Error('the runtime ran different code');
  return returnedParts(outcome, TIME_MS, compatibility);
}

async function run(options: TryOptions, streams: Streams): Promise<number> {
  const { out, err } = streams;
  try {
    out(`${JSON.stringify(await resultOf(options, streams), null, 2)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    err(`${options.file} failed. A caller gets:\n`);
    err(`${JSON.stringify(problemOf(error).problem, null, 2)}\n`);
    return FAILED;
  }
}

const grouped = (size: number): string => size.toLocaleString('en-US');

/** Prints where the characters of a bundle are. */
function printSizes(file: string, { code, parts, refused }: BundledCode, { err }: Streams): void {
  for (const { name, size } of parts) err(`${grouped(size).padStart(9)}  ${name || 'your code'}\n`);
  const all = grouped(code.length).padStart(9);
  err(`${all}  in all, of ${grouped(REACTOR_LIMITS.code)} that a reactor may have\n`);
  for (const reason of refused) err(`${file} requires ${reason}, so it may not load in a reactor.\n`);
}

function writeBundle(out: string, code: string): void {
  try {
    writeFileSync(out, code);
  } catch (error) {
    throw new BundleError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function bundle(options: BundleOptions, streams: Streams): Promise<number> {
  const { file, path, out, isLenient } = options;
  try {
    const bundled = await bundleCode(path, { isLenient });
    printSizes(file, bundled, streams);
    const { code } = bundled;
    if (code.length > REACTOR_LIMITS.code)
      throw new BundleError(
        `${file} is too long for a reactor by ${grouped(code.length - REACTOR_LIMITS.code)} characters.`,
      );
    await checkCode(new Secret(code), 'strict');
    if (out === undefined) streams.out(code);
    else writeBundle(out, code);
    return 0;
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    streams.err(`${error.message}\n`);
    return FAILED;
  }
}

/**
 * Runs the code of a reactor once, with example arguments, like the service, or bundles it with the
 * packages that it requires. Returns the exit code.
 */
export async function tryReactor(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  streams: Streams,
): Promise<number> {
  try {
    const options = readOptions(args, environment);
    if (options === 'help') {
      streams.out(USAGE);
      return 0;
    }
    return await (options.kind === 'bundle' ? bundle(options, streams) : run(options, streams));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    streams.err(`${error.message} (--help lists the options)\n`);
    return MISUSED;
  }
}
