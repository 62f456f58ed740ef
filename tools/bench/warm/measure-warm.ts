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

export interface Compared {
  readonly ours: Side;
  /** The handler by hand that writes an audit record of the same size. */
  readonly withRecord: Side;
  /** The same handler, which writes no record. */
  readonly withoutRecord: Side;
  /** A batch of events; some operations need new ones each time. */
  readonly events: (count: number) => readonly object[];
  readonly status: number;
  /** Number of invocations in a batch. */
  readonly batch: number;
}

/** The sides of a comparison, by the names of their members. */
export const SIDES = ['ours', 'withRecord', 'withoutRecord'] as const;
export type SideName = (typeof SIDES)[number];

/** The cost of an invocation of one side, and of ours in relation to it. */
export interface SideResult {
  readonly microseconds: number;
  /** The median over all batches of our time divided by that of this side. */
  readonly ratio: number;
  readonly allocated: number;
}

export type WarmResult = Readonly<Record<SideName, SideResult>>;

const BATCHES = effort(15, 1);
const WARM_UP_BATCHES = effort(6, 0);

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

/** Runs all sides in turn, a batch each, so that other load on the machine affects all. */
export async function measureWarm({ events, status, batch: full, ...sides }: Compared): Promise<WarmResult> {
  const batch = effort(full, 1);
  const instances = new Map<SideName, Instance>();
  const run = async (name: SideName, samplesHeap = false) => {
    const measured = await instances.get(name)?.run(events(batch), { samplesHeap });
    if (measured?.statuses[String(status)] !== batch)
      throw new Error(`answered ${JSON.stringify(measured?.statuses)}, not ${String(status)}`);
    return measured;
  };
  try {
    for (const name of SIDES) instances.set(name, await openSide(sides[name]));
    for (let round = 0; round < WARM_UP_BATCHES; round += 1) for (const name of SIDES) await run(name);
    const rounds: Record<SideName, number>[] = [];
    for (let round = 0; round < BATCHES; round += 1) {
      const times = { ours: NaN, withRecord: NaN, withoutRecord: NaN };
      for (const name of round % 2 === 0 ? SIDES : SIDES.toReversed())
        times[name] = (await run(name)).microseconds;
      rounds.push(times);
    }
    const resultOf = async (name: SideName): Promise<SideResult> => ({
      microseconds: median(rounds.map((times) => times[name])),
      ratio: median(rounds.map((times) => times.ours / times[name])),
      allocated: (await run(name, true)).allocated,
    });
    return {
      ours: await resultOf('ours'),
      withRecord: await resultOf('withRecord'),
      withoutRecord: await resultOf('withoutRecord'),
    };
  } finally {
    for (const instance of instances.values()) instance.stop();
  }
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
    for (let round = 0; round < WARM_UP_BATCHES; round += 1) await running.run(events(batch));
    return (await running.run(events(batch * 5), { profileTo: file })).microseconds;
  } finally {
    running.stop();
  }
}
