type Flags = 's' | 'si';

const compiled: Readonly<Record<Flags, Map<string, RegExp>>> = { s: new Map(), si: new Map() };

function expressionOf(pattern: string, flags: Flags): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, flags);
}

/** Policies are few and fixed, calls are many: every pattern is compiled once. */
function cached(pattern: string, flags: Flags): RegExp {
  const known = compiled[flags].get(pattern);
  if (known !== undefined) return known;
  const made = expressionOf(pattern, flags);
  compiled[flags].set(pattern, made);
  return made;
}

function hasWildcard(pattern: string): boolean {
  return pattern.includes('*') || pattern.includes('?');
}

/** IAM's wildcards: `*` any run of characters, `?` exactly one. */
export function matchesWildcard(pattern: string, value: string): boolean {
  return pattern === value || (hasWildcard(pattern) && cached(pattern, 's').test(value));
}

export function matchesWildcardIgnoringCase(pattern: string, value: string): boolean {
  return pattern === value || cached(pattern, 'si').test(value);
}

/** `arn:partition:service:region:account:resource`, where the resource may hold more colons. */
function arnParts(arn: string): readonly string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, 5), parts.slice(5).join(':')];
}

/**
 * An ARN pattern matches part by part, so a wildcard never reaches over the colon into the next
 * part. `*` alone matches all.
 */
export function matchesArn(pattern: string, arn: string): boolean {
  if (pattern === '*') return true;
  if (!hasWildcard(pattern)) return pattern === arn;
  const wanted = arnParts(pattern);
  const actual = arnParts(arn);
  return (
    wanted.length === actual.length &&
    wanted.every((part, index) => matchesWildcard(part, actual[index] ?? ''))
  );
}
