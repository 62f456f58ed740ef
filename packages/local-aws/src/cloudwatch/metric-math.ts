/** The value of a metric or expression in one period; `undefined` if it has none. */
type Value = number | undefined;

/** An expression of metric math, evaluated for one period. */
export type Formula = (valueOf: (id: string) => Value) => Value;

/** A parsed expression, and the ids that it reads. */
export interface ParsedFormula {
  readonly formula: Formula;
  readonly ids: readonly string[];
}

type Operator = (a: number, b: number) => Value;
type Argument = { readonly one: Formula } | { readonly list: readonly Formula[] };

const truth = (value: boolean): number => (value ? 1 : 0);

/** Each level lists operators that bind less than those of the next one. */
const LEVELS: readonly Readonly<Record<string, Operator>>[] = [
  { '||': (a, b) => truth(a !== 0 || b !== 0), OR: (a, b) => truth(a !== 0 || b !== 0) },
  { '&&': (a, b) => truth(a !== 0 && b !== 0), AND: (a, b) => truth(a !== 0 && b !== 0) },
  {
    '==': (a, b) => truth(a === b),
    '!=': (a, b) => truth(a !== b),
    '<': (a, b) => truth(a < b),
    '<=': (a, b) => truth(a <= b),
    '>': (a, b) => truth(a > b),
    '>=': (a, b) => truth(a >= b),
  },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  // CloudWatch has no data point where a divisor is 0.
  { '*': (a, b) => a * b, '/': (a, b) => (b === 0 ? undefined : a / b) },
];
const OPERATORS = LEVELS.map((level) => new Map(Object.entries(level)));

const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(<=|>=|==|!=|&&|\|\||[-+*/<>(),[\]])|(\S))/y;

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, number, name, symbol, unknown] = match;
    if (unknown !== undefined) throw new Error(`metric math with ${unknown} does not run locally`);
    tokens.push(number ?? name ?? symbol ?? '');
  }
  return tokens;
}

/** A function of an array of time series: that of the values which are there. */
const ofList =
  (reduce: (values: readonly number[]) => number) =>
  (list: readonly Formula[]): Formula =>
  (valueOf) => {
    const values = list.flatMap((formula) => formula(valueOf) ?? []);
    return values.length === 0 ? undefined : reduce(values);
  };

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const LIST_FUNCTIONS: ReadonlyMap<string, (list: readonly Formula[]) => Formula> = new Map([
  ['AVG', ofList((values) => total(values) / values.length)],
  ['MAX', ofList((values) => Math.max(...values))],
  ['MIN', ofList((values) => Math.min(...values))],
  ['SUM', ofList(total)],
]);

const fill =
  ([of, value]: readonly Formula[]): Formula =>
  (valueOf) =>
    of?.(valueOf) ?? value?.(valueOf);

const choose =
  ([condition, then, otherwise]: readonly Formula[]): Formula =>
  (valueOf) => {
    const decided = condition?.(valueOf);
    if (decided === undefined) return undefined;
    return decided === 0 ? otherwise?.(valueOf) : then?.(valueOf);
  };

/** The number of operands that each function takes, and what it does. */
const FUNCTIONS: ReadonlyMap<string, readonly [number, (of: readonly Formula[]) => Formula]> = new Map([
  ['FILL', [2, fill]],
  ['IF', [3, choose]],
]);

function callOf(name: string, passed: readonly Argument[]): Formula {
  const single = passed.flatMap((argument) => ('one' in argument ? argument.one : []));
  const [list] = passed.flatMap((argument) => ('list' in argument ? [argument.list] : []));
  const ofArray = LIST_FUNCTIONS.get(name);
  if (ofArray !== undefined && passed.length === 1 && list !== undefined) return ofArray(list);
  const [count, build] = FUNCTIONS.get(name) ?? [];
  if (build !== undefined && passed.length === count && single.length === count) return build(single);
  throw new Error(`the metric math ${name} with these arguments does not run locally`);
}

/**
 * Parses an expression of metric math (CloudWatch User Guide, Using math expressions). Every
 * operand has one value in each period. Throws an Error that names what does not run locally.
 */
export function parseFormula(text: string): ParsedFormula {
  const tokens = tokensOf(text);
  const ids = new Set<string>();
  let position = 0;

  const next = (): string | undefined => tokens[position];

  function take(): string {
    const token = tokens[position];
    if (token === undefined) throw new Error(`the metric math "${text}" ends too early`);
    position += 1;
    return token;
  }

  function expect(wanted: string): void {
    const token = take();
    if (token !== wanted) throw new Error(`the metric math "${text}" has ${token} instead of ${wanted}`);
  }

  function listUntil<T>(end: string, parse: () => T): readonly T[] {
    const found = [parse()];
    while (next() === ',') {
      take();
      found.push(parse());
    }
    expect(end);
    return found;
  }

  function argument(): Argument {
    if (next() !== '[') return { one: operation(0) };
    take();
    return { list: listUntil(']', () => operation(0)) };
  }

  function operand(): Formula {
    const token = take();
    if (token === '(') {
      const inner = operation(0);
      expect(')');
      return inner;
    }
    if (token === '-') {
      const negated = operand();
      return (valueOf) => {
        const value = negated(valueOf);
        return value === undefined ? undefined : -value;
      };
    }
    if (/^\d/.test(token)) return () => Number(token);
    if (!/^\w/.test(token)) throw new Error(`the metric math "${text}" has ${token} instead of a value`);
    if (next() === '(') {
      take();
      return callOf(token, listUntil(')', argument));
    }
    ids.add(token);
    return (valueOf) => valueOf(token);
  }

  function operation(level: number): Formula {
    const operators = OPERATORS[level];
    if (operators === undefined) return operand();
    let left = operation(level + 1);
    for (;;) {
      const operator = operators.get(next() ?? '');
      if (operator === undefined) return left;
      take();
      left = combined(operator, left, operation(level + 1));
    }
  }

  const formula = operation(0);
  if (next() !== undefined) throw new Error(`the metric math "${text}" has ${take()} after its end`);
  return { formula, ids: [...ids] };
}

/** An operation has a value in the periods in which both operands have one. */
function combined(operator: Operator, left: Formula, right: Formula): Formula {
  return (valueOf) => {
    const a = left(valueOf);
    const b = right(valueOf);
    return a === undefined || b === undefined ? undefined : operator(a, b);
  };
}
