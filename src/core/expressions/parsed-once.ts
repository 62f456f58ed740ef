/** What is kept at most, and how long a source may be for it, in characters. */
const KEPT_MAX = 1_000;
export const SOURCE_MAX_LENGTH = 400;

/**
 * A parser that keeps what it made of short sources, oldest out first, and only of those that
 * `mayKeep` allows. It must answer the same for the same source; what it throws is not kept.
 */
export function parsedOnce<T extends object>(
  parse: (source: string) => T,
  mayKeep: (parsed: T) => boolean = () => true,
): (source: string) => T {
  const kept = new Map<string, T>();
  return (source) => {
    const known = kept.get(source);
    if (known !== undefined) return known;
    const parsed = parse(source);
    if (source.length <= SOURCE_MAX_LENGTH && mayKeep(parsed)) {
      const oldest = kept.size < KEPT_MAX ? undefined : kept.keys().next().value;
      if (oldest !== undefined) kept.delete(oldest);
      kept.set(source, parsed);
    }
    return parsed;
  };
}
