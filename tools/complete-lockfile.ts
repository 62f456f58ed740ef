// Completes what `npm install` has written (CONTRIBUTING.md). It adds entries that `npm ci`
// requires: those of optional packages of other platforms that the registry does not have. And it
// removes which Node.js a package needs. npm would compare that with the Node.js that runs npm, and
// print a page of warnings, although the project runs its own.
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const FILE = 'package-lock.json';

const packageEntry = z.looseObject({
  optionalDependencies: z.record(z.string(), z.string()).optional(),
  dev: z.boolean().optional(),
  engines: z.unknown().optional(),
});
const lockfile = z.looseObject({ packages: z.record(z.string(), packageEntry) });

const PLATFORM = /-(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(?:-([a-z0-9]+))?$/;

/**
 * The entry of a package of one platform, as npm would write it, without the integrity, which only
 * its registry knows.
 */
function entryOf(name: string, version: string, dev: boolean) {
  const match = PLATFORM.exec(name);
  if (match === null) throw new Error(`${name}: its name does not say its platform`);
  const [, os = '', cpu = '', abi = ''] = match;
  const libc = abi.startsWith('musl') ? 'musl' : abi.startsWith('gnu') ? 'glibc' : undefined;
  return {
    version,
    cpu: [cpu],
    ...(dev && { dev }),
    ...(os === 'linux' && libc !== undefined && { libc: [libc] }),
    optional: true,
    os: [os],
  };
}

const lock = lockfile.parse(JSON.parse(readFileSync(FILE, 'utf8')));
const packages: Record<string, unknown> = { ...lock.packages };
let added = 0;
for (const [path, { optionalDependencies = {}, dev = false }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (`${path}/node_modules/${name}` in packages || `node_modules/${name}` in packages) continue;
    packages[`node_modules/${name}`] = entryOf(name, version, dev);
    added += 1;
  }
}
for (const [path, entry] of Object.entries(lock.packages))
  if (path.startsWith('node_modules/')) delete entry.engines;
const sorted = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(FILE, `${JSON.stringify({ ...lock, packages: sorted }, null, 2)}\n`);
console.log(`${String(added)} entries added`);
