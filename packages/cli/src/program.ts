import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { runCommandLine } from './run-command-line.ts';

let isOutputLost = false;

// A command still runs to its end, because an operation is not to stop half-way. Where the reader
// has seen enough, as with `| head`, its exit code says how it ended.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || isOutputLost) return;
  isOutputLost = true;
  process.stderr.write(`cloakroom: standard output cannot be written (${code ?? message})\n`);
  process.once('exit', () => {
    process.exitCode = 1;
  });
});

/** Asks on standard error, because the result goes to standard output. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

process.exitCode = await runCommandLine(process.argv.slice(2), {
  print: (line) => process.stdout.write(line),
  printError: (line) => process.stderr.write(line),
  isTerminal: process.stdout.isTTY,
  ...(process.stdin.isTTY && { ask }),
  environment: process.env,
  readInput: () => text(process.stdin),
});
