// Handles one event twice, like an instance. Arguments: the bundle, and files with a small event
// that warms it up and the measured one. Needs `--expose-gc`, to begin from an idle function.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The cost of one event. */
export interface Taken {
  /** The status that the response has. For a function behind a queue it is `failed` or `done`. */
  readonly outcome: string;
  /** Processor time of all threads, the garbage collector's included. */
  readonly cpuSeconds: number;
}

export interface MeasuredRequest {
  readonly first: Taken;
  readonly again: Taken;
  /** The peak minus the memory that the process had before, in bytes. */
  readonly peakBytes: number;
  readonly idleBytes: number;
}

interface Result {
  readonly statusCode?: number;
  readonly batchItemFailures?: readonly unknown[];
}

const [, , bundle = '', warmUp = '', measured = ''] = process.argv;

// Logging a request is part of its cost; the destination of the log is not.
process.stdout.write = () => true;
process.stderr.write = () => true;
const { handler } = (await import(pathToFileURL(bundle).href)) as {
  readonly handler: (event: unknown) => Promise<Result>;
};

/** Reads a figure that the kernel has about this process, in bytes. */
function memory(name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
}

const outcomeOf = ({ statusCode, batchItemFailures = [] }: Result): string =>
  statusCode === undefined ? (batchItemFailures.length > 0 ? 'failed' : 'done') : String(statusCode);

/** Like Lambda's runtime: parses the event from JSON, and serializes the result. */
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
// Resets the peak of the start (proc(5), clear_refs).
writeFileSync('/proc/self/clear_refs', '5');
const idleBytes = memory('VmRSS');
const first = await take(measured, 'first');
const again = await take(measured, 'again');
const found: MeasuredRequest = { first, again, peakBytes: memory('VmHWM') - idleBytes, idleBytes };
// The handler's connections would keep the process alive.
process.send?.(found, () => process.exit(0));
