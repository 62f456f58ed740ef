import { checkCode } from '../../src/core/reactors/check-code.ts';
import { IMAGES, type Image } from '../../src/core/reactors/layer.ts';
import { returnedParts } from '../../src/core/reactors/run-reactor.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { problemOf } from '../../src/wire/problem.ts';
import { connectionOf, hasKey, type ConnectionFlags } from '../command-line/connection.ts';
import { UsageError } from '../command-line/failures.ts';
import type { Surroundings } from '../command-line/surroundings.ts';
import { bundleIn, configurationIn, objectIn, textOf } from './read-files.ts';
import { prepareRuntime, runCode, TIME_MS, type CodeRun } from './run-code.ts';

/** These are the options of `reactor run`, as commander names them. */
export interface RunFlags extends ConnectionFlags {
  readonly args?: string;
  readonly configuration?: string;
  readonly packages?: string;
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

/** The packages of a file, which the image can run. Rejects with {@link UsageError}. */
async function packagesOf(flags: RunFlags): Promise<Pick<CodeRun, 'packages'>> {
  if (flags.packages === undefined) return {};
  const packages = await bundleIn('packages', flags.packages);
  const image = imageOf(flags);
  if (IMAGES.indexOf(packages.image) > IMAGES.indexOf(image))
    throw new UsageError(
      `--packages: ${flags.packages} was made for ${packages.image}, and this is ${image}`,
    );
  return { packages };
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
    ...(await packagesOf(flags)),
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
