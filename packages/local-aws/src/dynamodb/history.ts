import { itemBytes } from './item-size.ts';
import type { Item } from './item.ts';

/** The content of an item before a write, and the time of the write. */
interface Before {
  /** Ms since the epoch. */
  readonly at: number;
  readonly tableName: string;
  readonly itemKey: string;
  readonly item: Item | undefined;
}

/** The last writes of the tables that have point-in-time recovery, in memory. */
export interface History {
  record(tableName: string, itemKey: string, before: Item | undefined): void;
  /** The earliest time, in ms since the epoch, to which a table can be restored. */
  since(): number;
  /** Returns the items that differ from now, as they were at a time; `undefined` for none. */
  differences(tableName: string, time: number): ReadonlyMap<string, Item | undefined>;
}

/** How many bytes of former items are stored. Without a limit a long load test would need more. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The record of a write takes so many bytes besides the item. */
const RECORD_BYTES = 256;

const bytesOf = ({ item }: Before): number => RECORD_BYTES + (item === undefined ? 0 : itemBytes(item));

export function createHistory(now: () => number, mostBytes = MOST_BYTES): History {
  let since = now();
  let bytes = 0;
  /** The oldest come first. Those before `first` are dropped, and removed from time to time. */
  let writes: Before[] = [];
  let first = 0;

  function dropOldest(): void {
    for (let oldest = writes[first]; oldest !== undefined && bytes > mostBytes; oldest = writes[first]) {
      bytes -= bytesOf(oldest);
      // Restored to this time, the table has the write.
      since = oldest.at;
      first += 1;
    }
    if (first <= writes.length / 2) return;
    writes = writes.slice(first);
    first = 0;
  }

  return {
    record: (tableName, itemKey, item) => {
      const before = { at: now(), tableName, itemKey, item };
      writes.push(before);
      bytes += bytesOf(before);
      dropOldest();
    },
    since: () => since,
    differences: (tableName, time) => {
      const found = new Map<string, Item | undefined>();
      for (let index = writes.length - 1; index >= first; index -= 1) {
        const write = writes[index];
        if (write === undefined || write.at <= time) break;
        if (write.tableName === tableName) found.set(write.itemKey, write.item);
      }
      return found;
    },
  };
}
