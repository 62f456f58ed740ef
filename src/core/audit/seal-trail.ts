import type { KeyObject } from 'node:crypto';
import type { Clock } from '../shared/clock.ts';
import { leafOf, TRAIL_SHARDS } from './audit-record.ts';
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
  TrailRoot,
  type SealEntry,
  type SealStatement,
} from './seal.ts';
import type { Seal, SealHead, SealSigner, SealStore, TrailReader } from './trail-store.ts';

export interface SealTrailDeps {
  readonly trail: TrailReader;
  readonly seals: SealStore;
  readonly head: SealHead;
  readonly signer: SealSigner;
  /** The signer's key. Read only if a run died between a seal and the head. */
  readonly publicKey: () => Promise<KeyObject>;
  readonly clock: Clock;
  /** The last interval of the run must start before this time, in ms since the epoch. */
  readonly deadline: number;
  /** Most trails in one seal: an item of DynamoDB has at most 400 KB. */
  readonly partSize?: number;
}

/** The result of one run. */
export interface SealReport {
  /** Number of finished intervals, and of the records in them. */
  readonly intervals: number;
  readonly records: number;
  /** Age of the end of the sealed time; absent before the first seal, or if that cannot be read. */
  readonly lagMs?: number;
  /** Hash of the newest seal, base64url. */
  readonly newest?: string;
  /** Why sealing has stopped until an operator intervenes. */
  readonly broken?: string;
}

const PART_SIZE = 2_000;
/** By then a record is durable, or its write has failed: the writer retries for 5 s. */
const SETTLED_MS = MINUTE_MS;
const TRAILS_AT_ONCE = 8;
/** A trail is a UUID or `deployment`. */
const TRAIL_LENGTH_MAX = 36;

interface Interval {
  readonly from: number;
  readonly to: number;
}

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

/** Moves the head after a run that died between a seal and the head. */
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
  if (seal === undefined) return { broken: 'there is a head and no seal' };
  if (newest === undefined) return { broken: 'the newest seal is not the head and cannot be read' };
  if (newest.statement.previous !== head?.toString('base64url'))
    return { broken: 'the newest seal is not the head and does not follow it' };
  if (!hasValidSignature(await deps.publicKey(), seal))
    return { broken: 'the newest seal is not the head and its signature is not valid' };
  await deps.head.move(head, newest.hash);
  return 'again';
}

/** The next interval to seal: the rest of an interval in parts, or a new one. */
async function nextInterval(
  seals: SealStore,
  newest: SealStatement | undefined,
  now: number,
  lengthMs: number,
): Promise<Interval | undefined> {
  if (newest !== undefined && newest.part < newest.parts) return newest;
  const last = Math.floor((now - SETTLED_MS) / MINUTE_MS) * MINUTE_MS;
  if (newest === undefined) {
    const from = await seals.begin(last - MAX_INTERVAL_MS);
    const to = Math.min(from + MAX_INTERVAL_MS, last);
    return to > from ? { from, to } : undefined;
  }
  const to = Math.min(newest.to + lengthMs, last);
  return to > newest.to ? { from: newest.to, to } : undefined;
}

async function trailEntry(
  reader: TrailReader,
  { from, to }: Interval,
  trail: string,
  shards: readonly number[],
): Promise<TrailEntry | undefined> {
  const root = new TrailRoot();
  let first = Infinity;
  for await (const records of recordsInOrder(reader, { trail, shards, from, to }))
    for (const record of records) {
      root.add(leafOf(record));
      // After tampering, the value may be anything.
      if (Number.isSafeInteger(record.expires)) first = Math.min(first, record.expires);
    }
  const earliest = earliestExpiry(from);
  return root.count === 0
    ? undefined
    : {
        entry: [trail, root.count, root.root()],
        expires: first === Infinity ? earliest : Math.max(first, earliest),
      };
}

/** The trails with records in an interval, sorted. */
async function entriesOf(reader: TrailReader, interval: Interval): Promise<readonly TrailEntry[]> {
  const shards = new Map<string, Set<number>>();
  for (const { trail, shard } of await reader.marked(interval.from, interval.to))
    // A mark without the service's format was added by an attacker, and would only enlarge the
    // seal.
    if (trail.length <= TRAIL_LENGTH_MAX && Number.isInteger(shard) && shard >= 0 && shard < TRAIL_SHARDS)
      shards.set(trail, (shards.get(trail) ?? new Set()).add(shard));
  const trails = [...shards].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const entries: TrailEntry[] = [];
  for (let at = 0; at < trails.length; at += TRAILS_AT_ONCE) {
    const some = trails
      .slice(at, at + TRAILS_AT_ONCE)
      .map(([trail, marked]) => trailEntry(reader, interval, trail, [...marked]));
    entries.push(...(await Promise.all(some)).filter((entry) => entry !== undefined));
  }
  return entries;
}

/**
 * The next seal of the chain. The entries of a part follow those of the previous part; the last
 * part contains all remaining entries, so that no part ever has to be sealed again.
 */
function nextStatement(
  newest: Newest | undefined,
  { from, to }: Interval,
  all: readonly TrailEntry[],
  partSize: number,
): SealStatement {
  const before = newest?.statement;
  const unfinished = before !== undefined && before.part < before.parts ? before : undefined;
  const last = unfinished?.entries.at(-1)?.[0];
  // If this part is empty, all later parts are empty too.
  const rest =
    unfinished === undefined ? all : all.filter(({ entry }) => last !== undefined && entry[0] > last);
  const part = unfinished === undefined ? 1 : unfinished.part + 1;
  const parts = unfinished?.parts ?? Math.max(1, Math.ceil(all.length / partSize));
  const own = part === parts ? rest : rest.slice(0, partSize);
  return {
    ...{ from, to, part, parts },
    ...(newest !== undefined && { previous: newest.hash.toString('base64url') }),
    ...(own.length > 0 && { expires: Math.min(...own.map(({ expires }) => expires)) }),
    entries: own.map(({ entry }) => entry),
  };
}

function reportOf(
  done: { intervals: number; records: number },
  now: number,
  newest: Newest | undefined,
): SealReport {
  if (newest === undefined) return done;
  const { from, to, part, parts } = newest.statement;
  return { ...done, lagMs: now - (part < parts ? from : to), newest: newest.hash.toString('base64url') };
}

/**
 * Seals intervals until none is left or the deadline passes. Runs may overlap or die anywhere: a
 * seal is inserted only after the newest one, and only where there is none.
 */
export async function sealTrail(deps: SealTrailDeps): Promise<SealReport> {
  const done = { intervals: 0, records: 0 };
  // If an interval takes too long for one run, later runs must not fail on it again: start with a
  // short one.
  let lengthMs = MINUTE_MS;
  let sealed: { interval: Interval; entries: readonly TrailEntry[] } | undefined;
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
    // All parts of an interval use the records as read once; a new run reads them again.
    if (sealed?.interval.from !== interval.from || sealed.interval.to !== interval.to)
      sealed = { interval, entries: await entriesOf(deps.trail, interval) };
    const statement = nextStatement(newest, interval, sealed.entries, deps.partSize ?? PART_SIZE);
    const body = encodeStatement(statement);
    const seal: Seal = {
      ...{ from: statement.from, part: statement.part, body },
      signature: await deps.signer.sign(digestOf(body)),
    };
    if (!(await deps.seals.insert(seal))) continue;
    await deps.head.move(newest?.hash, hashOfSeal(seal));
    done.records += statement.entries.reduce((sum, [, count]) => sum + count, 0);
    if (statement.part < statement.parts) continue;
    done.intervals += 1;
    lengthMs = Math.min(2 * lengthMs, MAX_INTERVAL_MS);
  }
}
