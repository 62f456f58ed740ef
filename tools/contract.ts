// `npm run contract`: runs the contract suite against a deployment (docs/deploy.md#check-it).
import { runContract } from './contract/run.ts';

const interrupted = new AbortController();

/** One Ctrl-C arrives twice: from the terminal and from npm, which forwards it. */
const SAME_MS = 1_000;
let firstAt: number | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    firstAt ??= Date.now();
    if (Date.now() - firstAt > SAME_MS) process.exit(1);
    if (interrupted.signal.aborted) return;
    process.stderr.write('\nending the suites, and deleting what they have made; again leaves it\n');
    interrupted.abort(new Error('interrupted'));
  });

process.exitCode = await runContract(process.argv.slice(2), {
  env: process.env,
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  signal: interrupted.signal,
});
