import { encodeStatement, earliestExpiry, statementOf } from '../../../src/core/trail/seal.ts';

const ROOT = 'A'.repeat(43);
const from = 60_000_000;
const statement = {
  from,
  to: from + 60_000,
  part: 1,
  more: 'b',
  previous: ROOT,
  expires: earliestExpiry(from),
  entries: [['a', 1, ROOT, 1] as const, ['b', 2, ROOT, 2 ** 31] as const],
  indexes: [['a', 'part', from, from + 1, ROOT] as const],
  progress: { hours: { time: from }, days: { time: from, trail: 'a', at: from + 1 }, asked: { done: 'x' } },
};
const read = (body: string, place = { from, part: 1 }) =>
  statementOf({ ...place, body, signature: Buffer.alloc(0) });
const changed = (change: object) => encodeStatement({ ...statement, ...change });

describe('the statement of a seal', () => {
  it('is read as it was written', () => {
    expect(read(encodeStatement(statement))).toEqual({ v: 1, ...statement });
  });

  it.each([
    ['another version', encodeStatement(statement).replace('"v":1', '"v":2')],
    ['another order of members', JSON.stringify({ ...statement, v: 1 })],
    ['an additional member', encodeStatement(statement).replace('"v":1', '"v":1,"w":1')],
    ['a space', `${encodeStatement(statement)} `],
    ['a text that is not JSON', encodeStatement(statement).slice(1)],
    ['null', 'null'],
    ['part of a minute', changed({ to: from + 1_000 })],
    ['an interval of 16 minutes', changed({ to: from + 960_000 })],
    ['an interval without length', changed({ to: from })],
    ['part 0', changed({ part: 0 })],
    ['a trail after those of the part', changed({ more: 'a' })],
    ['a shard that does not exist', changed({ entries: [['a', 1, ROOT, 2 ** 32]] })],
    ['an index of an unknown level', changed({ indexes: [['a', 'week', from, from + 1, ROOT]] })],
    ['no progress', changed({ progress: undefined })],
    ['a hash that is too short', changed({ previous: ROOT.slice(1) })],
    ['an expiry within the smallest retention', changed({ expires: earliestExpiry(from) - 1 })],
    ['entries without an expiry', changed({ expires: undefined })],
    ['an expiry without entries', changed({ entries: [] })],
    ['entries out of order', changed({ entries: statement.entries.toReversed() })],
    ['a trail twice', changed({ entries: [statement.entries[0], statement.entries[0]] })],
    ['an entry without records', changed({ entries: [['a', 0, ROOT, 1]] })],
    ['an entry without a root', changed({ entries: [['a', 1, '', 1]] })],
  ])('is rejected with %s', (_what, body) => {
    expect(() => read(body)).toThrow();
  });

  it('is rejected at the place of another seal', () => {
    const body = encodeStatement(statement);
    expect(() => read(body, { from: from + 60_000, part: 1 })).toThrow('at the place of another one');
    expect(() => read(body, { from, part: 2 })).toThrow('at the place of another one');
  });
});
