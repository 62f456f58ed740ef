import { randomBytes } from 'node:crypto';
import {
  isOfSameRequest,
  randomIdentity,
  repeatableIdentity,
  writeIdOfPart,
} from '../../../src/core/shared/write-identity.ts';
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

  it('are the same for a part, whatever the request and its other parts have drawn', () => {
    const seed = randomBytes(32);
    const alone = repeatableIdentity(seed, 0).part(3).newId();
    const busy = repeatableIdentity(seed, 0);
    const drawn = [busy.newId(), busy.part(1).newId(), busy.part(31).newId(), busy.part(3).part(1).newId()];
    expect(busy.part(3).newId()).toBe(alone);
    expect(new Set([...drawn, alone]).size).toBe(5);
  });

  it('have a write id for each of many records of a request, which name the request', () => {
    const request = randomBytes(12);
    const other = randomBytes(12);
    const ids = [0, 1, 255, 256, 65_535].map((number) => writeIdOfPart(request, number));
    expect(new Set(ids.map((id) => id.toString('hex'))).size).toBe(5);
    for (const id of ids) {
      expect(id).toHaveLength(12);
      expect(isOfSameRequest(id, request)).toBe(true);
      expect(isOfSameRequest(id, writeIdOfPart(other, 0))).toBe(false);
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
