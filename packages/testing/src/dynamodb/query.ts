import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { validationError } from './dynamodb-error.ts';
import { checkUses, givenValue, meets, nameOf, type Placeholders } from './expression.ts';
import { compareTexts, copyOfItem, itemBytes, type Item, type Value } from './item.ts';
import type { MemoryTable } from './memory-table.ts';
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
    'placeholder' in first.right ? givenValue(placeholders, first.right.placeholder) : undefined;
  if (typeof partition !== 'string') throw validationError('the key of a partition must be a text');
  if (second !== undefined && !isOf(operandOf(second), names.sort))
    throw validationError(`a query may limit the sort key alone: ${text}`);
  return { partition, sort: second };
}

function operandOf(condition: Condition): Operand {
  if (condition.kind === 'compare') return condition.left;
  if (condition.kind === 'between' || condition.kind === 'begins') return condition.value;
  throw validationError('no such condition on a sort key');
}

/** Sorts after every text that begins with the prefix. */
const LAST = '\u{10ffff}';

/** No sort key that fulfils the condition is outside of these bounds. */
function boundsOf(sort: Condition | undefined, placeholders: Placeholders) {
  const given = (operand: Operand): string => {
    const value: Value = 'placeholder' in operand ? givenValue(placeholders, operand.placeholder) : undefined;
    if (typeof value !== 'string') throw validationError('a sort key is a text');
    return value;
  };
  if (sort?.kind === 'between') {
    const [from, to] = [given(sort.from), given(sort.to)];
    if (compareTexts(from, to) > 0)
      throw validationError('BETWEEN: the lower bound must not be above the upper one');
    return { from, to };
  }
  if (sort?.kind === 'begins') return { from: given(sort.prefix), to: given(sort.prefix) + LAST };
  if (sort?.kind !== 'compare') return { from: '', to: undefined };
  const value = given(sort.right);
  return {
    from: ['=', '>', '>='].includes(sort.by) ? value : '',
    to: ['=', '<', '<='].includes(sort.by) ? value : undefined,
  };
}

function indexOf(table: MemoryTable, name: string | undefined): IndexDefinition | undefined {
  if (name === undefined) return undefined;
  const found = table.definition.indexes.find((index) => index.name === name);
  if (found === undefined) throw validationError(`the table has no index ${name}`);
  return found;
}

/** The place of an item, from which the next page starts. */
function placeOf(item: Item, index: IndexDefinition | undefined): Record<string, Value> {
  const names = index === undefined ? ['pk', 'sk'] : ['pk', 'sk', index.partitionKey, index.sortKey];
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}

function checkRequest(input: QueryCommandInput, index: IndexDefinition | undefined): void {
  const unknown = Object.keys(input).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined) throw validationError(`the stores in memory do not know ${unknown}`);
  if (index !== undefined && input.ConsistentRead === true)
    throw validationError('an index has no consistent reads');
  if (input.Limit !== undefined && input.Limit < 1) throw validationError('Limit must be at least 1');
  if (input.Select !== undefined && input.Select !== 'COUNT')
    throw validationError('the stores in memory know only Select: COUNT');
}

/** One page of a query. */
export function query(table: MemoryTable, input: QueryCommandInput) {
  const index = indexOf(table, input.IndexName);
  checkRequest(input, index);
  const { KeyConditionExpression: text = '', ExclusiveStartKey: after, Limit: limit = Infinity } = input;
  checkUses(input, [text]);
  const names = { partition: index?.partitionKey ?? 'pk', sort: index?.sortKey ?? 'sk' };
  const { partition, sort } = keyCondition(text, names, input);
  const isForward = input.ScanIndexForward ?? true;
  const bounds = boundsOf(sort, input);
  const items: Item[] = [];
  let [bytes, isOver] = [0, false];
  for (const item of table.read({ index, partition, isForward, after, ...bounds })) {
    if (isOver) break;
    if (!meets(text, item, input)) continue;
    items.push(item);
    bytes += itemBytes(item);
    isOver = items.length >= limit || bytes > PAGE_BYTES;
  }
  const last = items.at(-1);
  return {
    Count: items.length,
    ScannedCount: items.length,
    ...(input.Select !== 'COUNT' && { Items: items.map(copyOfItem) }),
    ...(isOver && last !== undefined && { LastEvaluatedKey: placeOf(last, index) }),
  };
}
