// `npm run build -- version X.Y.Z`: moves the version of every package of the repository. Without a
// version it writes only what package.json decides into the packages, such as the repository.
import { join } from 'node:path';
import { moveVersion } from './publishing/move-version.ts';

const [version] = process.argv.slice(2);
try {
  moveVersion(join(import.meta.dirname, '..'), version, new Date().toISOString().slice(0, 10));
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
