import { convertToAttr } from '@aws-sdk/util-dynamodb';
import { fc } from '../../../test-kit/src/properties.ts';
import { compareTexts } from '../../src/dynamodb/item.ts';
import { longText, type Call } from './calls.ts';
import { statement } from './cases/a-case.ts';
import {
  anyPath,
  comparedAttributes,
  conditionNode,
  scalar,
  Writer,
  type Node,
} from './generated-conditions.ts';

const TABLES = ['Tokens', 'Ephemeral', 'Audit'] as const;
const table = fc.constantFrom('Tokens', 'Tokens', 'Tokens', 'Tokens', ...TABLES);

/** The partitions of tables and of indexes, and sort keys in an order that UTF-16 does not have. */
const partition = fc.constantFrom('p', 'p', 'p', 'p', 'ü');
const sort = fc.constantFrom(
  'a',
  'a#1',
  'a#2',
  'a\uffff',
  'a\u{10000}',
  'a\u{10ffff}',
  'a\u{10ffff}b',
  'b',
  'é',
);
const key = fc.record({ pk: partition, sk: sort });
type Key = Readonly<Record<'pk' | 'sk', string>>;

/** DynamoDB refuses numbers that are closer to zero. */
const storable = (number: number): number => (Math.abs(number) < 1e-130 ? 0 : number);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map(storable),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    fc.uint8Array({ maxLength: 3 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c.d', 'ü', '#x'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}));

/**
 * So much text that some items are too large, and that a page has three or four items. The
 * reference estimates sizes of pages: no sum of these is within 4% of 1 MB.
 */
const filler = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 30 },
  { arbitrary: fc.constantFrom(290 * 1024, 408_900).map(longText), weight: 1 },
);

const INDEXES = {
  list: ['listPk', 'listSk'],
  fingerprint: ['fingerprint', 'matchSk'],
  due: ['duePk', 'dueSk'],
} as const;
type IndexName = keyof typeof INDEXES;

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
/** No two items have one, because DynamoDB does not say which of them comes first. */
const uniqueSort = (prefix: string, { pk, sk }: Key) => `${prefix}${pk}${sk}`;
const place = fc.record({ partition, prefix: fc.constantFrom('', 'a', '\uffff', '\u{10000}') });

const item = fc
  .record({
    key,
    places: fc.record({ list: optional(place), fingerprint: optional(place), due: optional(place) }),
    halfPlace: fc.constantFrom('both', 'both', 'both', 'partition', 'sort'),
    attributes: fc.record(
      {
        ...comparedAttributes,
        type: value,
        containers: value,
        more: value,
        ttl: fc.integer({ min: 1, max: 99 }),
      },
      { requiredKeys: [] },
    ),
    filler,
  })
  .map(({ key: own, places, halfPlace, attributes, filler: text }) => {
    const keys = Object.entries(INDEXES).flatMap(([name, [partitionKey, sortKey]]) => {
      const found = places[name as IndexName];
      if (found === undefined) return [];
      return [
        ...(halfPlace === 'sort' ? [] : [[partitionKey, found.partition] as const]),
        ...(halfPlace === 'partition' ? [] : [[sortKey, uniqueSort(found.prefix, own)] as const]),
      ];
    });
    return {
      ...own,
      ...attributes,
      ...Object.fromEntries(keys),
      ...(text !== undefined && { filler: text }),
    };
  });

interface Conditional {
  readonly node: Node | undefined;
  readonly showsItem: boolean;
}
const conditional = fc.record<Conditional>({
  node: fc.oneof({ arbitrary: fc.constant(undefined), weight: 2 }, { arbitrary: conditionNode, weight: 1 }),
  showsItem: fc.boolean(),
});

function conditionMembers({ node, showsItem }: Conditional, writer: Writer) {
  return {
    ...(node !== undefined && { ConditionExpression: writer.condition(node) }),
    ...(showsItem && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
  };
}

const CHANGED = [
  'version',
  'kind',
  'pending',
  'more',
  'label',
  'listPk',
  'listSk',
  'duePk',
  'dueSk',
] as const;
const INDEX_KEYS: ReadonlySet<string> = new Set(['listPk', 'listSk', 'duePk', 'dueSk']);

interface Change {
  readonly name: (typeof CHANGED)[number];
  readonly how: 'value' | 'remove' | 'default' | 'copy';
  readonly value: unknown;
  readonly from: string;
  readonly prefix: string;
}
const changes = fc.uniqueArray(
  fc.record<Change>({
    name: fc.constantFrom(...CHANGED),
    how: fc.constantFrom('value', 'value', 'remove', 'remove', 'default', 'copy'),
    value: fc.oneof(scalar, value).map((found) => (found === undefined ? null : found)),
    from: anyPath,
    prefix: partition,
  }),
  { minLength: 1, maxLength: 4, selector: ({ name }) => name },
);

function assigned({ name, how, value: passed, from, prefix }: Change, own: Key, writer: Writer): string {
  const isSort = name.endsWith('Sk');
  if (INDEX_KEYS.has(name)) return writer.value(isSort ? uniqueSort(prefix, own) : prefix);
  if (how === 'copy') return writer.path(from);
  return how === 'default'
    ? `if_not_exists(${writer.path(from)}, ${writer.value(passed)})`
    : writer.value(passed);
}

function updateText(all: readonly Change[], own: Key, writer: Writer): string {
  const set = all
    .filter(({ how }) => how !== 'remove')
    .map((change) => `${writer.path(change.name)} = ${assigned(change, own, writer)}`);
  const removed = all.filter(({ how }) => how === 'remove').map(({ name }) => writer.path(name));
  return [
    ...(set.length > 0 ? [`SET ${set.join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : []),
  ].join(' ');
}

const putInput = fc
  .record({ table, item, conditional })
  .map(({ table: TableName, item: Item, conditional: under }) => {
    const writer = new Writer();
    return { TableName, Item, ...conditionMembers(under, writer), ...writer.members() };
  });
const deleteInput = fc
  .record({ table, key, conditional })
  .map(({ table: TableName, key: Key, conditional: under }) => {
    const writer = new Writer();
    return { TableName, Key, ...conditionMembers(under, writer), ...writer.members() };
  });
const updateInput = fc
  .record({ table, key, conditional, changes })
  .map(({ table: TableName, key: Key, conditional: under, changes: all }) => {
    const writer = new Writer();
    const UpdateExpression = updateText(all, Key, writer);
    return { TableName, Key, UpdateExpression, ...conditionMembers(under, writer), ...writer.members() };
  });
const checkInput = fc
  .record({ table, key, node: conditionNode, showsItem: fc.boolean() })
  .map(({ table: TableName, key: Key, ...under }) => {
    const writer = new Writer();
    return { TableName, Key, ...conditionMembers(under, writer), ...writer.members() };
  });

const transactInput = fc
  .array(
    fc.oneof(
      putInput.map((Put) => ({ Put })),
      deleteInput.map((Delete) => ({ Delete })),
      updateInput.map((Update) => ({ Update })),
      checkInput.map((ConditionCheck) => ({ ConditionCheck })),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((TransactItems) => ({ TransactItems }));

const getInput = fc
  .dictionary(
    table,
    fc.record({ Keys: fc.array(key, { minLength: 1, maxLength: 5 }), ConsistentRead: fc.boolean() }),
    {
      minKeys: 1,
      noNullPrototype: true,
    },
  )
  .map((RequestItems) => ({ RequestItems }));

/** A statement has a parameter for each attribute, so none is undefined. */
const insertInput = fc.array(fc.record({ table, item }), { minLength: 1, maxLength: 3 }).map((inserts) => ({
  Statements: inserts.map(({ table: name, item: inserted }) => {
    const members = Object.entries(inserted).filter(([, member]) => member !== undefined);
    const converted = members.map(([member, of]) => [
      member,
      convertToAttr(of, { removeUndefinedValues: true }),
    ]);
    return statement(Object.fromEntries(converted), name);
  }),
}));

const SORT_CONDITIONS = ['= :', '< :', '<= :', '> :', '>= :', 'BETWEEN : AND :'] as const;

/** The reference compares such texts in the order of UTF-16 where it should not. */
const isMisread = (texts: readonly string[]): boolean => texts.some((text) => /[\ud800-\uffff]/.test(text));

/** Bounds in their order. */
function boundsIn(sorts: readonly string[]): readonly string[] {
  const [from = '', to = ''] = sorts.toSorted(compareTexts);
  return from <= to ? [from, to] : [from, from];
}

const queryCall = fc
  .record({
    of: fc.constantFrom(...TABLES, 'list', 'list', 'fingerprint', 'due'),
    partition,
    under: fc.constantFrom(undefined, undefined, undefined, ...SORT_CONDITIONS, 'begins' as const),
    sorts: fc.tuple(sort, sort),
    Limit: optional(fc.integer({ min: 1, max: 4 })),
    ScanIndexForward: optional(fc.boolean()),
    Select: optional(fc.constant('COUNT')),
    isWalk: fc.boolean(),
    startKey: fc.oneof({ arbitrary: fc.constant(undefined), weight: 2 }, { arbitrary: key, weight: 1 }),
  })
  .map(({ of, partition: wanted, under: wantedSorts, sorts, isWalk, startKey, ...more }) => {
    const start = isWalk ? undefined : startKey;
    const isRead = !isWalk && start === undefined;
    const under = isRead || !isMisread([start?.sk ?? '', ...sorts]) ? wantedSorts : undefined;
    const isIndex = of in INDEXES;
    const [partitionKey, sortKey] = isIndex ? INDEXES[of as IndexName] : (['pk', 'sk'] as const);
    const writer = new Writer();
    const passed = boundsIn(sorts).values();
    const place = `${writer.path(partitionKey)} = ${writer.value(wanted)}`;
    const next = () => writer.value(passed.next().value);
    const ofSort =
      under === 'begins'
        ? ` AND begins_with(${writer.path(sortKey)}, ${next()})`
        : under && ` AND ${writer.path(sortKey)} ${under.replaceAll(':', next)}`;
    const after = start && {
      ...start,
      ...(isIndex && { [partitionKey]: wanted, [sortKey]: uniqueSort('a', start) }),
    };
    const input = {
      TableName: isIndex ? 'Tokens' : of,
      ...(isIndex && { IndexName: of }),
      KeyConditionExpression: `${place}${ofSort ?? ''}`,
      ...writer.members(),
      ...(after && { ExclusiveStartKey: after }),
      ...more,
    };
    return { call: isWalk ? ('walk' as const) : ('query' as const), input };
  });

const asCall = (call: Exclude<Call['call'], 'expire'>) => (input: object) => ({ call, input }) as Call;

const call = fc.oneof(
  { arbitrary: putInput.map(asCall('put')), weight: 4 },
  { arbitrary: deleteInput.map(asCall('delete')), weight: 2 },
  { arbitrary: updateInput.map(asCall('update')), weight: 4 },
  { arbitrary: transactInput.map(asCall('transact')), weight: 3 },
  { arbitrary: getInput.map(asCall('get')), weight: 1 },
  { arbitrary: insertInput.map(asCall('insert')), weight: 1 },
  { arbitrary: queryCall, weight: 6 },
  {
    arbitrary: fc.integer({ min: 1, max: 99 }).map((seconds) => ({ call: 'expire' as const, seconds })),
    weight: 1,
  },
);

/** Calls of the kinds that the adapters make, with more values and in more combinations. */
export const calls: fc.Arbitrary<readonly Call[]> = fc
  .tuple(
    fc.array(item, { maxLength: 12, size: 'max' }),
    fc.array(call, { minLength: 5, maxLength: 25, size: 'max' }),
  )
  .map(([items, more]) => [...items.map((Item) => asCall('put')({ TableName: 'Tokens', Item })), ...more]);
