// Runs the handler of a bundle (its first argument) on request of its parent, like an instance.
// Reports the processor time of all of its threads, and the allocations of its heap.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';

interface Order {
  /** Replaces these variables first, for a process that several operations share. */
  readonly env?: Readonly<Record<string, string>>;
  readonly events: readonly object[];
  /** Samples the heap instead of the time, since sampling takes time. */
  readonly samplesHeap: boolean;
  /**
   * Writes a profile of the processor time to this file, for Chrome's developer tools and
   * `tools/bench/warm/top.ts`.
   */
  readonly profileTo?: string;
}

/** The cost of a batch of invocations. */
export interface Measured {
  /** Processor time per invocation, in microseconds. */
  readonly microseconds: number;
  /** Bytes per invocation, sampled; 0 without heap samples. */
  readonly allocated: number;
  readonly statuses: Readonly<Record<string, number>>;
}

type Handler = (event: object) => Promise<{ readonly statusCode?: number }>;

interface Sample {
  readonly selfSize: number;
  readonly children: readonly Sample[];
}

const sizeOf = ({ selfSize, children }: Sample): number =>
  children.reduce((sum, child) => sum + sizeOf(child), selfSize);

// Logging a request is part of its cost; the destination of the log is not.
process.stdout.write = () => true;
const { handler } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as {
  readonly handler: Handler;
};

async function run({ env, events, samplesHeap, profileTo }: Order): Promise<Measured> {
  Object.assign(process.env, env);
  const session = new Session();
  const statuses: Record<string, number> = {};
  if (samplesHeap) {
    session.connect();
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: 1024,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
  }
  if (profileTo !== undefined) {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 100 });
    await session.post('Profiler.start');
  }
  const before = process.cpuUsage();
  for (const event of events) {
    const { statusCode } = await handler(event);
    statuses[String(statusCode)] = (statuses[String(statusCode)] ?? 0) + 1;
  }
  const { user, system } = process.cpuUsage(before);
  if (profileTo !== undefined) {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(profileTo, JSON.stringify(profile));
    session.disconnect();
  }
  let allocated = 0;
  if (samplesHeap) {
    const { profile } = await session.post('HeapProfiler.stopSampling');
    allocated = sizeOf(profile.head) / events.length;
    session.disconnect();
  }
  return { microseconds: (user + system) / events.length, allocated, statuses };
}

process.on('message', (order: Order) => {
  run(order).then(
    (measured) => process.send?.(measured),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.('ready');
