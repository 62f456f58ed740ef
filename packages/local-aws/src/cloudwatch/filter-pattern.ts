/** Whether a line of a log matches. Lines that are no JSON object match no pattern of JSON. */
export type LineFilter = (line: string) => boolean;

/** The value that a line which matches adds to the metric. */
export type LineValue = (line: string) => number;

type Members = Readonly<Record<string, unknown>>;
type Condition = (line: Members) => boolean;

const TOKEN =
  /\s*(?:(\$(?:\.\w+)+)|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?)|(&&|\|\||!=|>=|<=|[=<>(){}])|(NOT EXISTS)|(\S+))/gy;

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    if (match[6] !== undefined) throw new Error(`the filter pattern ${text} does not run locally`);
    tokens.push(match[0].trim());
  }
  return tokens;
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

function valueAt(line: Members, path: string): unknown {
  let value: unknown = line;
  for (const name of path.split('.').slice(1))
    value = isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** A quoted text, in which `*` is any text. */
function textPattern(quoted: string): (value: unknown) => boolean {
  const parts = (JSON.parse(quoted) as string)
    .split('*')
    .map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`));
  const pattern = new RegExp(`^${parts.join('.*')}$`, 's');
  return (value) => pattern.test(String(value));
}

const ORDER: ReadonlyMap<string, (a: number, b: number) => boolean> = new Map([
  ['>', (a, b) => a > b],
  ['<', (a, b) => a < b],
  ['>=', (a, b) => a >= b],
  ['<=', (a, b) => a <= b],
]);

function comparison(path: string, operator: string, literal: string): Condition {
  const order = ORDER.get(operator);
  if (order !== undefined) return (line) => order(Number(valueAt(line, path)), Number(literal));
  if (operator !== '=' && operator !== '!=')
    throw new Error(`the operator ${operator} of a filter pattern does not run locally`);
  const isText = literal.startsWith('"');
  const equals = isText ? textPattern(literal) : (value: unknown) => value === Number(literal);
  return (line) => {
    const value = valueAt(line, path);
    // A member that is not there is neither equal nor different.
    return value !== undefined && equals(value) === (operator === '=');
  };
}

/**
 * Parses a pattern for lines of JSON (CloudWatch Logs User Guide, Filter pattern syntax). Throws an
 * Error that names what does not run locally.
 */
export function parseFilterPattern(text: string): LineFilter {
  const tokens = tokensOf(text);
  let position = 0;

  function take(wanted?: string): string {
    const token = tokens[position] ?? '';
    if (wanted !== undefined && token !== wanted)
      throw new Error(`the filter pattern ${text} has ${token} instead of ${wanted}`);
    position += 1;
    return token;
  }

  function operand(): Condition {
    if (tokens[position] === '(') {
      take();
      const inner = either();
      take(')');
      return inner;
    }
    const path = take();
    const operator = take();
    if (operator === 'NOT EXISTS') return (line) => valueAt(line, path) === undefined;
    return comparison(path, operator, take());
  }

  function joined(operator: string, part: () => Condition): readonly Condition[] {
    const all = [part()];
    while (tokens[position] === operator) {
      take();
      all.push(part());
    }
    return all;
  }

  const both = (): Condition => {
    const all = joined('&&', operand);
    return (line) => all.every((each) => each(line));
  };
  function either(): Condition {
    const all = joined('||', both);
    return (line) => all.some((each) => each(line));
  }

  take('{');
  const condition = either();
  take('}');
  return (line) => {
    // Few lines of a log are no JSON, and those cannot match.
    if (!line.startsWith('{')) return false;
    try {
      return condition(JSON.parse(line) as Members);
    } catch {
      return false;
    }
  };
}

/** Parses the value of a metric filter: a number, or the path of a number of the line. */
export function parseMetricValue(text: string): LineValue {
  if (!text.startsWith('$.')) return () => Number(text);
  return (line) => Number(valueAt(JSON.parse(line) as Members, text));
}
