function componentMatches(pattern: string, value: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(value);
}

function components(arn: string): readonly string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, 5), parts.slice(5).join(':')];
}

/**
 * IAM's `ArnLike`: `*` and `?` match within each of the six colon-separated components of an ARN.
 */
export function arnLike(pattern: string, arn: string): boolean {
  const values = components(arn);
  return components(pattern).every((component, index) => componentMatches(component, values[index] ?? ''));
}
