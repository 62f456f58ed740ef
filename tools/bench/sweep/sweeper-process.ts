// Runs the sweeper's bundle (its first argument) on request of its parent, like an instance.
// Processor time is of all threads.
import { pathToFileURL } from 'node:url';

/** The result of one run of the sweeper. */
export interface SweeperRun {
  /** Records by kind of work, from the log lines of the run. */
  readonly swept: Readonly<Record<string, number>>;
  readonly failed: number;
  readonly elapsedMs: number;
  readonly cpuMs: number;
}

interface Metrics {
  readonly Work?: string;
  readonly Swept?: string;
  readonly SweepFailures?: string;
}

type Handler = (event: object, context: { readonly getRemainingTimeInMillis: () => number }) => Promise<void>;

let lines: string[] = [];
process.stdout.write = (line: string | Uint8Array) => {
  lines.push(String(line));
  return true;
};
const { handler } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as {
  readonly handler: Handler;
};

async function run(remainingMs: number): Promise<SweeperRun> {
  lines = [];
  const started = performance.now();
  const before = process.cpuUsage();
  await handler({}, { getRemainingTimeInMillis: () => remainingMs });
  const { user, system } = process.cpuUsage(before);
  const elapsedMs = performance.now() - started;
  const metrics = lines.filter((line) => line.includes('"Swept"')).map((line) => JSON.parse(line) as Metrics);
  return {
    swept: Object.fromEntries(metrics.map(({ Work = '', Swept = '0' }) => [Work, Number(Swept)])),
    failed: metrics.reduce((sum, { SweepFailures = '0' }) => sum + Number(SweepFailures), 0),
    elapsedMs,
    cpuMs: (user + system) / 1000,
  };
}

process.on('message', (remainingMs: number) => {
  run(remainingMs).then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.('ready');
