import { validationError } from './dynamodb-error.ts';
import { compareValues, copyOf, isEqual, type Item, type Value } from './item.ts';
import {
  parseCondition,
  parseUpdate,
  type Assigned,
  type Comparator,
  type Condition,
  type Operand,
  type Update,
} from './parse-expression.ts';

/** The members of a request that its expressions refer to. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Record<string, Value>> | undefined;
}

export function nameOf({ ExpressionAttributeNames: names }: Placeholders, name: string): string {
  if (!name.startsWith('#')) return name;
  const found = names?.[name];
  if (found === undefined) throw validationError(`an expression attribute name is not defined: ${name}`);
  return found;
}

function at(item: Item, placeholders: Placeholders, path: readonly string[]): Value {
  let value: Value = item;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const key = nameOf(placeholders, name);
    value = Object.hasOwn(value, key) ? (value as Item)[key] : undefined;
  }
  return value;
}

/** The value of a placeholder. Throws if the request has none. */
export function placeholderValue(
  { ExpressionAttributeValues: values }: Placeholders,
  placeholder: string,
): Value {
  const value = values?.[placeholder];
  if (value === undefined)
    throw validationError(`an expression attribute value is not defined: ${placeholder}`);
  return value;
}

/** How many elements a list or a map has, or bytes; other types but text have no size. */
function sizeOf(value: Value): number | undefined {
  if (typeof value === 'string') throw validationError('the stores in memory do not know the size of a text');
  if (value instanceof Uint8Array || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
}

export function valueOf(operand: Assigned, item: Item, placeholders: Placeholders): Value {
  if ('otherwise' in operand) {
    const found = at(item, placeholders, operand.path);
    return found === undefined ? valueOf(operand.otherwise, item, placeholders) : found;
  }
  if ('placeholder' in operand) return placeholderValue(placeholders, operand.placeholder);
  if ('path' in operand) return at(item, placeholders, operand.path);
  return sizeOf(at(item, placeholders, operand.sizeOf));
}

const ORDERS: Readonly<Record<Exclude<Comparator, '=' | '<>'>, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Attributes that an item lacks are equal to nothing and have no order. */
function isTrue(by: Comparator, left: Value, right: Value): boolean {
  if (by === '=') return left !== undefined && isEqual(left, right);
  if (by === '<>') return !isEqual(left, right);
  const order = compareValues(left, right);
  return order !== undefined && ORDERS[by](order);
}

function isBeginning(value: Value, prefix: Value): boolean {
  if (typeof value === 'string' && typeof prefix === 'string') return value.startsWith(prefix);
  return (
    value instanceof Uint8Array &&
    prefix instanceof Uint8Array &&
    Buffer.compare(value.subarray(0, prefix.length), prefix) === 0
  );
}

function holds(condition: Condition, item: Item, placeholders: Placeholders): boolean {
  const read = (operand: Operand) => valueOf(operand, item, placeholders);
  switch (condition.kind) {
    case 'and':
      return condition.parts.every((part) => holds(part, item, placeholders));
    case 'or':
      return condition.parts.some((part) => holds(part, item, placeholders));
    case 'not':
      return !holds(condition.part, item, placeholders);
    case 'compare':
      return isTrue(condition.by, read(condition.left), read(condition.right));
    case 'between': {
      const value = read(condition.value);
      return isTrue('>=', value, read(condition.from)) && isTrue('<=', value, read(condition.to));
    }
    case 'in': {
      const value = read(condition.value);
      return condition.list.some((element) => isTrue('=', value, read(element)));
    }
    case 'exists':
      return at(item, placeholders, condition.path) !== undefined;
    case 'missing':
      return at(item, placeholders, condition.path) === undefined;
    case 'begins':
      return isBeginning(read(condition.value), read(condition.prefix));
  }
}

const NO_ITEM: Item = {};

/** Whether an item fulfils a condition. A missing item has no attributes. */
export const meets = (text: string, item: Item | undefined, placeholders: Placeholders): boolean =>
  holds(parseCondition(text).parsed, item ?? NO_ITEM, placeholders);

/** Reads an update, whose attributes then have their names. */
export function updateOf(text: string, placeholders: Placeholders): Update {
  const { set, removed } = parseUpdate(text).parsed;
  const names = [...set.map(({ name }) => name), ...removed].map((name) => nameOf(placeholders, name));
  if (new Set(names).size < names.length)
    throw validationError('an update changes an attribute more than once');
  return {
    set: set.map((change, index) => ({ ...change, name: names[index] ?? '' })),
    removed: names.slice(set.length),
  };
}

type ValueType = 'S' | 'N' | 'B' | 'other';

function typeOf(value: Value): ValueType {
  if (typeof value === 'string') return 'S';
  if (typeof value === 'number') return 'N';
  return value instanceof Uint8Array ? 'B' : 'other';
}

/** The type of a value of the request; an attribute of an item may have any. */
const placeholderType = (operand: Operand, placeholders: Placeholders): ValueType | undefined =>
  'placeholder' in operand ? typeOf(placeholderValue(placeholders, operand.placeholder)) : undefined;

/** Throws if a value of the request has no type that an operator works on. */
function checkType(operand: Operand, placeholders: Placeholders, allowed: readonly ValueType[]): void {
  const type = placeholderType(operand, placeholders);
  if (type !== undefined && !allowed.includes(type))
    throw validationError('an operator or a function does not work on the type of its operand');
}

function checkBounds(from: Operand, to: Operand, placeholders: Placeholders): void {
  if (!('placeholder' in from) || !('placeholder' in to)) return;
  const [lower, upper] = [from, to].map(({ placeholder }) => placeholderValue(placeholders, placeholder));
  const order = compareValues(lower, upper);
  if (order === undefined) throw validationError('BETWEEN: the bounds must have one type');
  if (order > 0) throw validationError('BETWEEN: the lower bound must not be above the upper one');
}

const ORDERED = ['S', 'N', 'B'] as const;

/** The conditions that others join. */
function leavesOf(condition: Condition): readonly Condition[] {
  if (condition.kind === 'not') return leavesOf(condition.part);
  if (condition.kind !== 'and' && condition.kind !== 'or') return [condition];
  return condition.parts.flatMap(leavesOf);
}

/** Throws for operands that DynamoDB refuses whatever the item is. */
function checkOperands(leaf: Condition, placeholders: Placeholders): void {
  const check = (allowed: readonly ValueType[], ...operands: readonly Operand[]) => {
    for (const operand of operands) checkType(operand, placeholders, allowed);
  };
  if (leaf.kind === 'compare' && leaf.by !== '=' && leaf.by !== '<>') check(ORDERED, leaf.left, leaf.right);
  if (leaf.kind === 'begins') check(['S', 'B'], leaf.value, leaf.prefix);
  if (leaf.kind !== 'between') return;
  check(ORDERED, leaf.value, leaf.from, leaf.to);
  checkBounds(leaf.from, leaf.to, placeholders);
}

/** Throws if names and values of a request are not exactly those that its expressions use. */
function checkUses(
  { ExpressionAttributeNames: names, ExpressionAttributeValues: values }: Placeholders,
  uses: ReadonlySet<string>,
): void {
  const passed = [names, values].filter((each) => each !== undefined).map((each) => Object.keys(each));
  if (passed.some(({ length }) => length === 0)) throw validationError('names and values must not be empty');
  for (const placeholder of passed.flat())
    if (!uses.has(placeholder))
      throw validationError(`an expression attribute is not used in expressions: ${placeholder}`);
  for (const used of uses)
    if ((used.startsWith('#') ? names?.[used] : values?.[used]) === undefined)
      throw validationError(`an expression attribute is not defined: ${used}`);
}

/** Throws for expressions that DynamoDB refuses whatever the item is. */
export function checkExpressions(
  placeholders: Placeholders,
  condition: string | undefined,
  update?: string,
): void {
  const parsed = condition === undefined ? undefined : parseCondition(condition);
  const changes = update === undefined ? undefined : parseUpdate(update);
  checkUses(placeholders, new Set([...(parsed?.uses ?? []), ...(changes?.uses ?? [])]));
  // The document client converts all values, also those that no condition compares.
  copyOf(placeholders.ExpressionAttributeValues ?? {});
  if (parsed !== undefined) for (const leaf of leavesOf(parsed.parsed)) checkOperands(leaf, placeholders);
}
