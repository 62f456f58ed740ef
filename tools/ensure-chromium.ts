// The browser tests need Chromium. Where it is missing and can be installed from Debian's packages
// (as root, CI), this installs it; elsewhere it says what is missing.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const CHROMIUM = '/usr/bin/chromium';

function aptGet(...args: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

if (!existsSync(CHROMIUM)) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`the browser tests need Chromium at ${CHROMIUM}: sudo apt-get install chromium`);
  }
  aptGet('update');
  aptGet('install', '-y', '--no-install-recommends', 'chromium');
}
console.log(`${CHROMIUM} is there`);
