/** A way in which the engine in memory could differ from DynamoDB, and the case that notices it. */
export interface Mutation {
  readonly name: string;
  /** Names a file of packages/testing/src/dynamodb. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The title of the first case whose answers differ from those of the reference. */
  readonly caughtBy: string;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'sorts keys by the units of UTF-16',
    file: 'item.ts',
    find: 'unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800;',
    replace: 'unit;',
    caughtBy: 'returns a partition in the order of the bytes of its keys',
  },
  {
    name: 'stores the object of the caller, who changes it later',
    file: 'memory-table.ts',
    find: 'const copy = copyOfItem(item);',
    replace: 'const copy = { ...item };',
    caughtBy: 'returns values of every type as they were written',
  },
  {
    name: 'returns the stored object, which the caller changes later',
    file: 'query.ts',
    find: '{ Items: items.map(copyOfItem) }',
    replace: '{ Items: items }',
    caughtBy: 'moves an item in an index when its keys change',
  },
  {
    name: 'measures an item without the names of its attributes',
    file: 'item.ts',
    find: 'bytes += Buffer.byteLength(name) + bytesOf(item[name]);',
    replace: 'bytes += bytesOf(item[name]);',
    caughtBy: 'stores items up to 400 KB',
  },
  {
    name: 'takes an attribute that is null for one that is missing',
    file: 'expression.ts',
    find: 'return at(item, placeholders, condition.path) !== undefined;',
    replace: 'return (at(item, placeholders, condition.path) ?? undefined) !== undefined;',
    caughtBy: 'finds an attribute that is null or empty, and none that is missing',
  },
  {
    name: 'finds a missing attribute equal to any value',
    file: 'expression.ts',
    find: "if (by === '<>') return !isEqual(left, right);",
    replace: "if (by === '<>') return left !== undefined && !isEqual(left, right);",
    caughtBy: 'compares texts by their bytes',
  },
  {
    name: 'joins by AND and OR in the order of the text',
    file: 'parse-expression.ts',
    find: "  while (reader.accept('OR')) parts.push(conjunction(reader));\n  return parts.length === 1 ? first : { kind: 'or', parts };",
    replace: `  while (reader.accept('OR')) parts.push(single(reader));
  const found = parts.length === 1 ? first : { kind: 'or' as const, parts };
  return reader.accept('AND') ? { kind: 'and', parts: [found, conjunction(reader)] } : found;`,
    caughtBy: 'joins conditions with AND, OR and NOT in this order of strength',
  },
  {
    name: 'accepts a value that no expression uses',
    file: 'expression.ts',
    find: 'if (!uses.has(placeholder))',
    replace: "if (placeholder.startsWith('#') && !uses.has(placeholder))",
    caughtBy: 'a value that no expression uses',
  },
  {
    name: 'shows the item of a failed condition without being asked',
    file: 'memory-dynamodb.ts',
    find: "if (request.ReturnValuesOnConditionCheckFailure !== 'ALL_OLD' || found === undefined) return {};",
    replace: 'if (found === undefined) return {};',
    caughtBy: 'shows the item of a failed condition only when it is asked for',
  },
  {
    name: 'replaces an attribute that if_not_exists has found',
    file: 'expression.ts',
    find: 'return found === undefined ? valueOf(operand.otherwise, item, placeholders) : found;',
    replace: 'return valueOf(operand.otherwise, item, placeholders) ?? found;',
    caughtBy: 'sets an attribute to a default only if it is missing',
  },
  {
    name: 'sets attributes one after the other, and reads those that it has set',
    file: 'memory-dynamodb.ts',
    find: 'valueOf(value, found ?? { ...key }, placeholders)',
    replace: 'valueOf(value, next, placeholders)',
    caughtBy: 'sets an attribute to another one, as it was before',
  },
  {
    name: 'makes no item in an update that finds none',
    file: 'memory-dynamodb.ts',
    find: 'this.#apply(write, write.next(found));',
    replace:
      "this.#apply(write, found === undefined && write.update !== undefined ? 'unchanged' : write.next(found));",
    caughtBy: 'makes the item of an update that is missing',
  },
  {
    name: 'leaves the entries of an index when their item changes',
    file: 'memory-table.ts',
    find: 'this.#eachEntry(item, key, remove);',
    replace: '',
    caughtBy: 'lists in an index only items that have both of its keys',
  },
  {
    name: 'shows all attributes of an item in an index',
    file: 'memory-table.ts',
    find: "['pk', 'sk', index.partitionKey, index.sortKey, ...index.attributes].flatMap(",
    replace: 'Object.keys(item).flatMap(',
    caughtBy: 'shows in each index the attributes that it has',
  },
  {
    name: 'lists an item in an index that has no sort key of it',
    file: 'memory-table.ts',
    find: "return typeof partition === 'string' && typeof sort === 'string' ? { partition, sort } : undefined;",
    replace: "return typeof partition === 'string' ? { partition, sort: String(sort ?? '') } : undefined;",
    caughtBy: 'lists in an index only items that have both of its keys',
  },
  {
    name: 'writes the parts of a transaction before one that fails',
    file: 'memory-dynamodb.ts',
    find: 'const outcomes = writes.map(outcomeOf);',
    replace: `const outcomes = writes.map((write) => {
      const outcome = outcomeOf(write);
      this.#apply(write, outcome.next);
      return outcome;
    });`,
    caughtBy: 'writes all parts of a transaction, or none',
  },
  {
    name: 'accepts a transaction that has one item twice',
    file: 'memory-dynamodb.ts',
    find: "if (new Set(places).size < places.length)\n      throw validationError('a transaction must not contain an item twice');",
    replace: '',
    caughtBy: 'a transaction with one item twice',
  },
  {
    name: 'accepts transactions of any size',
    file: 'memory-dynamodb.ts',
    find: 'const TRANSACTION_BYTES_MAX = 4 * 1024 * 1024;',
    replace: 'const TRANSACTION_BYTES_MAX = Infinity;',
    caughtBy: 'writes up to 100 parts and 4 MB in a transaction',
  },
  {
    name: 'returns all items of a batch, whatever their size',
    file: 'memory-dynamodb.ts',
    find: 'const GET_BYTES_MAX = 16 * 1024 * 1024;',
    replace: 'const GET_BYTES_MAX = Infinity;',
    caughtBy: 'leaves keys of a batch unprocessed beyond 16 MB',
  },
  {
    name: 'overwrites an item by an insert',
    file: 'memory-dynamodb.ts',
    find: 'if (table.get(keyOf(item)) !== undefined)\n    return {',
    replace: "if (table.get(keyOf(item)) !== undefined && TableName === '')\n    return {",
    caughtBy: 'inserts items that are new, each by itself',
  },
  {
    name: 'ends the last page without a key when its limit is reached',
    file: 'query.ts',
    find: '...(isOver && last !== undefined && {',
    replace:
      '...(isOver && last !== undefined && [...table.read({ index, partition, isForward, after: last, ...bounds })].length > 0 && {',
    caughtBy: 'ends a page at its limit, also when nothing is left',
  },
  {
    name: 'repeats the last item of a page on the next one',
    file: 'memory-table.ts',
    find: 'compareEntries(entry, start) <= 0',
    replace: 'compareEntries(entry, start) < 0',
    caughtBy: 'ends a page at its limit, also when nothing is left',
  },
  {
    name: 'reads more than 1 MB for a page',
    file: 'query.ts',
    find: 'const PAGE_BYTES = 1024 * 1024;',
    replace: 'const PAGE_BYTES = 16 * 1024 * 1024;',
    caughtBy: 'ends a page of a table when it has read 1 MB',
  },
  {
    name: 'ends a prefix at the last character of Unicode',
    file: 'query.ts',
    find: 'const isAfter = (key: string) => !key.startsWith(prefix) && compareTexts(key, prefix) > 0;',
    replace: 'const isAfter = (key: string) => compareTexts(key, `${prefix}\\u{10ffff}`) > 0;',
    caughtBy: 'returns the part of a partition that a condition on the sort key names',
  },
  {
    name: 'excludes the upper bound of BETWEEN',
    file: 'expression.ts',
    find: "isTrue('<=', value, read(condition.to))",
    replace: "isTrue('<', value, read(condition.to))",
    caughtBy: 'finds a value in a list of values, between bounds, or by its beginning',
  },
  {
    name: 'accepts a page that begins outside of its query',
    file: 'query.ts',
    find: "if (!meets(input.KeyConditionExpression ?? '', after, input))",
    replace: "if (after['pk'] === '')",
    caughtBy: 'refuses to begin at a key that the query cannot return',
  },
  {
    name: 'reads an index consistently',
    file: 'query.ts',
    find: 'if (index !== undefined && input.ConsistentRead === true)',
    replace: "if (index?.name === '')",
    caughtBy: 'a consistent read of an index',
  },
  {
    name: 'expires an item in the second of its time',
    file: 'memory-table.ts',
    find: 'Math.floor(at) < seconds',
    replace: 'Math.floor(at) <= seconds',
    caughtBy: 'expires items whose time is past, but not by five years',
  },
];
