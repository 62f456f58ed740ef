import { invalid } from '../shared/service-error.ts';

function decodedPath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/**
 * Finds a part of a path below a destination that some server resolves against the base path;
 * `undefined` if there is none. RFC 3986, section 5.2.4 has the segments. Servers may also accept
 * parameters after `;`, a backslash as separator, an encoded `?` or `#` as the end, and blanks or
 * control characters.
 */
export function forbiddenInPath(suffix: string): string | undefined {
  const decoded = decodedPath(suffix);
  if (decoded === undefined) return 'what is not well encoded';
  return hasDotSegment(decoded) ? 'a segment . or ..' : undefined;
}

const hasDotSegment = (decoded: string): boolean =>
  /(?:^|[/\\])\.{1,2}(?:[/\\;?#]|$)/.test(decoded.replaceAll(/[\s\p{Cc}]/gu, ''));

/** Throws `validation_failed` for a path below the proxy that could leave its base path. */
export function checkSuffix(suffix: string): void {
  const found = forbiddenInPath(suffix);
  if (found !== undefined) throw invalid('path', `must not contain ${found} below /proxy`);
}

/**
 * Throws `validation_failed` for a path below a stored proxy that a server could read in another
 * way than its patterns do: besides what {@link checkSuffix} rejects, a backslash, an empty segment
 * in the middle, and what is encoded although it has a meaning in paths.
 */
export function checkStrictSuffix(suffix: string): void {
  checkSuffix(suffix);
  if (/%(?:2f|5c|2e|25)/i.test(suffix) || /\\|\/\//.test(suffix))
    throw invalid('path', 'must not contain //, a backslash, or an encoded /, \\, . or % below /proxy');
  const decoded = decodedPath(suffix) ?? '';
  if (/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(decoded))
    throw invalid('path', 'must not contain control or invisible characters below /proxy');
  // Some servers replace characters by similar ones (UAX #15, and tables of older charsets).
  const similar = decoded.replaceAll(/[\0-~]/g, '').normalize('NFKC');
  const isRead = /[./\\%\u2044\u2215\u2216\u00a5\u20a9\u066a]/.test(similar);
  if (isRead || hasDotSegment(decoded.normalize('NFKC')))
    throw invalid('path', 'must not contain characters that some servers read as . / \\ or % below /proxy');
}
