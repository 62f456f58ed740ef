import { createHistory } from '../../src/dynamodb/history.ts';
import { aThing } from './a-dynamodb.ts';

const first = aThing('a', '1', { text: { S: 'first' } });
const second = aThing('a', '1', { text: { S: 'second' } });

it('returns what each item was at a time, and nothing of later times or other tables', () => {
  let now = 10;
  const history = createHistory(() => now);
  const write = (at: number, table: string, key: string, before: typeof first | undefined) => {
    now = at;
    history.record(table, key, before);
  };
  write(20, 'T', 'a', undefined);
  write(30, 'T', 'a', first);
  write(40, 'T', 'a', second);
  write(40, 'U', 'b', first);
  expect([...history.differences('T', 19)]).toEqual([['a', undefined]]);
  expect([...history.differences('T', 20)]).toEqual([['a', first]]);
  expect([...history.differences('T', 30)]).toEqual([['a', second]]);
  expect([...history.differences('T', 40)]).toEqual([]);
  expect(history.since()).toBe(10);
});

it('drops the oldest writes beyond its size, and begins after them', () => {
  let now = 0;
  const history = createHistory(() => now, 1_000);
  for (now = 1; now <= 100; now += 1) history.record('T', String(now), undefined);
  const since = history.since();
  expect(since).toBeGreaterThan(90);
  expect([...history.differences('T', since).keys()]).toEqual(
    Array.from({ length: 100 - since }, (_, index) => String(100 - index)),
  );
});
