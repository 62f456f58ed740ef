// Simulates reactors with their functions, and workers of a roll that may die at a call of a port.
import { createReactorIndex } from '../../../src/adapters/dynamodb/reactor-index.ts';
import { createReactorStore } from '../../../src/adapters/dynamodb/reactor-store.ts';
import { createRollStore } from '../../../src/adapters/dynamodb/roll-store.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import type { Layer, LayerVersion } from '../../../src/core/reactors/layer.ts';
import type { StayReason, StoredReactor } from '../../../src/core/reactors/reactor.ts';
import type { LayerMover } from '../../../src/core/republish/layer-mover.ts';
import { startRoll, type StartRollDeps, type WantedRoll } from '../../../src/core/republish/start-roll.ts';
import { workRoll, type WorkRollDeps } from '../../../src/core/republish/work-roll.ts';
import { aStoredReactor } from '../../support/builders/a-stored-reactor.ts';
import { inSteps, type Step } from '../../support/fakes/in-steps.ts';
import { reactorsIn, tablesInMemory } from '../../support/stores-in-memory.ts';

const hashOf = (generation: number) => String(generation).padStart(64, '0');

export const aLayer = (generation: number): LayerVersion => ({
  image: 'node16',
  generation,
  hash: hashOf(generation),
  arn: `arn:aws:lambda:eu-west-1:1:layer:runtime:${String(generation)}`,
});

const layerOf = (generation: number): Layer => {
  const { arn: _, ...layer } = aLayer(generation);
  return layer;
};

interface AFunction {
  live: string;
  /** Each version runs on the layer of a generation. */
  readonly versions: Map<string, number>;
}

/** The worker ends here: it does nothing afterwards. */
export class Death extends Error {}

/** The time that a call of the worker may take, in ms. */
const STEP_MS = 58_000;

export function aRollWorld() {
  let now = 1_700_000_000_000;
  const clock = () => now;
  const tables = tablesInMemory(clock);
  const functions = new Map<string, AFunction>();
  /** Generations on which the code of a reactor does not load, or that of the service itself. */
  const broken = new Map<string, readonly number[]>();
  const refused = new Map<string, StayReason | Error>();
  const failures: unknown[] = [];
  let present = aLayer(2);
  let together = 0;
  /** How many reactors were moved together, each time. */
  const groups: number[] = [];
  let sent = 0;
  let calls = 0;
  let dieBefore = Infinity;

  const step: Step = async (act) => {
    calls += 1;
    if (calls >= dieBefore) throw new Death();
    return act();
  };

  const loads = (id: string, generation = 0) => broken.get(id)?.includes(generation) !== true;

  const layerMover: LayerMover = {
    prove: ({ generation }) => Promise.resolve(loads('own', generation)),
    async publish({ id, functionVersion }, { generation }) {
      if (together === 0) groups.push(0);
      together += 1;
      groups.push(Math.max(groups.pop() ?? 0, together));
      await new Promise(setImmediate);
      together -= 1;
      const refusal = refused.get(id);
      if (refusal instanceof Error) throw refusal;
      if (refusal !== undefined) return refusal;
      const found = functions.get(id);
      if (found?.versions.has(functionVersion) !== true) return 'gone';
      const next = String(Math.max(...[...found.versions.keys()].map(Number)) + 1);
      found.versions.set(next, generation);
      return { functionVersion: next };
    },
    probe({ id, functionVersion }) {
      const generation = functions.get(id)?.versions.get(functionVersion);
      return Promise.resolve(generation !== undefined && loads(id, generation) ? 'loaded' : 'not_loaded');
    },
    pointLive(id, functionVersion) {
      const found = functions.get(id);
      if (found === undefined) return Promise.resolve('gone');
      found.live = functionVersion;
      return Promise.resolve('moved');
    },
  };

  const table = tables.table('Reactors');
  const reactorStore = createReactorStore(table);
  const deps = (): WorkRollDeps & StartRollDeps => ({
    ...machinePlatform,
    clock,
    pause: (ms) => {
      now += ms;
      return Promise.resolve();
    },
    reactorStore: inSteps(reactorStore, step),
    reactorIndex: createReactorIndex(table),
    rollStore: inSteps(createRollStore(table), step),
    rollQueue: {
      send: () => {
        sent += 1;
        return Promise.resolve();
      },
    },
    layerMover: inSteps(layerMover, step),
    layerFinder: {
      present: () => Promise.resolve(present),
      generation: (_image, generation) => Promise.resolve(generation < 5 ? aLayer(generation) : undefined),
    },
    presentLayer: present,
    onFailure: (error) => failures.push(error),
  });

  /** Works until no work is left, as the events of the function do. Returns how many it took. */
  async function work(steps = 100): Promise<number> {
    for (let call = 1; call <= steps; call += 1) {
      const isUnfinished = await workRoll(deps(), 'node16', now + STEP_MS);
      if (!isUnfinished) return call;
    }
    throw new Error('the roll does not end');
  }

  return {
    deps,
    tables,
    broken,
    refused,
    functions,
    failures,
    /** Stores a reactor whose function has a layer. */
    async add(more: Partial<StoredReactor> = {}, generation = 1): Promise<StoredReactor> {
      const reactor = aStoredReactor({
        layer: layerOf(generation),
        layerSince: 1,
        functionVersion: '1',
        ...more,
      });
      await reactorStore.create(reactor, 100);
      functions.set(reactor.id, { live: '1', versions: new Map([['1', generation]]) });
      return reactor;
    },
    start: (wanted: WantedRoll = {}) => startRoll(deps(), wanted),
    work,
    roll: () => createRollStore(table).find('node16'),
    reactors: () => reactorsIn(tables),
    /** The generation that the callers of a reactor get. */
    runs: (id: string) => {
      const found = functions.get(id);
      return found?.versions.get(found.live);
    },
    deploy: (generation: number) => {
      present = aLayer(generation);
    },
    pass: (ms: number) => {
      now += ms;
    },
    now: clock,
    sent: () => sent,
    /** Each call of a port is counted; the worker dies before the nth from now. */
    dieBefore: (nth: number) => {
      calls = 0;
      dieBefore = nth;
    },
    calls: () => calls,
    update: (reactor: StoredReactor) => reactorStore.update(reactor),
    groups,
  };
}
