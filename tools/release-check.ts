// `npm run release-check`: runs the items of docs/release.md against a deployment.
import { releaseCheck } from './release-check/run.ts';

const interrupted = new AbortController();
// The second Ctrl-C ends the process at once, even if nothing was put back.
process.once('SIGINT', () => {
  process.stderr.write('\nputting back what the item has changed; Ctrl-C again leaves it\n');
  interrupted.abort(new Error('interrupted'));
});

process.exitCode = await releaseCheck(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  signal: interrupted.signal,
});
