/** What URLs resolve instead of keeping it. */
const isDots = (segment: string): boolean => segment === '.' || segment === '..';

/**
 * One segment of a path. What no id has and what would lead elsewhere is refused, encoded or not:
 * URLs resolve `.` and `..`, and API Gateway decodes a path, twice, before it looks for the route,
 * so that an encoded `/` divides, and an encoded `?` ends it: the id `?` would be the list. Throws
 * `TypeError`.
 */
function segmentOf(id: string): string {
  if (typeof id === 'string' && id !== '' && !isDots(id) && !/[/\\?#%\p{Cc}\p{Cs}]/u.test(id))
    return encodeURIComponent(id);
  throw new TypeError('An id is text that is not empty, no . or .., and has no / \\ ? # % in it');
}

/** `/tokens/t1`, of `tokens` and `t1`. Throws `TypeError` for what cannot be an id. */
export const pathOf = (...segments: readonly string[]): string =>
  segments.map((segment) => `/${segmentOf(segment)}`).join('');

/** The path as whoever decodes it often enough reads it. */
function laidBare(path: string): string {
  const once = path.replace(/%(?:25|2e|2f|5c)/gi, decodeURIComponent);
  return once === path ? path : laidBare(once);
}

/**
 * What follows `/proxy`, empty or with a slash before it: it stays below it, and below the path of
 * the destination. Throws `TypeError`.
 */
export function proxyPathOf(path: string): string {
  if (typeof path !== 'string' || /[\\\p{Cc}\p{Cs}]/u.test(path))
    throw new TypeError('path must be text without \\ and control characters');
  // Where API Gateway finds an encoded question mark, it cuts the path.
  if (/[?#]|%3f/i.test(path))
    throw new TypeError('path must be without ? and #: what follows ? goes into query');
  if (laidBare(path).split(/[/\\]/).some(isDots))
    throw new TypeError('path must be without the segments . and ..');
  // A space at the end of an address would be dropped.
  const kept = path.replace(/ /g, '%20');
  return kept === '' || kept.startsWith('/') ? kept : `/${kept}`;
}

/**
 * The address below `base`. Whatever URLs make of the path, it stays below `prefix`, and that is
 * kept as it is written; throws `TypeError` otherwise.
 */
export function addressOf(base: string, prefix: string, rest: string): string {
  const { href, pathname } = new URL(base + prefix + rest);
  const wanted = new URL(base + prefix);
  const isBelow = pathname === wanted.pathname || pathname.startsWith(`${wanted.pathname}/`);
  if (!isBelow || wanted.href !== base + prefix) throw new TypeError('The path leads out of its place');
  return href;
}
