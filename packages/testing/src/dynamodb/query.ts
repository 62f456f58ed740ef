import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { checkMembers, validationError } from './dynamodb-error.ts';
import { checkExpressions, placeholderValue, meets, nameOf, type Placeholders } from './expression.ts';
import { compareTexts, copyOfItem, itemBytes, type Item, type Value } from './item.ts';
import {
  checkKey,
  keyOf,
  PARTITION_KEY_MAX,
  SORT_KEY_MAX,
  type MemoryTable,
  type Range,
} from './memory-table.ts';
import { parseCondition, type Condition, type Operand } from './parse-expression.ts';
import type { IndexDefinition } from './table-definitions.ts';

/** The most that a page reads, in bytes. */
const PAGE_BYTES = 1024 * 1024;

/** The request members that the adapters use. */
const MEMBERS: ReadonlySet<string> = new Set([
  'TableName',
  'IndexName',
  'KeyConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'Limit',
  'ExclusiveStartKey',
  'ScanIndexForward',
  'ConsistentRead',
  'Select',
]);

interface KeyNames {
  readonly partition: string;
  readonly sort: string;
}

const KEY_NAMES: KeyNames = { partition: 'pk', sort: 'sk' };

/** The partition that a key condition names, and its condition on the sort key. */
function keyCondition(text: string, names: KeyNames, placeholders: Placeholders) {
  const { parsed } = parseCondition(text);
  const [first, second, more] = parsed.kind === 'and' ? parsed.parts : [parsed];
  const isOf = (operand: Operand, name: string) =>
    'path' in operand && operand.path.length === 1 && nameOf(placeholders, operand.path[0] ?? '') === name;
  if (
    more !== undefined ||
    first?.kind !== 'compare' ||
    first.by !== '=' ||
    !isOf(first.left, names.partition)
  )
    throw validationError(`a query needs the partition, and at most one condition on the sort key: ${text}`);
  const partition =
    'placeholder' in first.right ? placeholderValue(placeholders, first.right.placeholder) : undefined;
  if (second !== undefined && !isOf(operandOf(second), names.sort))
    throw validationError(`a query may limit the sort key alone: ${text}`);
  return { partition: checkKey(names.partition, partition, PARTITION_KEY_MAX), sort: second };
}

function operandOf(condition: Condition): Operand {
  if (condition.kind === 'compare' && condition.by !== '<>') return condition.left;
  if (condition.kind === 'between' || condition.kind === 'begins') return condition.value;
  throw validationError('no such condition on a sort key');
}

/** No sort key that fulfils the condition is before `from`, or after its end. */
function boundsOf(sort: Condition | undefined, name: string, placeholders: Placeholders) {
  const passed = (operand: Operand): string => {
    const value: Value =
      'placeholder' in operand ? placeholderValue(placeholders, operand.placeholder) : undefined;
    return checkKey(name, value, SORT_KEY_MAX);
  };
  const isBehind = (to: string) => (key: string) => compareTexts(key, to) > 0;
  const never = () => false;
  if (sort?.kind === 'between') return { from: passed(sort.from), isAfter: isBehind(passed(sort.to)) };
  if (sort?.kind === 'begins') {
    const prefix = passed(sort.prefix);
    const isAfter = (key: string) => !key.startsWith(prefix) && compareTexts(key, prefix) > 0;
    return { from: prefix, isAfter };
  }
  if (sort?.kind !== 'compare') return { from: '', isAfter: never };
  const value = passed(sort.right);
  return {
    from: ['=', '>', '>='].includes(sort.by) ? value : '',
    isAfter: ['=', '<', '<='].includes(sort.by) ? isBehind(value) : never,
  };
}

function indexOf(table: MemoryTable, name: string | undefined): IndexDefinition | undefined {
  if (name === undefined) return undefined;
  const found = table.definition.indexes.find((index) => index.name === name);
  if (found === undefined) throw validationError(`the table has no index ${name}`);
  return found;
}

const placeNames = (index: IndexDefinition | undefined): readonly string[] =>
  index === undefined ? ['pk', 'sk'] : ['pk', 'sk', index.partitionKey, index.sortKey];

/** The place of an item, from which the next page starts. */
const placeOf = (item: Item, index: IndexDefinition | undefined): Record<string, Value> =>
  Object.fromEntries(placeNames(index).map((name) => [name, item[name]]));

/** Throws if a query could not have ended at a place. No item needs to be there. */
function checkStart(after: Item, index: IndexDefinition | undefined, input: QueryCommandInput): void {
  const names = placeNames(index);
  if (Object.keys(after).length !== names.length || names.some((name) => typeof after[name] !== 'string'))
    throw validationError('the starting key does not match the schema');
  keyOf(after);
  if (!meets(input.KeyConditionExpression ?? '', after, input))
    throw validationError('the starting key is outside of the query');
}

function checkRequest(input: QueryCommandInput, index: IndexDefinition | undefined): void {
  checkMembers(input, MEMBERS);
  if (index !== undefined && input.ConsistentRead === true)
    throw validationError('an index has no consistent reads');
  if (input.Limit !== undefined && input.Limit < 1) throw validationError('Limit must be at least 1');
  if (input.Select !== undefined && input.Select !== 'COUNT')
    throw validationError('the stores in memory know only Select: COUNT');
}

/** The items of a page, and whether it ended because it is full. */
function pageOf(
  table: MemoryTable,
  range: Range,
  input: QueryCommandInput,
): { readonly items: readonly Item[]; readonly isOver: boolean } {
  const { KeyConditionExpression: text = '', Limit: limit = Infinity } = input;
  const items: Item[] = [];
  let bytes = 0;
  for (const item of table.read(range)) {
    if (!meets(text, item, input)) continue;
    items.push(item);
    bytes += itemBytes(item);
    if (items.length >= limit || bytes > PAGE_BYTES) return { items, isOver: true };
  }
  return { items, isOver: false };
}

/** Reads one page of a query. */
export function query(table: MemoryTable, input: QueryCommandInput) {
  const index = indexOf(table, input.IndexName);
  checkRequest(input, index);
  const { KeyConditionExpression: text = '', ExclusiveStartKey: after } = input;
  checkExpressions(input, text);
  const names = index === undefined ? KEY_NAMES : { partition: index.partitionKey, sort: index.sortKey };
  const { partition, sort } = keyCondition(text, names, input);
  const isForward = input.ScanIndexForward ?? true;
  const bounds = boundsOf(sort, names.sort, input);
  if (after !== undefined) checkStart(after, index, input);
  const { items, isOver } = pageOf(table, { index, partition, isForward, after, ...bounds }, input);
  const last = items.at(-1);
  return {
    Count: items.length,
    ScannedCount: items.length,
    ...(input.Select !== 'COUNT' && { Items: items.map(copyOfItem) }),
    ...(isOver && last !== undefined && { LastEvaluatedKey: placeOf(last, index) }),
  };
}
