import { defined } from '../shared/defined.ts';
import { namedTokens, TRAIL_SHARDS, type AuditRecord } from '../audit/audit-record.ts';
import { decodeContent } from '../audit/record-content.ts';
import { parseReference, referenceText, type ReferredIds } from '../audit/token-reference.ts';
import { MAX_INTERVAL_MS, statementOf } from './seal.ts';
import type { Seal, SealReader, TrailReader } from './trail-store.ts';

/** A line of an export, as docs/verify-the-trail.md#export-audit describes it. */
export type ExportLine = Readonly<Record<string, unknown>>;

export interface ExportDeps {
  readonly trail: Pick<TrailReader, 'records'>;
  readonly seals: SealReader;
  readonly referredIds: ReferredIds;
}

/** Most bytes of records in one step, which must fit into a function's response (AWS: 6 MB). */
const STEP_BYTES = 2_200_000;
/**
 * Most bytes of other ids of tokens in one step, and most of these ids. The creator of a token
 * chooses its id.
 */
const IDS_BYTES = 2_200_000;
const MAX_IDS = 5_000;
/** Most bytes of seals in one step. One more interval is added to these. */
const SEAL_BYTES = 750_000;

/** The ids are in base64 in an export. */
const bytesOf = ({ body, ids }: AuditRecord): number =>
  Buffer.byteLength(body) + 250 + 2 * (ids?.length ?? 0);

const recordLine = ({ mac, ids, ...record }: AuditRecord): ExportLine => ({
  record: { ...record, ...defined({ ids: ids?.toString('base64'), mac: mac?.toString('base64') }) },
});

/** The references in a record. A record that was tampered with has none. */
function referencesIn(record: AuditRecord): readonly Buffer[] {
  try {
    return namedTokens(decodeContent(record)).flatMap((name) => parseReference(name) ?? []);
  } catch {
    return [];
  }
}

/** The ids that records refer to; `undefined` if they exceed a step. */
async function idLines(
  { referredIds }: ExportDeps,
  records: readonly AuditRecord[],
): Promise<readonly ExportLine[] | undefined> {
  const references = records.flatMap(referencesIn);
  const unique = new Map(references.map((each) => [each.toString('base64url'), each]));
  if (unique.size > MAX_IDS) return undefined;
  const ids = unique.size === 0 ? new Map<string, string>() : await referredIds([...unique.values()]);
  const lines: ExportLine[] = [];
  let bytes = 0;
  for (const [reference, each] of unique) {
    const id = ids.get(referenceText(each));
    if (id === undefined) continue;
    const line = { id: { reference, id } };
    bytes += Buffer.byteLength(JSON.stringify(line));
    if (bytes > IDS_BYTES) return undefined;
    lines.push(line);
  }
  return lines;
}

const sealLine = ({ signature, ...seal }: Seal): ExportLine => ({
  seal: { ...seal, signature: signature.toString('base64') },
});

/** The records of a range, ordered by position; `undefined` if they exceed a step. */
async function recordsOf(
  { trail: reader }: ExportDeps,
  trail: string,
  from: number,
  to: number,
): Promise<readonly AuditRecord[] | undefined> {
  const records: AuditRecord[] = [];
  let bytes = 0;
  const shards = Array.from({ length: TRAIL_SHARDS }, (_, shard) => shard);
  await Promise.all(
    shards.map(async (shard) => {
      for await (const page of reader.records({ trail, shard }, from, to)) {
        records.push(...page);
        for (const record of page) bytes += bytesOf(record);
        if (bytes > STEP_BYTES) return;
      }
    }),
  );
  if (bytes > STEP_BYTES && to - from > 1) return undefined;
  return records.toSorted((a, b) =>
    a.position === b.position ? a.shard - b.shard : a.position < b.position ? -1 : 1,
  );
}

/**
 * The seals of a range that fit into a step. `end` is the start of the first one that does not fit.
 */
async function sealsOf(
  { seals }: ExportDeps,
  from: number,
  to: number,
): Promise<{ readonly taken: readonly Seal[]; readonly end?: number }> {
  const taken: Seal[] = [];
  let bytes = 0;
  for await (const page of seals.seals(from, to))
    for (const seal of page) {
      // A step has all parts of an interval, because the next step starts after that interval's
      // start.
      if (bytes > SEAL_BYTES && seal.from !== taken.at(-1)?.from) return { taken, end: seal.from };
      taken.push(seal);
      bytes += Buffer.byteLength(seal.body) + 250;
    }
  return { taken };
}

/**
 * The end of a seal's interval; `undefined` for an invalid seal, which is exported all the same, as
 * evidence.
 */
function endOf(seal: Seal): number | undefined {
  try {
    return statementOf(seal).to;
  } catch {
    return undefined;
  }
}

/**
 * The start of an export, which is the start of the interval that contains the start of the range.
 */
export async function exportStart({ seals }: Pick<ExportDeps, 'seals'>, from: number): Promise<number> {
  let start = from;
  for await (const page of seals.seals(Math.max(0, from - MAX_INTERVAL_MS), from))
    for (const seal of page) if ((endOf(seal) ?? 0) > from) start = Math.min(start, seal.from);
  return start;
}

/** The line of the newest seal, if it begins at a time or later. */
async function newestLines({ seals }: ExportDeps, time: number): Promise<readonly ExportLine[]> {
  const newest = await seals.newest();
  return newest !== undefined && newest.from >= time ? [{ newest: sealLine(newest)['seal'] }] : [];
}

export interface ExportStep {
  readonly lines: readonly ExportLine[];
  /** The range that remains, in ms since the epoch; absent at the end. */
  readonly next?: { readonly from: number; readonly to: number };
}

/**
 * Makes one step of an export. The last interval is exported whole, so that it can be verified. The
 * newest seal is added last if it is beyond the range, and shows when the export was made.
 */
export async function exportStep(
  deps: ExportDeps,
  { trail, from, to }: { readonly trail: string; readonly from: number; readonly to: number },
): Promise<ExportStep> {
  const { taken, end } = await sealsOf(deps, from, to);
  const cut = end === undefined ? taken.at(-1) : undefined;
  const last = Math.max(to, (cut && endOf(cut)) ?? to);
  for (let until = end ?? last; ; until = from + Math.ceil((until - from) / 2)) {
    const records = await recordsOf(deps, trail, from, until);
    if (records === undefined) continue;
    const ids = await idLines(deps, records);
    // A ms cannot be divided. Its records are exported although the ids that they name are not.
    if (ids === undefined && until - from > 1) continue;
    const seals = taken.filter((seal) => seal.from < until);
    const lines = [...seals.map(sealLine), ...records.map(recordLine), ...(ids ?? [])];
    if (until < last) return { lines, next: { from: until, to: last } };
    return { lines: [...lines, ...(await newestLines(deps, last))] };
  }
}
