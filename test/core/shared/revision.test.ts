import { entityTag, firstRevision, nextRevision } from '../../../src/core/shared/revision.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const { random } = machinePlatform;
const id = 'one';

describe('an entity tag', () => {
  it('does not come back for a resource that is made again under its id', () => {
    const tags = Array.from({ length: 100 }, () => entityTag({ id, revision: firstRevision(random) }));
    expect(new Set(tags).size).toBe(100);
  });

  it('does not come back after a restore, whatever changes follow', () => {
    const restored = { id, revision: firstRevision(random) };
    const history = () => {
      const states = [nextRevision(random, restored)];
      for (let change = 0; change < 50; change += 1)
        states.push(nextRevision(random, { revision: states.at(-1) ?? 0 }));
      return states;
    };
    const before = history();
    const after = history();
    expect(after.filter((revision) => before.includes(revision))).toEqual([]);
    expect(before.toSorted((one, other) => one - other)).toEqual(before);
    expect(before.every(Number.isSafeInteger)).toBe(true);
  });
});
