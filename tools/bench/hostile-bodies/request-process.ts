// A process that holds one handler, as an instance of a Lambda does, and gives it one event twice.
// Its arguments are the bundle, a file with a small event that makes the instance warm, and a file
// with the event that is measured. Needs `--expose-gc`, to begin from an idle function.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** What one event took. */
export interface Taken {
  /** The status of the response; of a queue's function `failed` or `done`. */
  readonly outcome: string;
  /** Processor time of all threads, the garbage collector's included. */
  readonly cpuSeconds: number;
}

export interface MeasuredRequest {
  readonly first: Taken;
  readonly again: Taken;
  /** The most memory of the process over what it had before, in bytes. */
  readonly peakBytes: number;
  readonly idleBytes: number;
}

interface Result {
  readonly statusCode?: number;
  readonly batchItemFailures?: readonly unknown[];
}

const [, , bundle = '', warmUp = '', measured = ''] = process.argv;

// The log of a request is part of what it costs; where it ends up is not.
process.stdout.write = () => true;
process.stderr.write = () => true;
const { handler } = (await import(pathToFileURL(bundle).href)) as {
  readonly handler: (event: unknown) => Promise<Result>;
};

/** A figure of the kernel about this process, in bytes. */
function memory(name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
}

const outcomeOf = ({ statusCode, batchItemFailures = [] }: Result): string =>
  statusCode === undefined ? (batchItemFailures.length > 0 ? 'failed' : 'done') : String(statusCode);

/** What the runtime of Lambda does: reads the event from JSON, and writes the result as JSON. */
async function take(file: string, serial: string): Promise<Taken> {
  const before = process.cpuUsage();
  const event = JSON.parse(readFileSync(file, 'utf8')) as { headers?: Record<string, string> };
  if (event.headers !== undefined) event.headers['svc-idempotency-key'] = `${serial} ${String(process.pid)}`;
  const result = await handler(event);
  JSON.stringify(result);
  const { user, system } = process.cpuUsage(before);
  return { outcome: outcomeOf(result), cpuSeconds: (user + system) / 1e6 };
}

await take(warmUp, 'warm-up');
await take(warmUp, 'another');
globalThis.gc?.();
// Forgets the peak of the start (proc(5), clear_refs).
writeFileSync('/proc/self/clear_refs', '5');
const idleBytes = memory('VmRSS');
const first = await take(measured, 'first');
const again = await take(measured, 'again');
const found: MeasuredRequest = { first, again, peakBytes: memory('VmHWM') - idleBytes, idleBytes };
// The handler's connections would keep it.
process.send?.(found, () => process.exit(0));
