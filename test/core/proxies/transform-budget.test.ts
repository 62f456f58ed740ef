import { STORED_PROXY_LIMITS } from '../../../src/core/proxies/stored-proxy.ts';
import { createTransformBudget } from '../../../src/core/proxies/transform-budget.ts';
import { jsonAt } from '../../../src/core/proxies/json-body.ts';
import type { Message } from '../../../src/core/proxies/message.ts';

const MOST = STORED_PROXY_LIMITS.transformedBytes;
const TOO_LONG = 'the body is too large for its expression and the time that is left';
/** What the slowest search does in a second. */
const A_SECOND = 30_000_000;

function aBudget({ deadline = 25_000 } = {}) {
  const time = { now: 0 };
  return { time, ...createTransformBudget(() => time.now, deadline) };
}

const aMessage = (body: string): Message => ({
  method: 'POST',
  path: '',
  headers: [],
  deferred: [],
  body: Buffer.from(body),
});

describe('the transforms of a call', () => {
  it('read as many bytes together as the limit, however many transforms read them', () => {
    const { read } = aBudget();
    for (let times = 0; times < 20; times += 1) read(MOST / 20);
    expect(() => read(1)).toThrow(`together read at most ${String(MOST)} bytes`);
  });

  it('count elements of JSON that becomes a token or arguments as 50 bytes', () => {
    const elements = 10_000;
    const text = `{"a":[${'0,'.repeat(elements - 1)}0]}`;
    const budget = aBudget();
    budget.read(MOST - 50 * elements - text.length);
    expect(jsonAt(aMessage(text), '$.a', budget)).toHaveLength(elements);
    expect(() => jsonAt(aMessage(text), '$.a', budget)).toThrow('together read at most');
  });
});

describe('searches of regular expressions', () => {
  it('take a second together in the worst case, in one transform or in several', () => {
    const budget = aBudget();
    const search = (steps: number, tookMs: number) =>
      budget.searching((beforeSearch) => {
        beforeSearch(steps);
        budget.time.now += tookMs;
      });
    search(A_SECOND, 600);
    expect(() => search(0.41 * A_SECOND, 0)).toThrow(TOO_LONG);
    search(0.4 * A_SECOND, 390);
    expect(() => search(0.02 * A_SECOND, 0)).toThrow(TOO_LONG);
    expect(() =>
      aBudget().searching((beforeSearch) => {
        beforeSearch(A_SECOND);
        beforeSearch(1.1 * A_SECOND);
      }),
    ).toThrow(TOO_LONG);
  });

  it('are counted while a transform makes many, and when one fails', () => {
    const budget = aBudget();
    expect(() =>
      budget.searching((beforeSearch) => {
        for (;;) {
          beforeSearch(0.1 * A_SECOND);
          budget.time.now += 100;
        }
      }),
    ).toThrow(TOO_LONG);
    expect(budget.time.now).toBe(1_000);
    expect(() => budget.searching((beforeSearch) => beforeSearch(1))).toThrow(TOO_LONG);
  });

  it('end before the call does, with a margin', () => {
    const { searching, time } = aBudget({ deadline: 1_200 });
    searching((beforeSearch) => beforeSearch(0.4 * A_SECOND));
    time.now = 900;
    expect(() => searching((beforeSearch) => beforeSearch(0.11 * A_SECOND))).toThrow(TOO_LONG);
    searching((beforeSearch) => beforeSearch(0.1 * A_SECOND));
  });
});
