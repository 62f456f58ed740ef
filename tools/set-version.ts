// `npm run build -- version X.Y.Z`: moves the version of every package of the repository. Without a
// version it writes only what package.json decides into the packages, such as the repository.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { moveVersion } from './publishing/move-version.ts';

const [version] = process.argv.slice(2);
const root = join(import.meta.dirname, '..');
try {
  const tags = execFileSync('git', ['tag', '--list', 'v*'], { cwd: root, encoding: 'utf8' }).split('\n');
  moveVersion(root, version, new Date().toISOString().slice(0, 10), tags);
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
