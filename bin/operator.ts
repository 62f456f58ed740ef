import { operate } from './operator/operate.ts';

process.exitCode = await operate(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  isTerminal: process.stdout.isTTY,
});
