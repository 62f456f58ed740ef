import { writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { billOfMaterials } from '../../src/core/reactors/bill-of-materials.ts';
import { checkCode } from '../../src/core/reactors/check-code.ts';
import type { Image } from '../../src/core/reactors/layer.ts';
import { PACKAGE_LIMITS } from '../../src/core/reactors/package-bundle.ts';
import { REACTOR_LIMITS } from '../../src/core/reactors/reactor.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { printable } from '../command-line/show.ts';
import type { Surroundings } from '../command-line/surroundings.ts';
import { BundleError } from './bundle-error.ts';
import type { MadeBundle } from './packages/bundle-packages.ts';
import { bundleIn, textOf } from './read-files.ts';

/** These are the options of `reactor bundle`. */
export interface BundleFlags {
  readonly out?: string;
  readonly sbom?: string;
  readonly inline?: true;
  readonly verify?: string;
  readonly lenient?: true;
  readonly image?: Image;
}

interface Bundling extends BundleFlags {
  readonly file: string;
  readonly image: Image;
}

const grouped = (size: number): string => size.toLocaleString('en-US');

const row = (size: number, text: string): string => `${grouped(size).padStart(9)}  ${text}\n`;

const CODE = 'your code';

function write(out: string, text: string): void {
  try {
    writeFileSync(out, text);
  } catch (error) {
    throw new CommandFailure(errorMessage(error), { cause: error });
  }
}

/** Prints the code with its packages in it. */
async function bundleInline(
  { file, out, lenient, image }: Bundling,
  surroundings: Surroundings,
): Promise<void> {
  const { print, printError } = surroundings;
  // A run needs no bundler.
  const { bundleCode } = await import('./bundle-code.ts');
  const { code, parts, refused } = await bundleCode(resolve(file), { isLenient: lenient === true, image });
  for (const { name, size } of parts) printError(row(size, name || CODE));
  printError(row(code.length, `in all, of ${grouped(REACTOR_LIMITS.code)} that a reactor may have`));
  for (const reason of refused) printError(`${file} requires ${reason}, so it may not load in a reactor.\n`);
  const excess = code.length - REACTOR_LIMITS.code;
  if (excess > 0)
    throw new CommandFailure(`${file} is too long for a reactor by ${grouped(excess)} characters.`);
  await checkCode(new Secret(code), image, 'strict');
  if (out === undefined) print(code);
  else write(out, code);
}

/** Prints where the bytes of a bundle are. */
function printSizes(made: MadeBundle, { printError }: Surroundings): void {
  const { bundle, base64, sizes, warnings } = made;
  const { textBytes, zippedBytes, locked } = PACKAGE_LIMITS;
  const may = (limit: number) => `of ${grouped(limit)} that a bundle may have`;
  for (const { name, size } of sizes) printError(row(size, name || 'what connects them'));
  printError(row(Buffer.byteLength(bundle.code), `bytes of text, ${may(textBytes)}`));
  printError(row(Buffer.byteLength(base64, 'base64'), `bytes of gzip, ${may(zippedBytes)}`));
  printError(row(Object.keys(bundle.locked).length, `packages in all, ${may(locked)}`));
  for (const warning of warnings) printError(`${printable(warning)}\n`);
}

/** Prints the packages that the code requires, for the member `runtime` of a reactor. */
async function bundleOwnPackages(
  { file, out, sbom, lenient, image }: Bundling,
  surroundings: Surroundings,
): Promise<void> {
  const { bundlePackages } = await import('./packages/bundle-packages.ts');
  const { environment, print } = surroundings;
  const made = await bundlePackages(resolve(file), { image, isLenient: lenient === true, environment });
  if (made === undefined)
    throw new BundleError(`${file} requires no package that a reactor does not have: it needs no bundle.`);
  printSizes(made, surroundings);
  const { bundle, base64 } = made;
  const text = `${JSON.stringify({ dependencies: bundle.dependencies, bundle: base64 }, null, 2)}\n`;
  if (sbom !== undefined)
    write(sbom, `${JSON.stringify(billOfMaterials({ name: basename(file) }, bundle), null, 2)}\n`);
  if (out === undefined) print(text);
  else write(out, text);
}

/** Prints the digest of a bundle that its packages make again. */
async function verify(file: string, { environment, print }: Surroundings): Promise<void> {
  const bundle = await bundleIn('verify', file);
  const { verifyBundle } = await import('./packages/bundle-packages.ts');
  try {
    await verifyBundle(bundle, process.cwd(), environment);
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    throw new BundleError(`${file} is not proven: ${error.message}`, { cause: error });
  }
  print(`${bundle.digest}\n`);
}

/** Throws {@link UsageError} for options that do not fit. */
function checkFlags(file: string | undefined, flags: BundleFlags): void {
  const { out, sbom, inline, verify: verified } = flags;
  if (verified !== undefined && [file, out, sbom, inline].some((each) => each !== undefined))
    throw new UsageError('--verify takes neither a file of code nor another option');
  if (verified !== undefined) return;
  if (file === undefined) throw new UsageError("missing required argument 'FILE'");
  textOf(file);
  if (inline === true && sbom !== undefined) throw new UsageError('--inline and --sbom exclude each other');
  const isAmong = (one: string, others: readonly (string | undefined)[]) =>
    others.some((other) => other !== undefined && resolve(other) === resolve(one));
  if (out !== undefined && isAmong(out, [file]))
    throw new UsageError('--out must name another file than the code');
  if (sbom !== undefined && isAmong(sbom, [file, out]))
    throw new UsageError('--sbom must name another file than the code and --out');
}

/**
 * Bundles the packages that the code of a reactor requires. Resolves with `false` if that is not
 * possible: the reasons are printed, one in a line.
 */
export async function bundleReactor(
  file: string | undefined,
  flags: BundleFlags,
  surroundings: Surroundings,
): Promise<boolean> {
  checkFlags(file, flags);
  const { verify: verified, inline, image = 'node16' } = flags;
  try {
    const bundling = { ...flags, file: file ?? '', image };
    if (verified !== undefined) await verify(verified, surroundings);
    else if (inline === true) await bundleInline(bundling, surroundings);
    else await bundleOwnPackages(bundling, surroundings);
    return true;
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    for (const line of error.message.split('\n')) surroundings.printError(`${printable(line)}\n`);
    return false;
  }
}
