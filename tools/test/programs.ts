import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that tests need and npm does not install: their commands, and Debian's packages. */
const PROGRAMS = {
  openssl: { commands: ['openssl'], packages: ['openssl'] },
  // It has no pages of its own, which take twice the time of those of the tests.
  Chromium: { commands: ['chromium-headless-shell'], packages: ['chromium-headless-shell'] },
  'Chromium with autofill': { commands: ['chromium'], packages: ['chromium'] },
  Firefox: { commands: ['firefox-esr'], packages: ['firefox-esr'] },
  // It has no window without a display, and needs a bus of messages.
  WebKit: {
    commands: ['WebKitWebDriver', 'Xvfb', 'dbus-run-session'],
    packages: ['webkit2gtk-driver', 'xvfb', 'dbus-x11'],
  },
  Python: { commands: ['python3'], packages: ['python3'] },
} as const satisfies Readonly<Record<string, { commands: readonly string[]; packages: readonly string[] }>>;

export type Program = keyof typeof PROGRAMS;

/** Whether no test may be skipped. */
export const isCi = (): boolean => !['', 'false', '0'].includes(process.env['CI'] ?? '');

/** The path of a command; `undefined` if no folder of PATH has it. */
export const placeOf = (command: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find(existsSync);

/** The path of Chromium; `undefined` if it is not installed. The whole browser does as well. */
export const chromiumPath = (): string | undefined =>
  placeOf('chromium-headless-shell') ?? placeOf('chromium');

function isInstalled(program: Program): boolean {
  if (program === 'Chromium') return chromiumPath() !== undefined;
  return PROGRAMS[program].commands.every((command) => placeOf(command) !== undefined);
}

/** How to install a missing program; `undefined` if it is installed. */
export const installationOf = (program: Program): string | undefined =>
  isInstalled(program) ? undefined : `sudo apt-get install ${PROGRAMS[program].packages.join(' ')}`;

function aptGet(...args: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * Installs what is missing if this is root on Debian, as in CI. Returns what is still missing.
 *
 * @param isUsual - whether no test of `whenTouched` runs
 */
export function provide(isUsual: boolean): readonly Program[] {
  const needed = (Object.keys(PROGRAMS) as Program[]).filter(
    (name) => !isUsual || name !== 'Chromium with autofill',
  );
  const missing = () => needed.filter((name) => installationOf(name));
  const packages = missing().flatMap((name) => PROGRAMS[name].packages);
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
