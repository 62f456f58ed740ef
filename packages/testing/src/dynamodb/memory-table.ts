import { validationError } from './dynamodb-error.ts';
import { checkNesting, compareTexts, copyOfItem, itemBytes, type Item, type Value } from './item.ts';
import { SortedItems } from './sorted-items.ts';
import { EXPIRY_ATTRIBUTE, type IndexDefinition, type TableDefinition } from './table-definitions.ts';

/** An item has at most so many bytes. */
const ITEM_MAX_BYTES = 400 * 1024;
/** The keys of a table and of its indexes have at most so many bytes. */
export const PARTITION_KEY_MAX = 2_048;
export const SORT_KEY_MAX = 1_024;

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

const KEY_MEMBERS = 2;
/** An item that expired so long ago stays: its time is a mistake, or of another unit. */
const FIVE_YEARS_SECONDS = 5 * 365 * 86_400;

/** An item in a table or an index. The item is never changed. */
interface Entry {
  readonly sort: string;
  readonly key: Key;
  readonly item: Item;
}

type Partitions = Map<string, SortedItems<Entry>>;

const compareKeys = (a: Key, b: Key): number => compareTexts(a.pk, b.pk) || compareTexts(a.sk, b.sk);
const compareEntries = (a: Entry, b: Entry): number =>
  compareTexts(a.sort, b.sort) || compareKeys(a.key, b.key);

/** The key, unless DynamoDB refuses it. */
export function checkKey(name: string, value: Value, maxBytes: number): string {
  if (typeof value !== 'string' || value === '')
    throw validationError(`the key ${name} must be a text that is not empty`);
  if (Buffer.byteLength(value) > maxBytes) throw validationError(`the key ${name} is too long`);
  return value;
}

/** The key of an item. Throws for a key that DynamoDB does not store. */
export const keyOf = (item: Item): Key => ({
  pk: checkKey('pk', item['pk'], PARTITION_KEY_MAX),
  sk: checkKey('sk', item['sk'], SORT_KEY_MAX),
});

/** The key of a request. Throws if it has other members than a key. */
export function keyOfRequest(key: Item): Key {
  const members = Object.keys(key).filter((name) => key[name] !== undefined);
  if (members.length !== KEY_MEMBERS) throw validationError('the key does not match the schema');
  return keyOf(key);
}

/** Where an index has an item; `undefined` if the item lacks a key of the index. */
function placeIn({ partitionKey, sortKey }: IndexDefinition, item: Item) {
  const partition = item[partitionKey];
  const sort = item[sortKey];
  if (partition !== undefined) checkKey(partitionKey, partition, PARTITION_KEY_MAX);
  if (sort !== undefined) checkKey(sortKey, sort, SORT_KEY_MAX);
  return typeof partition === 'string' && typeof sort === 'string' ? { partition, sort } : undefined;
}

function put(partitions: Partitions, partition: string, entry: Entry): void {
  const known = partitions.get(partition);
  const entries = known ?? new SortedItems<Entry>(compareEntries);
  if (known === undefined) partitions.set(partition, entries);
  entries.put(entry);
}

function remove(partitions: Partitions, partition: string, entry: Entry): void {
  const entries = partitions.get(partition);
  entries?.remove(entry);
  if (entries?.all.length === 0) partitions.delete(partition);
}

const copyOfPartitions = (partitions: Partitions): Partitions =>
  new Map([...partitions].map(([partition, entries]) => [partition, entries.copy()]));

/** A query reads this: a partition, in its order, from one place on. */
export interface Range {
  readonly index: IndexDefinition | undefined;
  readonly partition: string;
  readonly isForward: boolean;
  /** The page begins after this item, or its place. */
  readonly after: Item | undefined;
  /** No sort key of the range is before it. */
  readonly from: string;
  /** Whether a sort key is after all of the range. */
  readonly isAfter: (sort: string) => boolean;
}

/** The entries of a range are those from `first` to before `end`. */
function extentOf(entries: SortedItems<Entry>, { index, isForward, after, from, isAfter }: Range) {
  const first = entries.firstNot(({ sort }) => compareTexts(sort, from) < 0);
  const end = entries.firstNot(({ sort }) => !isAfter(sort));
  if (after === undefined) return { first, end };
  const start = { sort: String(after[index?.sortKey ?? 'sk']), key: keyOf(after), item: after };
  if (isForward)
    return {
      first: Math.max(
        first,
        entries.firstNot((entry) => compareEntries(entry, start) <= 0),
      ),
      end,
    };
  return {
    first,
    end: Math.min(
      end,
      entries.firstNot((entry) => compareEntries(entry, start) < 0),
    ),
  };
}

/** Everything in a table, which nothing changes any more. */
export interface TableContents {
  readonly items: Partitions;
  readonly indexes: ReadonlyMap<string, Partitions>;
}

/** A table with its indexes, which are always consistent. */
export class MemoryTable {
  readonly definition: TableDefinition;
  #items: Partitions = new Map();
  #indexes: Map<string, Partitions>;

  constructor(definition: TableDefinition) {
    this.definition = definition;
    this.#indexes = new Map(definition.indexes.map(({ name }) => [name, new Map()]));
  }

  get({ pk, sk }: Key): Item | undefined {
    const entries = this.#items.get(pk);
    const found = entries?.all[entries.firstNot(({ sort }) => compareTexts(sort, sk) < 0)];
    return found?.sort === sk ? found.item : undefined;
  }

  /** Throws for an item that DynamoDB does not store. The argument is copied. */
  accept(item: Item): Item {
    const copy = copyOfItem(item);
    keyOf(copy);
    for (const index of this.definition.indexes) placeIn(index, copy);
    checkNesting(copy);
    if (itemBytes(copy) > ITEM_MAX_BYTES) throw validationError('the item is larger than 400 KB');
    return copy;
  }

  /** Stores an item that `accept` returned. */
  put(item: Item): void {
    const key = keyOf(item);
    this.delete(key);
    put(this.#items, key.pk, { sort: key.sk, key, item });
    this.#eachEntry(item, key, put);
  }

  delete(key: Key): void {
    const item = this.get(key);
    if (item === undefined) return;
    remove(this.#items, key.pk, { sort: key.sk, key, item });
    this.#eachEntry(item, key, remove);
  }

  #eachEntry(item: Item, key: Key, change: typeof put): void {
    for (const index of this.definition.indexes) {
      const place = placeIn(index, item);
      if (place === undefined) continue;
      const shown = Object.fromEntries(
        ['pk', 'sk', index.partitionKey, index.sortKey, ...index.attributes].flatMap((name) =>
          item[name] === undefined ? [] : [[name, item[name]]],
        ),
      );
      change(this.#indexes.get(index.name) ?? new Map(), place.partition, {
        sort: place.sort,
        key,
        item: shown,
      });
    }
  }

  /** Yields the items of a range, in its order. */
  *read(range: Range): Generator<Item> {
    const { index, partition, isForward } = range;
    const partitions = index === undefined ? this.#items : this.#indexes.get(index.name);
    const entries = partitions?.get(partition);
    if (entries === undefined) return;
    const { first, end } = extentOf(entries, range);
    for (let read = 0; read < end - first; read += 1)
      yield (entries.all[isForward ? first + read : end - 1 - read] as Entry).item;
  }

  /** Deletes what has expired by `seconds` since the epoch. */
  expire(seconds: number): void {
    if (!this.definition.expires) return;
    const expired = [...this.#items.values()]
      .flatMap(({ all }) => all)
      .filter(({ item }) => {
        const at = item[EXPIRY_ATTRIBUTE];
        return typeof at === 'number' && Math.floor(at) < seconds && at >= seconds - FIVE_YEARS_SECONDS;
      });
    for (const { key } of expired) this.delete(key);
  }

  contents(): TableContents {
    return {
      items: copyOfPartitions(this.#items),
      indexes: new Map([...this.#indexes].map(([name, partitions]) => [name, copyOfPartitions(partitions)])),
    };
  }

  replaceContents({ items, indexes }: TableContents): void {
    this.#items = copyOfPartitions(items);
    this.#indexes = new Map([...indexes].map(([name, partitions]) => [name, copyOfPartitions(partitions)]));
  }
}
