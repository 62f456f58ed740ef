import type { CheckCursor, CheckState } from '../../src/core/trail/check-latest.ts';

/** The contract of every {@link CheckCursor}; `make` returns an empty one. */
export function checkCursorContract(name: string, make: () => CheckCursor): void {
  it(`the cursor of the check, ${name}, replaces only the revision that a run has read`, async () => {
    const cursor = make();
    const first: CheckState = { to: 1, broken: [] };
    const broken = { interval: { from: 1, to: 2 }, trail: 'a', place: '00:b', what: 'gone' };
    const second: CheckState = {
      to: 2,
      chunk: { to: 3, after: 'a', open: [['b', 2]] },
      broken: [{ from: 1, foundAt: 5, failures: 2, first: broken }],
    };
    expect(await cursor.read()).toBeUndefined();
    expect(await cursor.save(second, 1)).toBe(false);
    expect(await cursor.save(first, 0)).toBe(true);
    expect(await cursor.save(second, 0)).toBe(false);
    expect(await cursor.read()).toEqual({ state: first, revision: 1 });
    expect(await cursor.save(second, 1)).toBe(true);
    expect(await cursor.save(first, 1)).toBe(false);
    expect(await cursor.read()).toEqual({ state: second, revision: 2 });
  });
}
