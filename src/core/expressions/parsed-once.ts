/** Most cached results, and the maximum length of a source in the cache, in characters. */
const CACHE_MAX = 1_000;
export const SOURCE_MAX_LENGTH = 400;

/**
 * A parser that caches the results for short sources if `mayKeep` allows it, and drops the oldest
 * first. `parse` must return the same result for the same source; errors are not cached.
 */
export function parsedOnce<T extends object>(
  parse: (source: string) => T,
  mayKeep: (parsed: T) => boolean = () => true,
): (source: string) => T {
  const cache = new Map<string, T>();
  return (source) => {
    const known = cache.get(source);
    if (known !== undefined) return known;
    const parsed = parse(source);
    if (source.length <= SOURCE_MAX_LENGTH && mayKeep(parsed)) {
      const oldest = cache.size < CACHE_MAX ? undefined : cache.keys().next().value;
      if (oldest !== undefined) cache.delete(oldest);
      cache.set(source, parsed);
    }
    return parsed;
  };
}
