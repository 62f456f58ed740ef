// Verifies an export of the audit trail without the service, on any machine:
//
// node bin/operator/verify-export.ts FILE KEY.pem
//
// It shares no code with the service, so that it does not repeat a mistake of the service. An
// export has one JSON object per line: a header, the seals of its range, the records of one tenant
// in order, and the ids that these refer to by their hash.
//
// A seal signs a statement about an interval of time. For each tenant with records in the interval
// it names their number and their root: the SHA-256 over the leaves of the records in order. A leaf
// is the SHA-256 of a whole record. A seal also names the hash of the previous seal.
//
// Records expire. An interval whose first record had expired before the export may lack records: it
// is counted and not compared. The header names the time of the export without a signature, so the
// newest seal of the file has to confirm it.
//
// A failure does not end the verification: another one may follow.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { printable } from './show.ts';

type Entry = readonly [tenant: string, count: number, root: string];
type Seal = Readonly<{ from: number; part: number; body: string; signature: string }>;
type Statement = Readonly<
  { previous?: string; more?: string; expires?: number; entries: readonly Entry[] } & Record<
    'v' | 'from' | 'to' | 'part',
    number
  >
>;
type SealedRecord = Readonly<
  Record<'trail' | 'position' | 'body', string> & {
    shard: number;
    expires: number;
    mac?: string;
    ids?: string;
  }
>;
type Referred = Readonly<{ reference: string; id: string }>;
type Line = Readonly<{ export?: number; seal?: Seal; newest?: Seal; record?: SealedRecord; id?: Referred }> &
  Readonly<Partial<Record<'tenant' | 'from' | 'at', string>>>;

export type ExportReport = {
  /** Number of failures. */
  failures: number;
  /** Only the first 100 failures are listed. */
  broken: string[];
  seals: number;
  records: number;
  /** Records after the last seal of the file, and before the very first seal. */
  unsealed: number;
  beforeSeals: number;
  /** Intervals with fewer records than were sealed, whose first record had expired. */
  expired: number;
  /** The time that the header of the file names. */
  exportedAt?: string;
  /** The time that the seals of the file cover. A truncated file covers less. */
  sealedFrom?: string;
  sealedTo?: string;
};

/** Hashes strings and bytes. The length of each precedes it in four bytes. */
function sha256(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts.map((each) => Buffer.from(each))) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    hash.update(length).update(part);
  }
  return hash.digest();
}

const shardText = (shard: number): string => String(shard).padStart(2, '0');
const bytes = (base64 = ''): Buffer => Buffer.from(base64, 'base64');
const leafOf = ({ trail, shard, position, expires, mac, body, ids }: SealedRecord): Buffer =>
  sha256(trail, shardText(shard), position, String(expires), body, bytes(ids), bytes(mac));
const iso = (time: number): string => new Date(time).toISOString();
/** A position begins with its time: ms since 1970 in base 36, nine characters. */
const positionOf = (time: number): string => time.toString(36).padStart(9, '0');
function check(isRight: boolean, what: string): asserts isRight {
  if (!isRight) throw new Error(what);
}

const isTime = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isText = (value: unknown): boolean => typeof value === 'string';

function checkSeal({ from, part, body, signature }: Partial<Seal>): void {
  const isSeal = isTime(from) && Number(from) < 36 ** 9 && isTime(part) && isText(body) && isText(signature);
  check(isSeal, 'not a seal');
}

function checkRecord({ trail, shard, position, expires, body, mac, ids }: Partial<SealedRecord>): void {
  const texts = [trail, position, body, mac ?? '', ids ?? ''];
  check(texts.every(isText) && isTime(shard) && Number.isFinite(expires), 'not a record');
}

/** Whether a statement is the next part of an interval, or the first one of the next interval. */
function isNextOf(last: Statement, { from, to, part }: Statement): boolean {
  if (last.more === undefined) return from === last.to && part === 1;
  return from === last.from && to === last.to && part === last.part + 1;
}

/** Most failures that a report names, and most characters of each. */
const MAX_FAILURES = 100;
const MAX_TEXT = 500;

const DAY = 86_400_000;
/** The clocks of two machines may differ by this many ms. */
const SKEW = 600_000;

/**
 * Reads an export line by line. It stores the leaves of intervals whose end it has not read yet.
 */
// oxlint-disable-next-line max-lines-per-function -- one pass with one owner of its state
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  publicKeyPem: string,
  now = Date.now(),
): Promise<ExportReport> {
  const key = createPublicKey(publicKeyPem);
  const report: ExportReport = {
    failures: 0,
    broken: [],
    seals: 0,
    records: 0,
    unsealed: 0,
    beforeSeals: 0,
    expired: 0,
  };
  let header: Line | undefined;
  /** The last seal; without a statement if that is not signed. */
  let before: { statement?: Statement; hash: string } | undefined;
  let newestRecord = '';
  const records: { position: string; leaf: Buffer }[] = [];
  // Sealed intervals that were not compared yet, with their statements about the tenant, and
  // whether their last part was read.
  const intervals: { statement: Statement; isWhole: boolean; entry?: Entry; expires?: number }[] = [];
  /** The time of the export. Without one, no interval has expired. */
  let madeAt = -Infinity;
  /** The latest time that any seal of the file signs. */
  let signedAt = -Infinity;

  function confirm(isRight: boolean, what: string): boolean {
    if (isRight) return true;
    report.failures += 1;
    // An attacker may have written the file, or inserted the record.
    if (report.broken.length < MAX_FAILURES) report.broken.push(printable(what.slice(0, MAX_TEXT)));
    return false;
  }

  function readHeader(line: Line): void {
    header = line;
    if (line.at === undefined) return;
    const at = Date.parse(line.at);
    if (!confirm(at <= now + SKEW, `the header: the export was made at ${line.at}, which is not past`))
      return;
    madeAt = at;
    report.exportedAt = line.at;
  }

  /** The statement of a seal, if its signature is valid. */
  function signedStatement({ from, part, body, signature }: Seal): Statement | undefined {
    const at = `the seal of ${iso(from)}, part ${String(part)}`;
    if (
      !confirm(
        verify('sha256', Buffer.from(body), key, bytes(signature)),
        `${at}: the signature is not valid`,
      )
    )
      return undefined;
    const statement = JSON.parse(body) as Statement;
    const isHere = statement.v === 1 && statement.from === from && statement.part === part;
    if (!confirm(isHere, `${at}: it belongs to another place`)) return undefined;
    signedAt = Math.max(signedAt, statement.to);
    return statement;
  }

  /** Whether a seal covers a time after the seals before it. */
  function isFollowing(statement: Statement, at: string): boolean {
    const { from, part, previous } = statement;
    if (before === undefined) {
      const isFirst = previous === undefined || from <= Date.parse(String(header?.from));
      confirm(part === 1 && isFirst, `${at}: the seals before it are missing`);
      return true;
    }
    const last = before.statement;
    if (confirm(last === undefined || isNextOf(last, statement), `${at}: seals before it are missing`))
      confirm(previous === before.hash, `${at}: it names another seal as the one before it`);
    return last === undefined || from === last.from || from >= last.to;
  }

  function readSeal(seal: Seal): void {
    const { from, part } = seal;
    const at = `the seal of ${iso(from)}, part ${String(part)}`;
    const statement = signedStatement(seal);
    const hash = sha256(seal.body, Buffer.from(seal.signature, 'base64')).toString('base64url');
    if (statement === undefined) {
      before = { hash };
      return;
    }
    const isAfter = isFollowing(statement, at);
    report.seals += 1;
    if (!isAfter) return;
    report.sealedFrom ??= iso(from);
    before = { statement, hash };
    if (part === 1) intervals.push({ statement, isWhole: false });
    const interval = intervals.at(-1);
    if (interval?.statement.from !== from) return;
    interval.isWhole = statement.more === undefined;
    const entry = statement.entries.find(([tenant]) => tenant === header?.tenant);
    if (entry !== undefined) Object.assign(interval, { entry, expires: statement.expires });
    if (interval.isWhole) report.sealedTo = iso(statement.to);
  }

  function readRecord(record: SealedRecord): void {
    const { trail, shard, position } = record;
    const place = `${position}:${shardText(shard)}`;
    if (!confirm(trail === header?.tenant, `the record ${place}: it belongs to another tenant`)) return;
    if (!confirm(place > newestRecord, `the record ${place}: it is not in order`)) return;
    newestRecord = place;
    records.push({ position, leaf: leafOf(record) });
    report.records += 1;
  }

  /** An id that records refer to by the first bytes of its hash. */
  function readId({ reference, id }: Partial<Referred>): void {
    const hash = createHash('sha256').update(String(id)).digest().subarray(0, 24);
    confirm(
      reference === hash.toString('base64url'),
      `the id ${String(id)}: its reference is that of another one`,
    );
  }

  function compareRecords(interval: (typeof intervals)[number], own: readonly { leaf: Buffer }[]): void {
    const { from, to } = interval.statement;
    const [, count, root] = interval.entry ?? ['', 0, sha256OfLeaves([])];
    const found = sha256OfLeaves(own.map(({ leaf }) => leaf));
    const expires = (interval.expires ?? Infinity) * 1000;
    const late = expires === Infinity ? '' : ` (the first of them expires at ${iso(expires)})`;
    if (own.length < count && expires <= madeAt) report.expired += 1;
    else
      confirm(
        own.length === count && found === root,
        `the interval ${iso(from)} to ${iso(to)}: found ${String(own.length)} records, sealed ${String(count)}, or not the same ones${late}`,
      );
  }

  /** Compares the intervals that end before a position, since all their records precede it. */
  function compare(position: string, isEnd: boolean): void {
    for (let first = intervals[0]; first !== undefined; first = intervals[0]) {
      const { isWhole } = first;
      const { from, to, previous } = first.statement;
      if ((!isWhole && intervals.length === 1) || (!isEnd && position < positionOf(to))) return;
      intervals.shift();
      const end = records.findIndex((record) => record.position >= positionOf(to));
      const all = records.splice(0, end === -1 ? records.length : end);
      const own = all.filter((record) => record.position >= positionOf(from));
      const others = all.length - own.length;
      const more = others > 1 ? ` and ${String(others - 1)} after it` : '';
      if (previous === undefined) report.beforeSeals = others;
      else confirm(others === 0, `the record ${String(all[0]?.position)}${more}: no seal covers its time`);
      // The seal of a missing part was reported.
      if (isWhole) compareRecords(first, own);
    }
  }

  function readLine(text: string): void {
    const line = JSON.parse(text) as Line | null;
    check(typeof line === 'object' && line !== null, 'not an object');
    if (line.seal !== undefined) {
      checkSeal(line.seal);
      readSeal(line.seal);
    } else if (line.newest !== undefined) {
      checkSeal(line.newest);
      signedStatement(line.newest);
    } else if (line.record !== undefined) {
      checkRecord(line.record);
      readRecord(line.record);
    } else if (line.id !== undefined) readId(line.id);
    else throw new Error('a line is neither a seal nor a record');
    compare(newestRecord, false);
  }

  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text === '') continue;
    try {
      if (header !== undefined) readLine(text);
      else {
        const line = JSON.parse(text) as Line;
        check(line.export === 1 && isText(line.tenant), 'the first line is not that of an export');
        readHeader(line);
      }
    } catch (error) {
      confirm(false, `line ${String(number)}: ${error instanceof Error ? error.message : String(error)}`);
      // Without a header, nothing can be compared.
      if (header === undefined) return report;
    }
  }
  if (!confirm(header !== undefined, 'the file is empty')) return report;
  compare('', true);
  report.unsealed = records.length;
  const isBorneOut = signedAt === -Infinity || madeAt <= signedAt + DAY;
  confirm(
    isBorneOut,
    `the header: the export was made at ${String(header?.at)}, more than a day after its newest seal`,
  );
  return report;
}

function sha256OfLeaves(leaves: readonly Buffer[]): string {
  return createHash('sha256').update(Buffer.concat(leaves)).digest('base64url');
}

async function main([file = '', keyFile = '']: readonly string[]): Promise<void> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  const { broken, failures, ...report } = await verifyExport(lines, readFileSync(keyFile, 'utf8'));
  for (const [name, value] of Object.entries(report))
    console.log(`${name.padEnd(10)}  ${printable(String(value))}`);
  console.log('MACs are not checked: their keys do not leave the service.');
  if (report.unsealed > 0) console.log(`not sealed yet: ${String(report.unsealed)}`);
  for (const what of broken) console.log(`BROKEN: ${what}`);
  console.log(failures === 0 ? 'Nothing is wrong.' : `failures: ${String(failures)}`);
  process.exitCode = failures === 0 ? 0 : 1;
}

if (import.meta.main) void main(process.argv.slice(2));
