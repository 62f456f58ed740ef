/** The requested page: a number, or the position where an earlier page ended. */
export type PageRequest =
  | { readonly kind: 'numbered'; readonly page: number; readonly size: number }
  | { readonly kind: 'after'; readonly cursor: string; readonly size: number };

/** The description of a page. Only numbered pages have `counted` (docs/contract.md#lists). */
export interface PageInfo {
  readonly counted?: { readonly page: number; readonly items: number; readonly isLowerBound: boolean };
  readonly size: number;
  /** Start of the next page; `null` if there is none. */
  readonly after: string | null;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly info: PageInfo;
}

export const PAGE_SIZE_DEFAULT = 20;
export const PAGE_SIZE_MAX = 100;
/** Most items that are counted; no numbered page may reach further. */
export const COUNT_MAX = 10_000;

/**
 * A page of entries before they are read. `next` is the position of the last one that was examined,
 * if others may follow.
 */
export interface Slice<Entry> {
  readonly entries: readonly Entry[];
  readonly total?: { readonly items: number; readonly isLowerBound: boolean };
  readonly next: string | undefined;
}

interface Positioned {
  readonly position: string;
}

/**
 * Collects up to `size` entries, and checks whether another one follows. Stops after examining
 * {@link COUNT_MAX} entries.
 */
export async function sliceAfter<Entry extends Positioned>(
  batches: AsyncIterable<readonly Entry[]>,
  isVisible: (entry: Entry) => boolean,
  size: number,
): Promise<Slice<Entry>> {
  const entries: Entry[] = [];
  let examined = 0;
  let last: string | undefined;
  for await (const batch of batches) {
    for (const entry of batch) {
      if (examined === COUNT_MAX) return { entries, next: last };
      if (isVisible(entry)) {
        if (entries.length === size) return { entries, next: entries.at(-1)?.position };
        entries.push(entry);
      }
      examined += 1;
      last = entry.position;
    }
  }
  return { entries, next: undefined };
}

/** Collects the entries of a numbered page and counts all visible ones, up to {@link COUNT_MAX}. */
export async function sliceNumbered<Entry extends Positioned>(
  batches: AsyncIterable<readonly Entry[]>,
  isVisible: (entry: Entry) => boolean,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<Slice<Entry>> {
  const from = (page - 1) * size;
  const to = page * size;
  const entries: Entry[] = [];
  let visible = 0;
  let examined = 0;
  let isLowerBound = false;
  let last: string | undefined;
  walk: for await (const batch of batches) {
    for (const entry of batch) {
      isLowerBound = visible === COUNT_MAX || examined === COUNT_MAX * 2;
      if (isLowerBound) break walk;
      examined += 1;
      // This may be an entry that is not visible: the walk may end before the next visible one.
      if (visible < to) last = entry.position;
      if (!isVisible(entry)) continue;
      if (visible >= from && visible < to) entries.push(entry);
      visible += 1;
    }
  }
  const follows = visible > to || isLowerBound;
  return { entries, total: { items: visible, isLowerBound }, next: follows ? last : undefined };
}
