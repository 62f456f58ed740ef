import { operate } from './operator/operate.ts';

// The reader has seen enough, as with `| head`: the command still runs to its end, and its exit
// code says how it ended.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await operate(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  isTerminal: process.stdout.isTTY,
});
