import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that tests need and npm does not install, by the names of Debian's packages. */
const PROGRAMS = { openssl: 'openssl', Chromium: 'chromium', Python: 'python3' } as const;

export type Program = keyof typeof PROGRAMS;

/** Whether no test may be skipped. */
export const isCi = (): boolean => !['', 'false', '0'].includes(process.env['CI'] ?? '');

/** How to install a missing program; `undefined` if it is installed. */
export function installationOf(program: Program): string | undefined {
  const name = PROGRAMS[program];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, name)))
    ? undefined
    : `sudo apt-get install ${name}`;
}

function aptGet(...args: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * Installs what is missing if this is root on Debian, as in CI. Returns what is still missing.
 */
export function provide(): readonly Program[] {
  const missing = () => (Object.keys(PROGRAMS) as Program[]).filter((name) => installationOf(name));
  const packages = missing().map((name) => PROGRAMS[name]);
  if (packages.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log(`installing with apt-get, for the tests that need it: ${packages.join(', ')}`);
    try {
      aptGet('update');
      aptGet('install', '-y', '--no-install-recommends', ...packages);
    } catch {
      // apt-get has printed the reason; the caller names the missing program.
    }
  }
  return missing();
}
