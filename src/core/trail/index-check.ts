import {
  isPosition,
  namedTokens,
  placeText,
  timeOfPosition,
  type AuditRecord,
  type RecordPlace,
} from '../audit/audit-record.ts';
import { PART_INDEX_LIFETIME_MS } from './index-levels.ts';
import { recordsInOrder } from './records-in-order.ts';
import { earliestExpiry, type SealedIndex } from './seal.ts';
import type { Interval } from './group-intervals.ts';
import { ENTRY_BYTES, hashOfIndex, createIndexBuilder, type TokenIndex } from './token-index.ts';
import { bytesOfName } from '../audit/token-reference.ts';
import { ALL_SHARDS, strictEntryOf } from './trail-walk.ts';
import type { Verification } from './verification.ts';

function hasEntry(entries: Buffer, entry: Buffer): boolean {
  let low = 0;
  let high = entries.length / ENTRY_BYTES;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const order = entries.compare(entry, 0, ENTRY_BYTES, middle * ENTRY_BYTES, (middle + 1) * ENTRY_BYTES);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** Whether an index has an entry for each token that some records of its range name. */
function leadsTo(index: TokenIndex, records: readonly AuditRecord[]): boolean {
  const wanted = createIndexBuilder(index);
  for (const record of records) {
    // The walk over the records reports this failure.
    if (!isPosition(record.position)) continue;
    const names = namedTokens(strictEntryOf(record) ?? {}).map(bytesOfName);
    wanted.add(names, { at: timeOfPosition(record.position), shard: record.shard });
  }
  const { entries } = wanted.build(index);
  for (let at = 0; at < entries.length; at += ENTRY_BYTES)
    if (!hasEntry(index.entries, entries.subarray(at, at + ENTRY_BYTES))) return false;
  return true;
}

/** An index, and the interval of the seal that names it. */
export interface NamedIndex {
  readonly interval: Interval;
  readonly sealed: SealedIndex;
}

function addFinding(step: Verification, { interval, sealed }: NamedIndex, what: string, place?: RecordPlace) {
  const [trail] = sealed;
  step.findings.add({
    time: interval.from,
    rank: place === undefined ? 2 : 1,
    broken: { interval: interval.name, trail, ...(place !== undefined && { place: placeText(place) }), what },
  });
}

function recordsOf(step: Verification, sealed: SealedIndex): AsyncIterable<readonly AuditRecord[]> {
  const [trail, , from, to] = sealed;
  return recordsInOrder(step.deps.trail, { trail, shards: ALL_SHARDS, from, to });
}

/**
 * Whether the index has expired. The index of a day expires with its last record, and its own
 * expiry is not part of its hash, so the records decide.
 */
async function hasExpired(step: Verification, sealed: SealedIndex): Promise<boolean> {
  const [, level, from, to] = sealed;
  const now = step.deps.clock();
  if (level === 'part') return now >= to + PART_INDEX_LIFETIME_MS;
  if (now < earliestExpiry(from) * 1000) return false;
  for await (const records of recordsOf(step, sealed))
    if (records.some(({ expires }) => expires * 1000 > now)) return false;
  return true;
}

async function checkContents(step: Verification, named: NamedIndex, index: TokenIndex): Promise<void> {
  for await (const records of recordsOf(step, named.sealed))
    if (!leadsTo(index, records))
      for (const record of records)
        if (!leadsTo(index, [record])) addFinding(step, named, 'its index does not lead to it', record);
}

/**
 * Checks that an index is the sealed one, unless it has expired. `withContents` also checks that it
 * leads to each record of its range by each token that the record names.
 */
export async function checkIndex(
  step: Verification,
  named: NamedIndex,
  withContents: boolean,
): Promise<void> {
  const [, , from, , hash] = named.sealed;
  step.checked.indexes += 1;
  const index = await step.deps.index.readIndex(named.sealed);
  // Checks the stored range and not the sealed one, because searches rely on what is stored.
  if (index !== undefined && hashOfIndex(index, index.entries) === hash) {
    if (withContents) await checkContents(step, named, index);
    return;
  }
  // DynamoDB deletes the items of an expired index one by one.
  if (await hasExpired(step, named.sealed)) return;
  const what = index === undefined ? 'gone' : 'not the sealed one';
  addFinding(step, named, `the index of ${new Date(from).toISOString()} is ${what}`);
}
