/** A number as the document writes it: `10,000`. */
export const counted = (count: number): string => count.toLocaleString('en');

/** Bytes as MB of 1,000,000 of them: `3.5 MB`. */
export const megabytes = (bytes: number): string => `${String(bytes / 1_000_000)} MB`;
