import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

const credentialsShape = z.object({
  base_url: z.string(),
  tenant_id: z.string(),
  management_key: z.string(),
});

/** A commit that runs over a data folder. */
export interface Deployment {
  readonly baseUrl: string;
  readonly tenantId: string;
  readonly managementKey: string;
  /** Runs an operator command of the commit. Rejects if its exit code is not 0. */
  readonly operate: (...args: readonly string[]) => Promise<string>;
  /** The file has the credentials of the start, and those of the administrator. */
  readonly credentialsFile: string;
  /** Stops it like Ctrl-C, or kills it. */
  readonly stop: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>;
}

const LONGEST_START_MS = 180_000;

/**
 * Starts a commit over a data folder, as `cdk deploy` does over what is deployed. `more` are the
 * settings, or the folder of a synthesized app.
 */
export async function deploy(
  source: string,
  data: string,
  more: readonly string[] = ['--set', 'hotConcurrency=0'],
): Promise<Deployment> {
  const credentialsFile = `${data}.credentials.json`;
  rmSync(credentialsFile, { force: true });
  const args = ['bin/start.cjs', '--port', '0', '--data', data, '--credentials', credentialsFile];
  const child = spawn(process.execPath, [...args, ...more], { cwd: source });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, 'exit');
  const until = Date.now() + LONGEST_START_MS;
  while (!printed.includes('Ready.') || !existsSync(credentialsFile)) {
    if (child.exitCode !== null) throw new Error(printed.trim());
    if (Date.now() > until) throw new Error(`it does not get ready:\n${printed}`);
    await sleep(100);
  }
  const credentials = credentialsShape.parse(JSON.parse(readFileSync(credentialsFile, 'utf8')));
  return {
    baseUrl: credentials.base_url,
    tenantId: credentials.tenant_id,
    managementKey: credentials.management_key,
    operate: async (...command) => {
      // An earlier commit has the operator as a program of its own.
      const earlier = 'bin/operator.ts';
      const program = existsSync(join(source, earlier))
        ? [earlier]
        : ['packages/cli/bin/cloakroom.cjs', 'operator'];
      const args = [...program, ...command, '--local', credentialsFile];
      return (await run(process.execPath, args, { cwd: source })).stdout;
    },
    credentialsFile,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await ended;
    },
  };
}
