import type { KeyObject } from 'node:crypto';
import pLimit from 'p-limit';
import type { Clock } from '../shared/clock.ts';
import { isTrail, leafOf, TRAIL_SHARDS } from '../audit/audit-record.ts';
import { createGathering, hourOf, type Gathering } from './gathering.ts';
import { HOUR_MS } from './index-levels.ts';
import type { IndexStore } from './index-store.ts';
import { firstProgress, indexLag, makeIndexes, shardsIn, type IndexSizes } from './index-work.ts';
import { recordsInOrder } from './records-in-order.ts';
import {
  digestOf,
  earliestExpiry,
  encodeStatement,
  hashOfSeal,
  hasValidSignature,
  MAX_INTERVAL_MS,
  MINUTE_MS,
  statementOf,
  createTrailRoot,
  type SealEntry,
  type SealStatement,
} from './seal.ts';
import type { Seal, SealHead, SealSigner, SealStore, TrailReader } from './trail-store.ts';

export interface SealTrailDeps {
  readonly trail: TrailReader;
  readonly seals: SealStore;
  readonly head: SealHead;
  readonly signer: SealSigner;
  /**
   * Reads the signer's key. A run needs it only if an earlier one died between a seal and the head.
   */
  readonly publicKey: () => Promise<KeyObject>;
  readonly clock: Clock;
  /** The last interval of the run must start before this time, in ms since the epoch. */
  readonly deadline: number;
  readonly indexes: IndexStore;
  /** Reports that indexes could not be made; a later run makes them. */
  readonly onIndexingFailed: (error: unknown) => void;
  readonly memory: SealerMemory;
  /** Most trails in one seal. An item of DynamoDB has at most 400 KB. */
  readonly partSize?: number;
  /** Without them, the sizes are those of a service. */
  readonly indexSizes?: IndexSizes;
}

/** The intervals that one run has sealed and indexed. */
export interface SealReport {
  /** Counts the finished intervals; `records` counts the records in them. */
  readonly intervals: number;
  readonly records: number;
  /** Age of the end of the sealed time. Absent before the first seal, or if that cannot be read. */
  readonly lagMs?: number;
  /** How long the oldest missing index could have been made, in ms. Absent like `lagMs`. */
  readonly indexLagMs?: number;
  /** Hash that the newest seal has, in base64url. */
  readonly newest?: string;
  /** The reason why sealing has stopped until an operator intervenes. */
  readonly broken?: string;
}

const PART_SIZE = 2_000;
/** After this time a record is durable, or its write has failed: the writer retries for 5 s. */
const SETTLED_MS = MINUTE_MS;
/**
 * Trails that are read at once. Pairs of trails and shards differ, since a trail has up to 32
 * shards.
 */
const TRAILS_AT_ONCE = 16;
/** A part is sealed after this time, in ms. A run that ends early loses no more than that. */
const PART_MS = 8_000;
/** How long a seal waits for indexes, in ms. */
const INDEXING_MS = 20_000;

interface Interval {
  readonly from: number;
  readonly to: number;
}

/** A trail, and a bit for each of its shards that is marked. */
type MarkedTrail = readonly [trail: string, shards: number];

interface TrailEntry {
  readonly entry: SealEntry;
  readonly expires: number;
}

interface Newest {
  readonly seal: Seal;
  readonly statement: SealStatement;
  readonly hash: Buffer;
}

type ChainState = { readonly newest: Newest | undefined } | 'again' | { readonly broken: string };

const isSame = (a: Buffer | undefined, b: Buffer | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.equals(b);

function read(seal: Seal): Newest | undefined {
  try {
    return { seal, statement: statementOf(seal), hash: hashOfSeal(seal) };
  } catch {
    return undefined;
  }
}

/** Moves the head to the newest seal, if a run died between the two. */
async function repairHead(
  deps: SealTrailDeps,
  seal: Seal | undefined,
  head: Buffer | undefined,
): Promise<ChainState> {
  const newest = seal && read(seal);
  if (seal === undefined) return { broken: 'there is a head and no seal' };
  if (newest === undefined) return { broken: 'the newest seal is not the head and cannot be read' };
  if (newest.statement.previous !== head?.toString('base64url'))
    return { broken: 'the newest seal is not the head and does not follow it' };
  if (!hasValidSignature(await deps.publicKey(), seal))
    return { broken: 'the newest seal is not the head and its signature is not valid' };
  await deps.head.move(head, newest.hash);
  return 'again';
}

/** Reads the newest seal and the head. */
async function chainState(deps: SealTrailDeps): Promise<ChainState> {
  const seal = await deps.seals.newest();
  const head = await deps.head.read();
  const hash = seal && hashOfSeal(seal);
  const newest = seal && read(seal);
  if (isSame(hash, head))
    return seal !== undefined && newest === undefined
      ? { broken: 'the newest seal cannot be read' }
      : { newest };
  // A concurrent run may have sealed between the two reads.
  const again = await deps.seals.newest();
  if (!isSame(again && hashOfSeal(again), hash)) return 'again';
  return repairHead(deps, seal, head);
}

/** The next interval to seal: the rest of an interval in parts, or a new one within an hour. */
async function nextInterval(
  seals: SealStore,
  newest: SealStatement | undefined,
  now: number,
  lengthMs: number,
): Promise<Interval | undefined> {
  if (newest?.more !== undefined) return newest;
  const last = Math.floor((now - SETTLED_MS) / MINUTE_MS) * MINUTE_MS;
  const from = newest?.to ?? (await seals.begin(last - MAX_INTERVAL_MS));
  const length = newest === undefined ? MAX_INTERVAL_MS : lengthMs;
  const to = Math.min(from + length, hourOf(from) + HOUR_MS, last);
  return to > from ? { from, to } : undefined;
}

async function trailEntry(
  reader: TrailReader,
  { from, to }: Interval,
  [trail, shards]: MarkedTrail,
): Promise<TrailEntry | undefined> {
  const root = createTrailRoot();
  let first = Infinity;
  let bits = 0;
  for await (const records of recordsInOrder(reader, { trail, shards: shardsIn(shards), from, to }))
    for (const record of records) {
      root.add(leafOf(record));
      bits |= 2 ** record.shard;
      // After tampering, the value may be anything.
      if (Number.isSafeInteger(record.expires)) first = Math.min(first, record.expires);
    }
  const earliest = earliestExpiry(from);
  return root.count === 0
    ? undefined
    : {
        entry: [trail, root.count, root.root(), bits >>> 0],
        expires: first === Infinity ? earliest : Math.max(first, earliest),
      };
}

/** The marked trails of an interval with their shards, one bit each, sorted. */
async function markedTrails(reader: TrailReader, { from, to }: Interval): Promise<readonly MarkedTrail[]> {
  const shards = new Map<string, number>();
  for (const { trail, shard } of await reader.marked(from, to))
    // A mark without the service's format was added by an attacker, and would only enlarge the
    // seal.
    if (isTrail(trail) && Number.isInteger(shard) && shard >= 0 && shard < TRAIL_SHARDS)
      shards.set(trail, ((shards.get(trail) ?? 0) | (2 ** shard)) >>> 0);
  return [...shards].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** The entries of a part. `more` is the last trail that it covers, if others follow. */
interface Part {
  readonly entries: readonly TrailEntry[];
  readonly more?: string;
}

/**
 * The entries of the next part of an interval: at most `size` trails, and fewer when the time is
 * over, at least one. A trail that a part has need not be read again.
 */
async function nextPart(
  { trail: reader, clock, deadline, partSize = PART_SIZE }: SealTrailDeps,
  interval: Interval,
  marked: readonly MarkedTrail[],
): Promise<Part> {
  const trails = marked.slice(0, partSize);
  const limit = pLimit(TRAILS_AT_ONCE);
  const until = Math.min(deadline, clock() + PART_MS);
  let begun = 0;
  let isOver = false;
  const work = trails.map((trail, at) =>
    limit(() => {
      // The pool begins trails in order, so those that were begun come first. The clock may go
      // back.
      isOver ||= at > 0 && clock() >= until;
      if (isOver) return undefined;
      begun = at + 1;
      return trailEntry(reader, interval, trail);
    }),
  );
  const found = await Promise.all(work).finally(() => {
    limit.clearQueue();
  });
  const entries = found.filter((entry) => entry !== undefined);
  const more = begun < marked.length ? marked[begun - 1]?.[0] : undefined;
  return { entries, ...(more !== undefined && { more }) };
}

function reportOf(
  done: { intervals: number; records: number },
  now: number,
  newest: Newest | undefined,
): SealReport {
  if (newest === undefined) return done;
  const { from, to, more, progress } = newest.statement;
  const sealedTo = more === undefined ? to : from;
  return {
    ...done,
    lagMs: now - sealedTo,
    indexLagMs: indexLag(progress, sealedTo, now),
    newest: newest.hash.toString('base64url'),
  };
}

/** The seals up to one of them determine this, so that the next run need not read them. */
export interface SealerMemory {
  newest?: string;
  gathering: Gathering;
  /** Trails that are known to be listed as having an index of a day. */
  readonly listed: Set<string>;
}

export const newSealerMemory = (): SealerMemory => ({ gathering: createGathering(), listed: new Set() });

/**
 * Gathers what is sealed and not indexed, from memory or from the seals of the hours in question.
 */
async function gatheringAt({ seals, memory }: SealTrailDeps, newest: Newest | undefined): Promise<Gathering> {
  const name = newest?.hash.toString('base64url');
  if (newest === undefined || (memory.newest !== undefined && memory.newest === name)) {
    // This run changes the memory, which is true again only after the next seal.
    delete memory.newest;
    return memory.gathering;
  }
  const gathering = createGathering();
  const { from, part, progress } = newest.statement;
  for await (const page of seals.seals(progress.hours.time, from + 1))
    for (const seal of page) if (seal.from < from || seal.part <= part) gathering.replay(statementOf(seal));
  gathering.drop(progress.hours.time);
  delete memory.newest;
  memory.gathering = gathering;
  return gathering;
}

/** The marks of an interval after the parts of it that are sealed. */
async function restOf(
  { trail }: SealTrailDeps,
  interval: Interval,
  newest: SealStatement | undefined,
): Promise<readonly MarkedTrail[]> {
  const after = newest?.more;
  const marked = await markedTrails(trail, interval);
  return after === undefined ? marked : marked.filter(([id]) => id > after);
}

/** The number that the part after a seal has. */
const partAfter = (before: SealStatement | undefined): number =>
  before?.more === undefined ? 1 : before.part + 1;

/** The next seal of the chain, and the indexes that it names. */
async function nextStatement(
  deps: SealTrailDeps,
  newest: Newest | undefined,
  interval: Interval,
  isLatest: boolean,
): Promise<SealStatement> {
  const { from, to } = interval;
  const before = newest?.statement;
  const gathering = await gatheringAt(deps, newest);
  const { entries: all, more } = await nextPart(deps, interval, await restOf(deps, interval, before));
  const entries = all.map(({ entry }) => entry);
  gathering.add(from, entries);
  const progress = before?.progress ?? firstProgress(from);
  const isIndexed = more === undefined && isLatest && newest !== undefined;
  const made = !isIndexed
    ? { indexes: [], progress }
    : await makeIndexes(deps, {
        gathering,
        listed: deps.memory.listed,
        progress,
        origin: newest.hash,
        sealedTo: to,
        until: Math.min(deps.deadline, deps.clock() + INDEXING_MS),
      });
  return {
    from,
    to,
    part: partAfter(before),
    ...(more !== undefined && { more }),
    ...(newest !== undefined && { previous: newest.hash.toString('base64url') }),
    ...(all.length > 0 && { expires: Math.min(...all.map(({ expires }) => expires)) }),
    entries,
    ...(made.indexes.length > 0 && { indexes: made.indexes }),
    progress: made.progress,
  };
}

/**
 * Seals intervals until none is left or the deadline passes, and makes the indexes that are due.
 * Runs may overlap or die anywhere: a seal is inserted only after the newest one, and only where
 * there is none. If a run dies before its seal, the next one does the same work in the same way.
 */
export async function sealTrail(deps: SealTrailDeps): Promise<SealReport> {
  const done = { intervals: 0, records: 0 };
  // An interval may take too long for one run, and later runs must not fail on it again. So a run
  // starts with a short one.
  let lengthMs = MINUTE_MS;
  for (;;) {
    const state = await chainState(deps);
    const now = deps.clock();
    if (state === 'again') {
      if (now >= deps.deadline) return done;
      continue;
    }
    if ('broken' in state) return { ...done, broken: state.broken };
    const { newest } = state;
    const interval = await nextInterval(deps.seals, newest?.statement, now, lengthMs);
    if (interval === undefined || now >= deps.deadline) return reportOf(done, now, newest);
    const isLatest = interval.to > now - SETTLED_MS - MINUTE_MS;
    const statement = await nextStatement(deps, newest, interval, isLatest);
    const body = encodeStatement(statement);
    const seal: Seal = {
      from: statement.from,
      part: statement.part,
      body,
      signature: await deps.signer.sign(digestOf(body)),
    };
    if (!(await deps.seals.insert(seal))) continue;
    const hash = hashOfSeal(seal);
    deps.memory.newest = hash.toString('base64url');
    await deps.head.move(newest?.hash, hash);
    done.records += statement.entries.reduce((sum, [, count]) => sum + count, 0);
    if (statement.more !== undefined) continue;
    done.intervals += 1;
    lengthMs = Math.min(2 * lengthMs, MAX_INTERVAL_MS);
  }
}
