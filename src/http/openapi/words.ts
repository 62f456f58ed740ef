/** A number as the document writes it: `10,000`. */
export const counted = (count: number): string => count.toLocaleString('en');

/** A duration in the largest unit that divides it: `1 hour`. */
export function duration(ms: number): string {
  const [count, unit] =
    ms % 3_600_000 === 0
      ? [ms / 3_600_000, 'hour']
      : ms % 60_000 === 0
        ? [ms / 60_000, 'minute']
        : [ms / 1_000, 'second'];
  return `${counted(count)} ${unit}${count === 1 ? '' : 's'}`;
}

/** Bytes in MB of 1,000,000 bytes: `3.5 MB`. */
export const megabytes = (bytes: number): string => `${String(bytes / 1_000_000)} MB`;
