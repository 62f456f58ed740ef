/** The entries that were read of a source, newest first. */
export interface NewestFirst<Entry> {
  readonly entries: readonly Entry[];
  /** The lowest position that was read; absent if no entries are left below it. */
  readonly readTo?: string | undefined;
}

/**
 * Merges sources, newest first, down to `floor`. A source that was read less far than the others
 * may have the next entries. Without a `floor`, no source has entries left.
 */
export function mergeNewestFirst<Entry extends { readonly position: string }>(
  sources: readonly NewestFirst<Entry>[],
): { readonly entries: readonly Entry[]; readonly floor: string | undefined } {
  const ends = sources.flatMap(({ readTo }) => readTo ?? []);
  const floor =
    ends.length === 0 ? undefined : ends.reduce((highest, end) => (end > highest ? end : highest));
  const entries = sources
    .flatMap((source) => source.entries)
    .filter(({ position }) => floor === undefined || position >= floor)
    .toSorted((a, b) => (a.position < b.position ? 1 : -1));
  return { entries, floor };
}
