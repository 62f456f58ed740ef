import { COUNT_MAX, sliceAfter, sliceNumbered } from '../../../src/core/lists/pagination.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

interface Entry {
  readonly position: string;
  readonly visible: boolean;
}

const isVisible = (entry: Entry) => entry.visible;
const anEntry = (index: number, visible: boolean): Entry => ({
  position: String(index).padStart(6, '0'),
  visible,
});

async function* batches(entries: readonly Entry[], size = 37): AsyncGenerator<readonly Entry[]> {
  yield [];
  for (let at = 0; at < entries.length; at += size) yield await Promise.resolve(entries.slice(at, at + size));
}

const after = (entries: readonly Entry[], position: string | undefined) =>
  position === undefined ? entries : entries.filter((entry) => entry.position > position);

/** Follows the cursors from a position to the end. */
async function walk(entries: readonly Entry[], from: string | undefined, size: number): Promise<Entry[]> {
  const seen: Entry[] = [];
  let position = from;
  for (let page = 0; page < 10_000; page += 1) {
    const slice = await sliceAfter(batches(after(entries, position)), isVisible, size);
    expect(slice.entries.length).toBeLessThanOrEqual(size);
    seen.push(...slice.entries);
    if (slice.next === undefined) return seen;
    if (position !== undefined) expect(slice.next > position).toBe(true);
    position = slice.next;
  }
  throw new Error('the walk does not end');
}

const list = fc
  .array(fc.boolean(), { maxLength: 120 })
  .map((visible) => visible.map((each, index) => anEntry(index, each)));
const size = fc.integer({ min: 1, max: 20 });

describe('a numbered page', () => {
  it('has the entries of a slice of all visible ones, and counts them', async () => {
    await fc.assert(
      fc.asyncProperty(list, size, fc.integer({ min: 1, max: 12 }), async (entries, pageSize, page) => {
        const visible = entries.filter(isVisible);
        const slice = await sliceNumbered(batches(entries), isVisible, { page, size: pageSize });
        expect(slice.entries).toEqual(visible.slice((page - 1) * pageSize, page * pageSize));
        expect(slice.total).toEqual({ items: visible.length, isLowerBound: false });
        expect(slice.next !== undefined).toBe(visible.length > page * pageSize);
      }),
      { numRuns: cases(150) },
    );
  });

  it('and the pages by cursor after it have every entry once', async () => {
    await fc.assert(
      fc.asyncProperty(list, size, async (entries, pageSize) => {
        const first = await sliceNumbered(batches(entries), isVisible, { page: 1, size: pageSize });
        const rest = first.next === undefined ? [] : await walk(entries, first.next, pageSize);
        expect([...first.entries, ...rest]).toEqual(entries.filter(isVisible));
      }),
      { numRuns: cases(70) },
    );
  });

  it('counts exactly up to 10,000, and reports a lower bound beyond', async () => {
    const entries = Array.from({ length: COUNT_MAX + 1 }, (_, index) => anEntry(index, true));
    const last = { page: COUNT_MAX / 100, size: 100 };
    const all = await sliceNumbered(batches(entries.slice(1), 1000), isVisible, last);
    expect(all.total).toEqual({ items: COUNT_MAX, isLowerBound: false });
    expect(all.next).toBeUndefined();
    const more = await sliceNumbered(batches(entries, 1000), isVisible, last);
    expect(more.total).toEqual({ items: COUNT_MAX, isLowerBound: true });
    expect(more.entries).toHaveLength(100);
    expect(more.next).toBe(entries[COUNT_MAX - 1]?.position);
  });

  it('still leads to the visible entries when it stopped before the first of them', async () => {
    const entries = Array.from({ length: COUNT_MAX * 2 + 500 }, (_, index) =>
      anEntry(index, index >= COUNT_MAX * 2 + 300),
    );
    const slice = await sliceNumbered(batches(entries, 1000), isVisible, { page: 1, size: 20 });
    expect(slice.entries).toEqual([]);
    expect(slice.total).toEqual({ items: 0, isLowerBound: true });
    expect(slice.next).toBeDefined();
    expect(await walk(entries, slice.next, 50)).toEqual(entries.filter(isVisible));
  });

  it('reads no further than it counts', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<readonly Entry[]> {
      for (;;) {
        read += 100;
        yield await Promise.resolve(Array.from({ length: 100 }, (_, index) => anEntry(read + index, false)));
      }
    }
    await sliceNumbered(endless(), isVisible, { page: 1, size: 20 });
    expect(read).toBeLessThanOrEqual(COUNT_MAX * 2 + 100);
    read = 0;
    await sliceAfter(endless(), isVisible, 20);
    expect(read).toBeLessThanOrEqual(COUNT_MAX + 100);
  });
});

describe('a page after a cursor', () => {
  it('returns every entry once, in order, for any size', async () => {
    await fc.assert(
      fc.asyncProperty(list, size, async (entries, pageSize) => {
        expect(await walk(entries, undefined, pageSize)).toEqual(entries.filter(isVisible));
      }),
      { numRuns: cases(100) },
    );
  });

  it('has a next page exactly when a visible entry follows, unless it stopped early', async () => {
    await fc.assert(
      fc.asyncProperty(list, size, async (entries, pageSize) => {
        const slice = await sliceAfter(batches(entries), isVisible, pageSize);
        expect(slice.next !== undefined).toBe(entries.filter(isVisible).length > pageSize);
        expect(slice.total).toBeUndefined();
      }),
    );
  });

  it('stops after 10,000 invisible entries, and the next page continues from there', async () => {
    const entries = Array.from({ length: COUNT_MAX + 5 }, (_, index) =>
      anEntry(index, index === COUNT_MAX + 2),
    );
    const slice = await sliceAfter(batches(entries, 999), isVisible, 5);
    expect(slice).toEqual({ entries: [], next: entries[COUNT_MAX - 1]?.position });
    expect(await walk(entries, undefined, 5)).toEqual(entries.filter(isVisible));
  });
});
