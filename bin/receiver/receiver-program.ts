import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The program that receives webhooks. It needs the SDK, which the first call builds. */
export function receiverProgram(): string {
  if (!existsSync(join(ROOT, 'packages/sdk/dist/node.js')))
    execFileSync('npm', ['run', '--silent', 'build', '--', 'sdk'], { cwd: ROOT, stdio: 'ignore' });
  return join(ROOT, 'examples/webhook-receiver/index.js');
}
