import { createReactorIndex } from '../../../src/adapters/dynamodb/reactor-index.ts';
import { createNotedLayers } from '../../../src/adapters/dynamodb/roll-store.ts';
import { noteLayers } from '../../../src/core/republish/note-layer.ts';
import { aLayer, aRollWorld } from './a-roll-world.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

it('counts reactors that have had another layer for 14 days, from each deployment of another one on', async () => {
  const world = aRollWorld();
  for (const generation of [1, 1, 2]) await world.add({}, generation);
  await world.add({}, 1, 'node24');
  const table = world.tables.table('Reactors');
  const count = (generation: number, other = 2) =>
    noteLayers({
      clock: world.now,
      notedLayers: createNotedLayers(table),
      reactorIndex: createReactorIndex(table),
      presentLayers: { node16: aLayer(generation), node24: aLayer(other, 'node24') },
    });
  expect(await count(2)).toBe(0);
  world.pass(14 * DAY_MS - 1);
  expect(await count(2)).toBe(0);
  world.pass(1);
  // Two are of one image, and one is of the other.
  expect(await count(2)).toBe(3);
  // A rollback is a deployment of another layer. That of the other image is as old as before.
  expect(await count(1)).toBe(1);
  world.pass(14 * DAY_MS);
  expect(await count(1)).toBe(2);
  expect(await count(1, 1)).toBe(1);
});
