import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import type { StreamSurroundings } from '../../../bin/command-line/stream-surroundings.ts';
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

/** Resolves once standard output takes more. Rejects once it is closed. */
async function output(bytes: Uint8Array): Promise<void> {
  await new Promise<void>((written, fail) => {
    process.stdout.write(bytes, (error) => {
      if (error) fail(error);
      else written();
    });
  });
}

const surroundings: StreamSurroundings = {
  print: (line) => process.stdout.write(line),
  printError: (line) => process.stderr.write(line),
  isTerminal: process.stdout.isTTY,
  ...(process.stdin.isTTY && { ask }),
  environment: process.env,
  readInput: () => text(process.stdin),
  // Its getter opens the file, so only a command that reads it does so.
  get input() {
    return process.stdin;
  },
  output,
  isErrorTerminal: process.stderr.isTTY && process.env['TERM'] !== 'dumb',
};

process.exitCode = await runCommandLine(process.argv.slice(2), surroundings);
