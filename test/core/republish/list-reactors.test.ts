import { listReactors } from '../../../functions/operator/republish-commands.ts';
import { parseCommand } from '../../../src/operator/command-input.ts';
import { aRollWorld } from './a-roll-world.ts';

type World = ReturnType<typeof aRollWorld>;
type Deps = ReturnType<World['deps']>;

const one = (deps: Deps, flags: object) => {
  const { input } = parseCommand({ command: 'list-reactors', ...flags });
  return listReactors(deps, input as Parameters<typeof listReactors>[1]);
};

/** Repeats the command until its last step, and returns the members of all rows that it shows. */
async function listed(deps: Deps, flags: object) {
  const rows = [];
  let next: object | null = {};
  while (next !== null) {
    const step = await one(deps, { ...flags, ...next });
    rows.push(...step.reactors);
    ({ next } = step);
  }
  return rows;
}

const FORGE = ['a@1.0.0', 'node-forge@1.2.0', 'node-forge@1.3.1', '@types/node-forge@2.0.0'];

describe('a list of reactors with a package', () => {
  it('has those of all tenants and images whose bundle has it, each with its versions', async () => {
    const world = aRollWorld();
    const first = await world.add({}, 1, 'node16', FORGE);
    await world.add({}, 1, 'node16', ['node-forge-2@1.3.1', 'forge@1.3.1']);
    await world.add();
    const second = await world.add({}, 2, 'node24', ['node-forge@1.3.1']);
    const versionsOf = async (flags: object) =>
      (await listed(world.deps(), flags)).map(({ tenant_id, reactor_id, versions }) => [
        tenant_id,
        reactor_id,
        versions,
      ]);
    const rowOf = ({ tenantId, id }: typeof first, ...versions: string[]) => [tenantId, id, versions];
    expect(await versionsOf({ package: 'node-forge' })).toEqual([
      rowOf(first, '1.2.0', '1.3.1'),
      rowOf(second, '1.3.1'),
    ]);
    expect(await versionsOf({ package: 'node-forge@1.2.0' })).toEqual([rowOf(first, '1.2.0')]);
    expect(await versionsOf({ package: '@types/node-forge' })).toEqual([rowOf(first, '2.0.0')]);
    expect(await versionsOf({ package: 'node-forge', outdated: true })).toEqual([
      rowOf(first, '1.2.0', '1.3.1'),
    ]);
    expect(await versionsOf({ package: 'node-forge', image: 'node24' })).toEqual([rowOf(second, '1.3.1')]);
    expect(await versionsOf({ package: 'toString' })).toEqual([]);
  });

  it('reads at most 500 reactors in a step, however few have the package, and goes on behind them', async () => {
    const world = aRollWorld();
    for (let count = 0; count < 499; count += 1) await world.add();
    const others = [];
    for (let count = 0; count < 3; count += 1)
      others.push(await world.add({}, 1, 'node24', ['node-forge@1.3.1']));
    const read: number[] = [];
    const deps: Deps = {
      ...world.deps(),
      reactorStore: {
        ...world.deps().reactorStore,
        findLocked(reactors) {
          read.push(reactors.length);
          return world.deps().reactorStore.findLocked(reactors);
        },
      },
    };
    const first = await one(deps, { package: 'node-forge' });
    expect([first.reactors.length, read]).toEqual([1, [100, 100, 100, 100, 99, 1]]);
    const rest = await one(deps, { package: 'node-forge', ...first.next });
    expect([rest.reactors.length, rest.next, read.slice(6)]).toEqual([2, null, [2]]);
    expect([...first.reactors, ...rest.reactors].map(({ reactor_id: id }) => id).sort()).toEqual(
      others.map(({ id }) => id).sort(),
    );
    // Another list reads no bundle, and shows no versions.
    read.length = 0;
    const all = await listed(deps, {});
    expect([all.length, read, all.some((row) => 'versions' in row)]).toEqual([502, [], false]);
  });

  it('shows 20 versions and the number of others, so that no author makes it fail', async () => {
    const world = aRollWorld();
    const many = Array.from({ length: 500 }, (_, at) => `a@0.0.${String(at)}`);
    await world.add({}, 1, 'node16', many);
    const [row] = await listed(world.deps(), { package: 'a' });
    expect([row?.versions?.length, row?.more_versions]).toEqual([20, 480]);
  });
});
