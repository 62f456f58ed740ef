type Members = Readonly<Record<string, unknown>>;
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compares a value with one matcher of a pattern. */
function matches(matcher: unknown, value: unknown): boolean {
  if (!isMembers(matcher)) return matcher === value;
  const [[kind, operand] = ['', undefined]] = Object.entries(matcher);
  switch (kind) {
    case 'exists':
      return (value !== undefined) === operand;
    case 'prefix':
      return typeof value === 'string' && value.startsWith(String(operand));
    case 'anything-but':
      return isMembers(operand)
        ? value !== undefined && !matches(operand, value)
        : value !== undefined && ![operand].flat().includes(value);
    case 'numeric': {
      const [operator, bound] = operand as readonly [string, number];
      if (operator !== '<=') throw new Error(`the operator ${operator} is not known here`);
      return typeof value === 'number' && value <= bound;
    }
    default:
      throw new Error(`the matcher ${kind} is not known here`);
  }
}

/**
 * Whether an event matches a pattern (Amazon EventBridge User Guide, Event patterns), as far as the
 * rules of the service need it.
 */
export function eventMatches(pattern: Members, event: unknown): boolean {
  const members = isMembers(event) ? event : {};
  return Object.entries(pattern).every(([name, wanted]) => {
    if (name === '$or') return (wanted as readonly Members[]).some((each) => eventMatches(each, members));
    const value = members[name];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    // One of the members of a list suffices.
    if (isMembers(wanted)) return values.some((each) => eventMatches(wanted, each));
    return (wanted as readonly unknown[]).some((matcher) => values.some((each) => matches(matcher, each)));
  });
}
