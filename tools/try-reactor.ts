// `npm run reactor -- CODE.js` (docs/reactors.md).
import { tryReactor } from './try-reactor/try-reactor.ts';

const { argv, env, stdout, stderr } = process;
process.exitCode = await tryReactor(argv.slice(2), env, {
  out: (text) => stdout.write(text),
  err: (text) => stderr.write(text),
});
