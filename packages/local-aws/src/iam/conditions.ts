import type { PolicyStatement } from '../aws-service.ts';
import { matchesArn, matchesWildcard } from './wildcard.ts';

/**
 * Condition keys of one request, by lower-case name: IAM compares the names of keys without case.
 */
export type ConditionKeys = ReadonlyMap<string, readonly string[]>;

type Comparison = (expected: string, actual: string) => boolean;

interface Operator {
  readonly matches: Comparison;
  /** A negated operator is true if no value matches, and for an absent key. */
  readonly negated: boolean;
}

const equals: Comparison = (expected, actual) => expected === actual;
const equalsIgnoringCase: Comparison = (expected, actual) => expected.toLowerCase() === actual.toLowerCase();

const operators: Readonly<Record<string, Operator>> = {
  StringEquals: { matches: equals, negated: false },
  StringNotEquals: { matches: equals, negated: true },
  StringEqualsIgnoreCase: { matches: equalsIgnoringCase, negated: false },
  StringNotEqualsIgnoreCase: { matches: equalsIgnoringCase, negated: true },
  StringLike: { matches: matchesWildcard, negated: false },
  StringNotLike: { matches: matchesWildcard, negated: true },
  ArnEquals: { matches: matchesArn, negated: false },
  ArnLike: { matches: matchesArn, negated: false },
  ArnNotEquals: { matches: matchesArn, negated: true },
  ArnNotLike: { matches: matchesArn, negated: true },
  Bool: { matches: equalsIgnoringCase, negated: false },
};

type Quantifier = 'ForAllValues' | 'ForAnyValue' | 'single';

interface ParsedOperator {
  readonly quantifier: Quantifier;
  readonly name: string;
  readonly ifExists: boolean;
}

const operatorSyntax = /^(?:(ForAllValues|ForAnyValue):)?([A-Za-z]+?)(IfExists)?$/;

function parseOperator(text: string): ParsedOperator {
  const [, quantifier, name = '', ifExists] = operatorSyntax.exec(text) ?? [];
  const known = quantifier === 'ForAllValues' || quantifier === 'ForAnyValue' ? quantifier : 'single';
  return { quantifier: known, name, ifExists: ifExists !== undefined };
}

function list(values: string | readonly string[]): readonly string[] {
  return typeof values === 'string' ? [values] : values;
}

function nullHolds(expected: readonly string[], actual: readonly string[] | undefined): boolean {
  return expected.some((value) => (value === 'true') === (actual === undefined));
}

function operatorNamed(name: string, text: string): Operator {
  const operator = operators[name];
  if (operator === undefined) throw new Error(`IAM condition operator ${text} is not known locally`);
  return operator;
}

function singleValue(key: string, actual: readonly string[]): readonly string[] {
  if (actual.length > 1) {
    throw new Error(`IAM condition key ${key} has several values: it needs ForAllValues or ForAnyValue`);
  }
  return actual;
}

function absentHolds({ quantifier, ifExists }: ParsedOperator, { negated }: Operator): boolean {
  if (ifExists || quantifier === 'ForAllValues') return true;
  return quantifier === 'single' && negated;
}

function keyHolds(text: string, key: string, expected: readonly string[], keys: ConditionKeys): boolean {
  const parsed = parseOperator(text);
  const actual = keys.get(key.toLowerCase());
  if (parsed.name === 'Null') return nullHolds(expected, actual);
  const operator = operatorNamed(parsed.name, text);
  if (actual === undefined) return absentHolds(parsed, operator);
  const holds = (value: string): boolean =>
    expected.some((wanted) => operator.matches(wanted, value)) !== operator.negated;
  if (parsed.quantifier === 'ForAllValues') return actual.every(holds);
  if (parsed.quantifier === 'ForAnyValue') return actual.some(holds);
  return singleValue(key, actual).some(holds);
}

/**
 * Values of one key are alternatives; keys and operators must all match. Throws an Error naming an
 * operator or a policy variable that is not implemented.
 */
export function conditionsHold(statement: PolicyStatement, keys: ConditionKeys): boolean {
  return Object.entries(statement.Condition ?? {}).every(([operator, tests]) =>
    Object.entries(tests).every(([key, values]) => {
      const expected = list(values);
      const variable = expected.find((value) => value.includes('${'));
      if (variable !== undefined) throw new Error(`IAM policy variables do not work locally: ${variable}`);
      return keyHolds(operator, key, expected, keys);
    }),
  );
}

/** Merges the condition keys of a request from several sources; later ones win. */
export function conditionKeys(
  ...sources: readonly Readonly<Record<string, string | readonly string[]>>[]
): ConditionKeys {
  return new Map(
    sources.flatMap((source) =>
      Object.entries(source).map(([key, values]) => [key.toLowerCase(), list(values)]),
    ),
  );
}
