import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MeasuredRequest } from './request-process.ts';

/** A function as it is deployed. */
export interface Deployed {
  readonly bundle: string;
  readonly env: Readonly<Record<string, string>>;
}

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-hostile-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The cost of an event in a new process of the function, after a small one that warms it up. */
export function measureRequest(
  { bundle, env }: Deployed,
  warmUp: object,
  event: object,
): Promise<MeasuredRequest> {
  const warmUpFile = join(folder, 'warm-up.json');
  const eventFile = join(folder, 'event.json');
  writeFileSync(warmUpFile, JSON.stringify(warmUp));
  writeFileSync(eventFile, JSON.stringify(event));
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'request-process.ts'), [bundle, warmUpFile, eventFile], {
      env: { ...env },
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.once('message', (measured) => resolve(measured as MeasuredRequest));
    child.once('exit', (code, signal) => reject(new Error(`${bundle} ended: ${String(code ?? signal)}`)));
  });
}
