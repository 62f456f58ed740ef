import { validationError } from './dynamodb-error.ts';
import { compareTexts, copyOfItem, itemBytes, type Item, type Value } from './item.ts';
import { SortedItems } from './sorted-items.ts';
import { EXPIRY_ATTRIBUTE, type IndexDefinition, type TableDefinition } from './table-definitions.ts';

/** The largest item, in bytes. */
const ITEM_MAX_BYTES = 400 * 1024;
/** The longest keys of a table and of its indexes, in bytes. */
const [PARTITION_KEY_MAX, SORT_KEY_MAX] = [2_048, 1_024] as const;

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

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

function checkKey(name: string, value: Value, maxBytes: number): string {
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

/** Where an index has an item; `undefined` if the item lacks a key of the index. */
function placeIn({ partitionKey, sortKey }: IndexDefinition, item: Item) {
  const [partition, sort] = [item[partitionKey], item[sortKey]];
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

/** What a query reads: a partition, in its order, from one place on. */
export interface Range {
  readonly index: IndexDefinition | undefined;
  readonly partition: string;
  readonly isForward: boolean;
  /** The last item of the page before. */
  readonly after: Item | undefined;
  /** No sort key of the range is before it. */
  readonly from: string;
  /** No sort key of the range is after it. */
  readonly to: string | undefined;
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

  /** The items of a range, in its order. */
  *read({ index, partition, isForward, after, from, to }: Range): Generator<Item> {
    const partitions = index === undefined ? this.#items : this.#indexes.get(index.name);
    const entries = partitions?.get(partition);
    if (entries === undefined) return;
    const start = after && { sort: String(after[index?.sortKey ?? 'sk']), key: keyOf(after), item: after };
    let first = entries.firstNot(({ sort }) => compareTexts(sort, from) < 0);
    let end =
      to === undefined ? entries.all.length : entries.firstNot(({ sort }) => compareTexts(sort, to) <= 0);
    if (start !== undefined && isForward)
      first = Math.max(
        first,
        entries.firstNot((entry) => compareEntries(entry, start) <= 0),
      );
    if (start !== undefined && !isForward)
      end = Math.min(
        end,
        entries.firstNot((entry) => compareEntries(entry, start) < 0),
      );
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
        return typeof at === 'number' && at < seconds;
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
