// Simulates reactors with their functions, and workers of a roll that may die at a call of a port.
import { createReactorIndex } from '../../../src/adapters/dynamodb/reactor-index.ts';
import { createReactorStore } from '../../../src/adapters/dynamodb/reactor-store.ts';
import { createRollStore } from '../../../src/adapters/dynamodb/roll-store.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import type { Image, Layer, LayerVersion } from '../../../src/core/reactors/layer.ts';
import type { PackagesRecord, StayReason, StoredReactor } from '../../../src/core/reactors/reactor.ts';
import type { ListLayersDeps } from '../../../src/core/republish/list-reactors.ts';
import type { LayerMover } from '../../../src/core/republish/layer-mover.ts';
import {
  startRoll,
  startRolls,
  type StartRollDeps,
  type WantedRoll,
} from '../../../src/core/republish/start-roll.ts';
import { workInTurn } from '../../../src/core/republish/work-in-turn.ts';
import type { WorkRollDeps } from '../../../src/core/republish/work-roll.ts';
import { aStoredReactor } from '../../support/builders/a-stored-reactor.ts';
import { inSteps, type Step } from '../../support/fakes/in-steps.ts';
import { reactorsIn, tablesInMemory } from '../../support/stores-in-memory.ts';

const hashOf = (generation: number) => String(generation).padStart(64, '0');

export const aLayer = (generation: number, image: Image = 'node16'): LayerVersion => ({
  image,
  generation,
  hash: hashOf(generation),
  arn: `arn:aws:lambda:eu-west-1:1:layer:runtime-${image}:${String(generation)}`,
});

const layerOf = (generation: number, image: Image): Layer => {
  const { arn: _, ...layer } = aLayer(generation, image);
  return layer;
};

const PACKAGES: PackagesRecord = { digest: 'd', image: 'node16', dependencies: {}, id: 'p', bytes: 8 };

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
  const present: Record<Image, LayerVersion> = { node16: aLayer(2), node24: aLayer(2, 'node24') };
  let together = 0;
  /** How many reactors were moved together, each time. */
  const groups: number[] = [];
  /** Events have these images, in this order. */
  const events: Image[] = [];
  /** Functions of reactors, and the images of the layers that were published into them. */
  const published: (readonly [id: string, image: Image])[] = [];
  /** The images whose layers were proven. */
  const proven: Image[] = [];
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
    prove({ image, generation }) {
      proven.push(image);
      return Promise.resolve(loads('own', generation));
    },
    async publish({ id, functionVersion }, { generation, image }) {
      published.push([id, image]);
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
  const deps = (): WorkRollDeps & StartRollDeps & ListLayersDeps => ({
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
      send: (image) => {
        sent += 1;
        events.push(image);
        return Promise.resolve();
      },
    },
    layerMover: inSteps(layerMover, step),
    layerFinder: {
      present: ({ image }) => Promise.resolve(present[image]),
      generation: (image, generation) =>
        Promise.resolve(generation < 5 ? aLayer(generation, image) : undefined),
    },
    presentLayers: present,
    onFailure: (error) => failures.push(error),
  });

  /** Works until no event is left, as the function does. Returns how many it took. */
  async function work(...first: readonly Image[]): Promise<number> {
    const queue = first.length === 0 ? (['node16'] as Image[]) : [...first];
    for (let call = 1; call <= 100; call += 1) {
      const image = queue.shift();
      if (image === undefined) return call - 1;
      queue.push(...(await workInTurn(deps(), image, now + STEP_MS)));
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
    async add(
      more: Partial<StoredReactor> = {},
      generation = 1,
      image: Image = 'node16',
      locked: readonly string[] = [],
    ): Promise<StoredReactor> {
      const reactor = aStoredReactor({
        layer: layerOf(generation, image),
        layerSince: 1,
        functionVersion: '1',
        ...(locked.length > 0 && { packages: PACKAGES }),
        ...more,
      });
      const packages = locked.length === 0 ? undefined : { encrypted: Buffer.from('packages'), locked };
      await reactorStore.create(reactor, 100, packages);
      functions.set(reactor.id, { live: '1', versions: new Map([['1', generation]]) });
      return reactor;
    },
    start: (wanted: Partial<WantedRoll> = {}) => startRoll(deps(), { image: 'node16', ...wanted }),
    startAll: (tenantId?: string) => startRolls(deps(), tenantId),
    work,
    roll: (image: Image = 'node16') => createRollStore(table).find(image),
    reactors: () => reactorsIn(tables),
    /** The generation that the callers of a reactor get. */
    runs: (id: string) => {
      const found = functions.get(id);
      return found?.versions.get(found.live);
    },
    deploy: (generation: number, image: Image = 'node16') => {
      present[image] = aLayer(generation, image);
    },
    events,
    proven,
    published,
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
