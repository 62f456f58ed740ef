import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { effort, IS_SMOKE } from '../effort.ts';
import { median } from '../median.ts';
import type { Measured } from './handler-process.ts';

/** A handler that runs in its own process. */
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

export interface Side {
  readonly bundle: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A comparison has some of these sides. */
export const SIDES = ['ours', 'withRecord', 'withoutRecord', 'before', 'byHandBefore'] as const;
export type SideName = (typeof SIDES)[number];

export interface Compared {
  readonly ours: Side;
  /** The handler by hand that writes an audit record of the same size. */
  readonly withRecord: Side;
  /** The same handler, which writes no record; only of operations with such a budget. */
  readonly withoutRecord?: Side;
  /** Has ours as it is at another commit. */
  readonly before?: Side;
  /** The handler by hand of that commit, with a record. */
  readonly byHandBefore?: Side;
  /** A batch of events; some operations need new ones each time. */
  readonly events: (count: number) => readonly object[];
  readonly status: number;
  /** Number of invocations in a batch. */
  readonly batch: number;
}

/** The cost of an invocation of one side, and of ours in relation to it. */
export interface SideResult {
  /** Is the median of all processes. */
  readonly microseconds: number;
  /** For each process, the median over its batches of our time divided by that of this side. */
  readonly ratios: readonly number[];
  readonly allocated: number;
}

export type WarmResult = Readonly<Partial<Record<SideName, SideResult>>> & {
  readonly ours: SideResult;
  readonly withRecord: SideResult;
};

/** V8 inlines differently from process to process, and the same code differs by a tenth. */
const PROCESSES = effort(5, 1);
/** Code that is not yet optimized is slow, and one side has more code than the other. */
const WARM_UP = effort(400, 0);
const BATCHES = effort(5, 1);

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

/** Has the times of the batches of one process of each side, and what an invocation allocates. */
interface ProcessResult {
  readonly rounds: readonly Readonly<Partial<Record<SideName, number>>>[];
  readonly allocated: Readonly<Partial<Record<SideName, number>>>;
}

/** Runs a process of each side in turn, a batch each, so that other load affects all. */
async function measureProcesses({ events, status, batch, ...sides }: Compared): Promise<ProcessResult> {
  const instances: (readonly [SideName, Instance])[] = [];
  const run = async (instance: Instance, count: number, samplesHeap = false) => {
    const measured = await instance.run(events(count), { samplesHeap });
    if (measured.statuses[String(status)] !== count)
      throw new Error(`answered ${JSON.stringify(measured.statuses)}, not ${String(status)}`);
    return measured;
  };
  try {
    for (const name of SIDES) {
      const side = sides[name];
      if (side !== undefined) instances.push([name, await openSide(side)]);
    }
    for (let left = WARM_UP; left > 0; left -= batch)
      for (const [, instance] of instances) await run(instance, batch);
    const rounds: Partial<Record<SideName, number>>[] = [];
    for (let round = 0; round < BATCHES; round += 1) {
      const times: Partial<Record<SideName, number>> = {};
      for (const [name, instance] of round % 2 === 0 ? instances : instances.toReversed())
        times[name] = (await run(instance, batch)).microseconds;
      rounds.push(times);
    }
    const allocated: Partial<Record<SideName, number>> = {};
    for (const [name, instance] of instances)
      allocated[name] = (await run(instance, Math.ceil(batch / 4), true)).allocated;
    return { rounds, allocated };
  } finally {
    for (const [, instance] of instances) instance.stop();
  }
}

export async function measureWarm(compared: Compared): Promise<WarmResult> {
  const batch = effort(compared.batch, 1);
  const processes: ProcessResult[] = [];
  while (processes.length < PROCESSES) processes.push(await measureProcesses({ ...compared, batch }));
  const resultOf = (name: SideName): SideResult => ({
    microseconds: median(processes.map(({ rounds }) => median(rounds.map((times) => times[name] ?? NaN)))),
    ratios: processes.map(({ rounds }) =>
      median(rounds.map(({ ours = NaN, [name]: other = NaN }) => ours / other)),
    ),
    allocated: median(processes.map(({ allocated }) => allocated[name] ?? NaN)),
  });
  const found = SIDES.filter((name) => compared[name] !== undefined).map((name) => [name, resultOf(name)]);
  return Object.fromEntries(found) as WarmResult;
}

/**
 * Writes a profile of one warm side to a file; returns the processor time of an invocation in the
 * meantime, in microseconds.
 */
export async function profileWarm(
  { events, batch }: Pick<Compared, 'events' | 'batch'>,
  { bundle, env }: Side,
  file: string,
): Promise<number> {
  const running = await startInstance(bundle, env);
  try {
    await running.run(events(WARM_UP));
    return (await running.run(events(batch * 5), { profileTo: file })).microseconds;
  } finally {
    running.stop();
  }
}
