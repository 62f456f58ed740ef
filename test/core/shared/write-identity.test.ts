import { randomBytes } from 'node:crypto';
import { randomIdentity, repeatableIdentity } from '../../../src/core/shared/write-identity.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the random values of a request', () => {
  it('are the same in the same order for the same seed, and differ for another seed', () => {
    const draw = (seed: Buffer) => {
      const identity = repeatableIdentity(seed, 0);
      return [
        identity.newId(),
        identity.newWriteId().toString('hex'),
        identity.newId(),
        identity.newWriteId().toString('hex'),
      ];
    };
    const seed = randomBytes(32);
    expect(draw(seed)).toEqual(draw(Buffer.from(seed)));
    expect(new Set([...draw(seed), ...draw(randomBytes(32))]).size).toBe(8);
  });

  it('never repeat, and are UUIDs version 4 and 12 bytes', () => {
    for (const identity of [randomIdentity(machinePlatform.random), repeatableIdentity(randomBytes(32), 0)]) {
      const ids = Array.from({ length: 500 }, () => identity.newId());
      expect(new Set(ids).size).toBe(500);
      for (const id of ids) expect(id).toMatch(UUID_4);
      expect(identity.newWriteId()).toHaveLength(12);
    }
  });

  it('are all integers below the limit, the same for the same seed', () => {
    const seed = randomBytes(32);
    const draw = () => {
      const identity = repeatableIdentity(seed, 0);
      return Array.from({ length: 500 }, () => identity.randomInt(10));
    };
    expect(draw()).toEqual(draw());
    for (const numbers of [
      draw(),
      Array.from({ length: 500 }, () => randomIdentity(machinePlatform.random).randomInt(10)),
    ])
      expect([...new Set(numbers)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
