import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Ends a program that was called with other words than its usage has. */
export function endMisused(usage: string, problem: string): never {
  console.error(`${problem}\n${usage}`);
  process.exit(2);
}

/**
 * Reads the command line. `--help` prints the usage and ends the program; an unknown option ends it
 * with code 2, and without the stack trace of `parseArgs`.
 */
export function readArguments<T extends ParseArgsConfig>(
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  if (process.argv.slice(2).some((arg) => ['--help', '-h'].includes(arg))) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    // Node.js explains an unknown option in several sentences; the first is enough.
    const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('. ', 1);
    return endMisused(usage, problem);
  }
}
