// `npm run reactor -- CODE.js`: runs the code of a reactor once, with example arguments, like the
// service.
import { parseCode } from '../src/core/reactors/parse-code.ts';
import { returnedParts } from '../src/core/reactors/run-reactor.ts';
import { ServiceError } from '../src/core/shared/service-error.ts';
import { problemOf } from '../src/http/problem.ts';
import { readOptions, USAGE, UsageError, type TryOptions } from './try-reactor/options.ts';
import { runCode, TIME_MS } from './try-reactor/run-code.ts';

const [FAILED, MISUSED] = [1, 2] as const;

/** The code's result. Throws the error that a caller would get. */
async function resultOf(options: TryOptions): Promise<object> {
  parseCode(options.code);
  let last = '\n';
  const outcome = await runCode(options, (text) => {
    last = text;
    process.stderr.write(text);
  });
  if (!last.endsWith('\n')) process.stderr.write('\n');
  if (outcome.outcome === 'stale') throw new Error('the runtime ran different code');
  return returnedParts(outcome, TIME_MS, options.isLenient ? 'lenient' : 'strict');
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

try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') process.stdout.write(USAGE);
  else await run(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message} (--help lists the options)`);
  process.exitCode = MISUSED;
}
