/** Segments that URLs resolve. */
const isDots = (segment: string): boolean => segment === '.' || segment === '..';

/**
 * One path segment. Throws `TypeError` for an id that leads elsewhere: URLs resolve `.` and `..`.
 * API Gateway decodes twice: an encoded `/` splits segments, and the id `?` would be the list.
 */
function segmentOf(id: string): string {
  if (typeof id === 'string' && id !== '' && !isDots(id) && !/[/\\?#%\p{Cc}\p{Cs}]/u.test(id))
    return encodeURIComponent(id);
  throw new TypeError('An id is text that is not empty, no . or .., and has no / \\ ? # % in it');
}

/** `/tokens/t1` from `/tokens/{id}` and `t1`. Throws `TypeError` for an invalid id. */
export function pathOf(template: string, ids: readonly string[] = []): string {
  let at = 0;
  return template.replace(/\{\w+\}/g, () => segmentOf(ids[at++] ?? ''));
}

/** The path after every level of decoding. */
function laidBare(path: string): string {
  const once = path.replace(/%(?:25|2e|2f|5c)/gi, decodeURIComponent);
  return once === path ? path : laidBare(once);
}

/**
 * The path after `/proxy`, empty or with a leading slash: it stays below `/proxy`, and below the
 * path of the destination. Throws `TypeError`.
 */
export function proxyPathOf(path: string): string {
  if (typeof path !== 'string' || /[\\\p{Cc}\p{Cs}]/u.test(path))
    throw new TypeError('path must be text without \\ and control characters');
  // API Gateway cuts the path at an encoded question mark.
  if (/[?#]|%3f/i.test(path))
    throw new TypeError('path must be without ? and #: what follows ? goes into query');
  if (laidBare(path).split(/[/\\]/).some(isDots))
    throw new TypeError('path must be without the segments . and ..');
  // URLs drop a trailing space.
  const encoded = path.replace(/ /g, '%20');
  return encoded === '' || encoded.startsWith('/') ? encoded : `/${encoded}`;
}

/**
 * The address below `base`. Throws `TypeError` unless the resolved path stays below `prefix`, and
 * contains it unchanged.
 */
export function addressOf(base: string, prefix: string, rest: string): string {
  const { href, pathname } = new URL(base + prefix + rest);
  const wanted = new URL(base + prefix);
  const isBelow = pathname === wanted.pathname || pathname.startsWith(`${wanted.pathname}/`);
  if (!isBelow || wanted.href !== base + prefix) throw new TypeError('The path leads out of its place');
  return href;
}
