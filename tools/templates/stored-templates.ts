const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON merge patch (RFC 7396) that turns one value without `null` into another one. */
export function mergePatchOf(from: unknown, to: unknown): unknown {
  if (!isObject(from) || !isObject(to)) return to;
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]))
      .map((name) => [name, name in to ? mergePatchOf(from[name], to[name]) : null]),
  );
}

/** Settings, stacks, sections and resources are levels; a resource is one line. */
const LEVELS = 4;

/** JSON with one line for each resource, so that a change of a release is a change of few lines. */
export function printedTemplates(value: unknown, level = LEVELS): string {
  if (level === 0 || !isObject(value) || Object.keys(value).length === 0) return JSON.stringify(value);
  const indent = ' '.repeat(LEVELS - level + 1);
  const members = Object.entries(value).map(
    ([name, member]) => `${indent}${JSON.stringify(name)}: ${printedTemplates(member, level - 1)}`,
  );
  const end = level === LEVELS ? '\n' : '';
  return `{\n${members.join(',\n')}\n${indent.slice(1)}}${end}`;
}
