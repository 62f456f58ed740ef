import { validationError } from './dynamodb-error.ts';
import { compareValues, isEqual, type Item, type Value } from './item.ts';
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
export function givenValue({ ExpressionAttributeValues: values }: Placeholders, placeholder: string): Value {
  const value = values?.[placeholder];
  if (value === undefined)
    throw validationError(`an expression attribute value is not defined: ${placeholder}`);
  return value;
}

/** How many elements a list or a map has, or bytes; attributes of other types have no size here. */
function sizeOf(value: Value): number | undefined {
  if (value instanceof Uint8Array || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
}

export function valueOf(operand: Assigned, item: Item, placeholders: Placeholders): Value {
  if ('otherwise' in operand)
    return at(item, placeholders, operand.path) ?? valueOf(operand.otherwise, item, placeholders);
  if ('placeholder' in operand) return givenValue(placeholders, operand.placeholder);
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

/** Throws if a request has names or values that its expressions do not use, as DynamoDB does. */
export function checkUses(
  { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: Placeholders,
  conditions: readonly (string | undefined)[],
  update?: string,
): void {
  const texts = conditions.filter((text) => text !== undefined);
  const uses = [
    ...texts.map((text) => parseCondition(text).uses),
    ...(update === undefined ? [] : [parseUpdate(update).uses]),
  ];
  for (const placeholder of [...Object.keys(names), ...Object.keys(values)])
    if (!uses.some((used) => used.has(placeholder)))
      throw validationError(`an expression attribute is not used in expressions: ${placeholder}`);
}
