// `npm run release-check`: runs the items of docs/release.md against a deployment.
import { releaseCheck } from './release-check/run.ts';

const interrupted = new AbortController();

/** One Ctrl-C arrives twice: from the terminal and from npm, which forwards it. */
const SAME_MS = 1_000;
let firstAt: number | undefined;

process.on('SIGINT', () => {
  firstAt ??= Date.now();
  if (Date.now() - firstAt > SAME_MS) process.exit(1);
  if (interrupted.signal.aborted) return;
  process.stderr.write('\nputting back what the item has changed; Ctrl-C again leaves it\n');
  interrupted.abort(new Error('interrupted'));
});

process.exitCode = await releaseCheck(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  signal: interrupted.signal,
});
// A pause that was interrupted still has its timer.
process.exit();
