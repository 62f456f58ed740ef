/** A page that a caller asks for: by number, or from where an earlier page ended. */
export type PageRequest =
  | { readonly kind: 'numbered'; readonly page: number; readonly size: number }
  | { readonly kind: 'after'; readonly cursor: string; readonly size: number };

/**
 * What a page says about itself. `counted` is there for numbered pages alone
 * (docs/contract.md#lists).
 */
export interface PageInfo {
  readonly counted?: { readonly page: number; readonly items: number; readonly isLowerBound: boolean };
  readonly size: number;
  /** Where the next page starts; `null` when nothing follows. */
  readonly after: string | null;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly info: PageInfo;
}

export const PAGE_SIZE_DEFAULT = 20;
export const PAGE_SIZE_MAX = 100;
/** Where counting stops, and the deepest item that a numbered page may reach. */
export const COUNT_MAX = 10_000;

/**
 * A page of entries before they are read, with the position of the last one examined if anything
 * may follow it.
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
 * Takes up to `size` entries, and looks whether another one follows. Gives up after
 * {@link COUNT_MAX} entries examined.
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

/**
 * Takes the entries of a numbered page and counts all visible ones, up to {@link COUNT_MAX} of
 * them.
 */
export async function sliceNumbered<Entry extends Positioned>(
  batches: AsyncIterable<readonly Entry[]>,
  isVisible: (entry: Entry) => boolean,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<Slice<Entry>> {
  const [from, to] = [(page - 1) * size, page * size];
  const entries: Entry[] = [];
  let [visible, examined] = [0, 0];
  let isLowerBound = false;
  let last: string | undefined;
  walk: for await (const batch of batches) {
    for (const entry of batch) {
      isLowerBound = visible === COUNT_MAX || examined === COUNT_MAX * 2;
      if (isLowerBound) break walk;
      examined += 1;
      // Also of one that is not visible: the walk may end before it has found any that is.
      if (visible < to) last = entry.position;
      if (!isVisible(entry)) continue;
      if (visible >= from && visible < to) entries.push(entry);
      visible += 1;
    }
  }
  const follows = visible > to || isLowerBound;
  return { entries, total: { items: visible, isLowerBound }, next: follows ? last : undefined };
}
