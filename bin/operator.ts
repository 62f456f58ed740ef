import { createInterface } from 'node:readline/promises';
import { operate } from './operator/operate.ts';

// The reader has seen enough, as with `| head`: the command still runs to its end, and its exit
// code says how it ended.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** Asks on standard error, because the plan is printed there too. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

process.exitCode = await operate(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  isTerminal: process.stdout.isTTY,
  ...(process.stdin.isTTY && { ask }),
});
