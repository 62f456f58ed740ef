import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const REDOCLY = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');

/** Nothing of this may leave the machine. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** What Redocly's rules find, as text. Which of them are off, and why: redocly.yaml. */
export async function lintDocument(file: string): Promise<readonly string[]> {
  try {
    await run(process.execPath, [REDOCLY, 'lint', file], { cwd: ROOT, env: { ...process.env, ...OFFLINE } });
    return [];
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    return [`Redocly: ${stdout}${stderr}`];
  }
}
