export const HOUR_MS = 60 * 60_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * An index covers some of the records of one trail (docs/audit.md#index). A `part` is within an
 * hour. A `day` is at most a day, and is made from the records when the day is long over.
 */
export const INDEX_LEVELS = ['part', 'day'] as const;
export type IndexLevel = (typeof INDEX_LEVELS)[number];

/** How long after a day its index is made, so that it has late records too. */
export const DAY_LATE_MS = 2 * HOUR_MS;

/** How long a `part` is stored after its end. By then the day has an index of its own. */
export const PART_INDEX_LIFETIME_MS = 45 * DAY_MS;
