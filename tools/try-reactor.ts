// `npm run reactor -- CODE.js`: runs the code of a reactor once, with example arguments, like the
// service, or bundles it with the packages that it requires (`--bundle`).
import { writeFileSync } from 'node:fs';
import { checkCode } from '../src/core/reactors/check-code.ts';
import { REACTOR_LIMITS } from '../src/core/reactors/reactor.ts';
import { returnedParts } from '../src/core/reactors/run-reactor.ts';
import { Secret } from '../src/core/shared/secret.ts';
import { ServiceError } from '../src/core/shared/service-error.ts';
import { problemOf } from '../src/wire/problem.ts';
import { bundleCode, BundleError, type BundledCode } from './try-reactor/bundle-code.ts';
import {
  readOptions,
  USAGE,
  UsageError,
  type BundleOptions,
  type TryOptions,
} from './try-reactor/options.ts';
import { runCode, TIME_MS } from './try-reactor/run-code.ts';

const FAILED = 1;
const MISUSED = 2;

/** The code's result. Throws the error that a caller would get. */
async function resultOf(options: TryOptions): Promise<object> {
  const compatibility = options.isLenient ? 'lenient' : 'strict';
  const warnings = await checkCode(new Secret(options.code), compatibility);
  for (const warning of warnings) console.error(`${options.file}: ${warning}`);
  let last = '\n';
  const outcome = await runCode(options, (text) => {
    last = text;
    process.stderr.write(text);
  });
  if (!last.endsWith('\n')) process.stderr.write('\n');
  if (outcome.outcome === 'stale') throw new Error('the runtime ran different code');
  return returnedParts(outcome, TIME_MS, compatibility);
}

async function run(options: TryOptions): Promise<void> {
  try {
    console.log(JSON.stringify(await resultOf(options), null, 2));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    console.error(`${options.file} failed. A caller gets:`);
    console.error(JSON.stringify(problemOf(error).problem, null, 2));
    process.exitCode = FAILED;
  }
}

const grouped = (size: number): string => size.toLocaleString('en-US');

/** Where the characters of a bundle are, on standard error. */
function printSizes(file: string, { code, parts, refused }: BundledCode): void {
  for (const { name, size } of parts) console.error(`${grouped(size).padStart(9)}  ${name || 'your code'}`);
  console.error(
    `${grouped(code.length).padStart(9)}  in all, of ${grouped(REACTOR_LIMITS.code)} that a reactor may have`,
  );
  for (const reason of refused) console.error(`${file} requires ${reason}, so it may not load in a reactor.`);
}

function writeBundle(out: string, code: string): void {
  try {
    writeFileSync(out, code);
  } catch (error) {
    throw new BundleError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function bundle({ file, path, out, isLenient }: BundleOptions): Promise<void> {
  try {
    const bundled = await bundleCode(path, { isLenient });
    printSizes(file, bundled);
    const { code } = bundled;
    if (code.length > REACTOR_LIMITS.code)
      throw new BundleError(
        `${file} is too long for a reactor by ${grouped(code.length - REACTOR_LIMITS.code)} characters.`,
      );
    await checkCode(new Secret(code), 'strict');
    if (out === undefined) process.stdout.write(code);
    else writeBundle(out, code);
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    console.error(error.message);
    process.exitCode = FAILED;
  }
}

try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') process.stdout.write(USAGE);
  else if (options.kind === 'bundle') await bundle(options);
  else await run(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message} (--help lists the options)`);
  process.exitCode = MISUSED;
}
