import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { effort, IS_SMOKE } from '../effort.ts';
import { median } from '../median.ts';
import type { Measured } from './handler-process.ts';

/** A handler in its own process. */
export interface Instance {
  run(
    events: readonly object[],
    more?: {
      readonly samplesHeap?: boolean;
      readonly profileTo?: string;
      readonly env?: Side['env'];
    },
  ): Promise<Measured>;
  stop(): void;
}

export async function startInstance(
  bundle: string,
  env: Readonly<Record<string, string>>,
): Promise<Instance> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'handler-process.ts'), [bundle], {
    env: { ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return {
    async run(events, more = {}) {
      child.send({ samplesHeap: false, ...more, events });
      const [response] = (await once(child, 'message')) as [Measured | { readonly error: string }];
      if ('error' in response) throw new Error(`${bundle}: ${response.error}`);
      return response;
    },
    stop: () => void child.kill(),
  };
}

export interface Compared {
  /** Bundle and environment of each side. */
  readonly ours: { readonly bundle: string; readonly env: Readonly<Record<string, string>> };
  readonly reference: { readonly bundle: string; readonly env: Readonly<Record<string, string>> };
  /** A batch of events; some operations need new ones each time. */
  readonly events: (count: number) => readonly object[];
  readonly status: number;
  /** Invocations of a batch. */
  readonly batch: number;
}

export interface WarmResult {
  readonly microseconds: number;
  readonly referenceMicroseconds: number;
  /** The median of the batches' ratios. */
  readonly ratio: number;
  readonly allocated: number;
  readonly referenceAllocated: number;
}

const BATCHES = effort(15, 1);
const WARM_UP_BATCHES = effort(6, 0);

type Side = Compared['ours'];

/** In a smoke run, the instances of bundles, which all operations share. */
const shared = new Map<string, Promise<Instance>>();

/** An instance of its own, except in a smoke run. */
async function openSide({ bundle, env }: Side): Promise<Instance> {
  if (!IS_SMOKE) return startInstance(bundle, env);
  const started = shared.get(bundle) ?? startInstance(bundle, env);
  shared.set(bundle, started);
  const instance = await started;
  return { run: (events, more) => instance.run(events, { ...more, env }), stop: () => undefined };
}

/** Stops what the operations of a smoke run have shared. */
export async function stopShared(): Promise<void> {
  for (const instance of shared.values()) (await instance).stop();
}

/** Runs both sides alternately, a batch each, so that other load on the machine affects both. */
export async function measureWarm({
  ours,
  reference,
  events,
  status,
  batch: full,
}: Compared): Promise<WarmResult> {
  const batch = effort(full, 1);
  const sides = [await openSide(ours), await openSide(reference)] as const;
  const run = async (side: Instance, samplesHeap = false) => {
    const measured = await side.run(events(batch), { samplesHeap });
    if (measured.statuses[String(status)] !== batch)
      throw new Error(`answered ${JSON.stringify(measured.statuses)}, not ${String(status)}`);
    return measured;
  };
  try {
    for (let round = 0; round < WARM_UP_BATCHES; round += 1) for (const side of sides) await run(side);
    const rounds: (readonly [number, number])[] = [];
    for (let round = 0; round < BATCHES; round += 1) {
      const [first, second] = round % 2 === 0 ? [0, 1] : [1, 0];
      const times: [number, number] = [0, 0];
      for (const index of [first, second] as const)
        times[index as 0 | 1] = (await run(sides[index as 0 | 1])).microseconds;
      rounds.push(times);
    }
    const [heap, referenceHeap] = [await run(sides[0], true), await run(sides[1], true)];
    return {
      microseconds: median(rounds.map(([own]) => own)),
      referenceMicroseconds: median(rounds.map(([, other]) => other)),
      ratio: median(rounds.map(([own, other]) => own / other)),
      allocated: heap.allocated,
      referenceAllocated: referenceHeap.allocated,
    };
  } finally {
    for (const side of sides) side.stop();
  }
}

/**
 * Writes a profile of one warm side to a file; returns the processor time of an invocation in the
 * meantime, in microseconds.
 */
export async function profileWarm(
  { events, batch }: Compared,
  { bundle, env }: Compared['ours'],
  file: string,
): Promise<number> {
  const running = await startInstance(bundle, env);
  try {
    for (let round = 0; round < WARM_UP_BATCHES; round += 1) await running.run(events(batch));
    return (await running.run(events(batch * 5), { profileTo: file })).microseconds;
  } finally {
    running.stop();
  }
}
