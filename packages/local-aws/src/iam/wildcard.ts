/** Policies are few and fixed, calls are many: every pattern is compiled once. */
function compiledOnce(compile: (pattern: string) => RegExp): (pattern: string) => RegExp {
  const compiled = new Map<string, RegExp>();
  return (pattern) => {
    const known = compiled.get(pattern);
    if (known !== undefined) return known;
    const made = compile(pattern);
    compiled.set(pattern, made);
    return made;
  };
}

/** Returns the source of a regular expression. A wildcard matches characters of the class `any`. */
function sourceOf(pattern: string, any: string): string {
  return pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', `${any}*`)
    .replaceAll('?', any);
}

/** `arn:partition:service:region:account:resource`, where the resource may contain more colons. */
function arnSourceOf(pattern: string): string {
  const parts = pattern.split(':');
  const resource = parts.length > 5 ? [sourceOf(parts.slice(5).join(':'), '.')] : [];
  return [...parts.slice(0, 5).map((part) => sourceOf(part, '[^:]')), ...resource].join(':');
}

const exactly = compiledOnce((pattern) => new RegExp(`^${sourceOf(pattern, '.')}$`, 's'));
const ignoringCase = compiledOnce((pattern) => new RegExp(`^${sourceOf(pattern, '.')}$`, 'si'));
const asArn = compiledOnce((pattern) => new RegExp(`^${arnSourceOf(pattern)}$`, 's'));

/** IAM's wildcards: `*` any run of characters, `?` exactly one. */
export function matchesWildcard(pattern: string, value: string): boolean {
  return exactly(pattern).test(value);
}

export function matchesWildcardIgnoringCase(pattern: string, value: string): boolean {
  return ignoringCase(pattern).test(value);
}

/**
 * An ARN pattern matches part by part, so a wildcard never extends over a colon. `*` alone matches
 * all.
 */
export function matchesArn(pattern: string, arn: string): boolean {
  return pattern === '*' || asArn(pattern).test(arn);
}
