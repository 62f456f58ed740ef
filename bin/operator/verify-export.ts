// Verifies an export of the audit trail without the service, on any machine:
//
// node bin/operator/verify-export.ts FILE KEY.pem
//
// It shares no code with the service, so that it does not repeat a mistake of the service. An
// export has one JSON object per line: a header, the seals of its range, and the records of one
// tenant in order.
//
// A seal signs a statement about an interval of time. For each tenant with records in the interval
// it names their number and their root: the SHA-256 over the leaves of the records in order. A leaf
// is the SHA-256 of a whole record. A seal also names the hash of the previous seal.
//
// Records expire. An interval whose first record had expired before the export may lack records: it
// is counted and not compared. The header names the time of the export without a signature, so the
// newest seal of the file has to confirm it.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

type Entry = readonly [tenant: string, count: number, root: string];
type Seal = Readonly<{ from: number; part: number; body: string; signature: string }>;
type Statement = Readonly<
  { previous?: string; expires?: number; entries: readonly Entry[] } & Record<
    'v' | 'from' | 'to' | 'part' | 'parts',
    number
  >
>;
type SealedRecord = Readonly<
  Record<'trail' | 'position' | 'body', string> & { shard: number; expires: number; mac?: string }
>;
type Line = Readonly<{ export?: number; seal?: Seal; newest?: Seal; record?: SealedRecord }> &
  Readonly<Partial<Record<'tenant' | 'from' | 'at', string>>>;

/** The summary of an export; `broken` is the first problem. */
export type ExportReport = {
  seals: number;
  records: number;
  /** Records after the last seal of the file, and before the very first seal. */
  unsealed: number;
  beforeSeals: number;
  /** Intervals with fewer records than were sealed, whose first record had expired. */
  expired: number;
  /** The time of the export, from its header. */
  exportedAt?: string;
  /** The time that the seals of the file cover. A truncated file covers less. */
  sealedFrom?: string;
  sealedTo?: string;
  broken?: string;
};

/** SHA-256 over strings and bytes, each after its length in four bytes. */
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
const leafOf = ({ trail, shard, position, expires, mac, body }: SealedRecord): Buffer =>
  sha256(trail, shardText(shard), position, String(expires), body, Buffer.from(mac ?? '', 'base64'));
const iso = (time: number): string => new Date(time).toISOString();
/** A position begins with its time: ms since 1970 in base 36, nine characters. */
const positionOf = (time: number): string => time.toString(36).padStart(9, '0');
function check(isRight: boolean, what: string): asserts isRight {
  if (!isRight) throw new Error(what);
}

const DAY = 86_400_000;
/** The largest difference between the clocks of two machines. */
const SKEW = 600_000;

/**
 * Reads an export line by line. It stores the leaves of intervals whose end it has not read yet.
 */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  publicKeyPem: string,
  now = Date.now(),
): Promise<ExportReport> {
  const key = createPublicKey(publicKeyPem);
  const report: ExportReport = { seals: 0, records: 0, unsealed: 0, beforeSeals: 0, expired: 0 };
  let header: Line | undefined;
  let before: { statement: Statement; hash: string } | undefined;
  let newestRecord = '';
  const records: { position: string; leaf: Buffer }[] = [];
  // Sealed intervals that were not compared yet, with their statements about the tenant.
  const intervals: { statement: Statement; entry?: Entry; expires?: number }[] = [];
  /** The time of the export. Without one, no interval has expired. */
  let madeAt = -Infinity;
  /** The last time that a seal of the file signs. */
  let signedAt = -Infinity;

  function readHeader(line: Line): void {
    check(line.export === 1 && typeof line.tenant === 'string', 'the first line is not that of an export');
    header = line;
    if (line.at === undefined) return;
    madeAt = Date.parse(line.at);
    check(madeAt <= now + SKEW, `the header: the export was made at ${line.at}, which is not past`);
    report.exportedAt = line.at;
  }

  /** The statement of a seal, if its signature is valid. */
  function signedStatement({ from, part, body, signature }: Seal): Statement {
    const at = `the seal of ${iso(from)}, part ${String(part)}`;
    const bytes = Buffer.from(signature, 'base64');
    check(verify('sha256', Buffer.from(body), key, bytes), `${at}: the signature is not valid`);
    const statement = JSON.parse(body) as Statement;
    check(
      statement.v === 1 && statement.from === from && statement.part === part,
      `${at}: it belongs to another place`,
    );
    signedAt = Math.max(signedAt, statement.to);
    return statement;
  }

  function readSeal(seal: Seal): void {
    const { from, part } = seal;
    const at = `the seal of ${iso(from)}, part ${String(part)}`;
    const statement = signedStatement(seal);
    const { to, parts, previous, entries } = statement;
    const last = before?.statement;
    if (last === undefined) {
      const isFirst = previous === undefined || from <= Date.parse(String(header?.from));
      check(part === 1 && isFirst, `${at}: the seals before it are missing`);
      report.sealedFrom = iso(from);
    } else {
      const isNextPart = from === last.from && to === last.to && part === last.part + 1;
      const isNext = from === last.to && part === 1 && last.part === last.parts;
      check(isNextPart || isNext, `${at}: seals before it are missing`);
      check(previous === before?.hash, `${at}: it names another seal as the one before it`);
    }
    before = {
      statement,
      hash: sha256(seal.body, Buffer.from(seal.signature, 'base64')).toString('base64url'),
    };
    report.seals += 1;
    if (part === 1) intervals.push({ statement });
    const entry = entries.find(([tenant]) => tenant === header?.tenant);
    const interval = intervals.at(-1);
    if (entry !== undefined && interval !== undefined)
      Object.assign(interval, { entry, expires: statement.expires });
    if (part === parts) report.sealedTo = iso(to);
  }

  function readRecord(record: SealedRecord): void {
    const { trail, shard, position } = record;
    const place = `${position}:${shardText(shard)}`;
    check(trail === header?.tenant, `the record ${place}: it belongs to another tenant`);
    check(place > newestRecord, `the record ${place}: it is not in order`);
    newestRecord = place;
    records.push({ position, leaf: leafOf(record) });
    report.records += 1;
  }

  /** Compares the intervals that end before a position, since all their records precede it. */
  function compare(position: string, isEnd: boolean): void {
    for (let first = intervals[0]; first !== undefined; first = intervals[0]) {
      const { from, to, previous } = first.statement;
      const isWhole = intervals.length > 1 || before?.statement.part === before?.statement.parts;
      if (!isWhole || (!isEnd && position < positionOf(to))) return;
      const end = records.findIndex((record) => record.position >= positionOf(to));
      const all = records.splice(0, end === -1 ? records.length : end);
      const own = all.filter((record) => record.position >= positionOf(from));
      if (previous === undefined) report.beforeSeals = all.length - own.length;
      else
        check(own.length === all.length, `the record ${String(all[0]?.position)}: no seal covers its time`);
      const [, count, root] = first.entry ?? ['', 0, sha256OfLeaves([])];
      const found = sha256OfLeaves(own.map(({ leaf }) => leaf));
      const expires = (first.expires ?? Infinity) * 1000;
      const late = expires === Infinity ? '' : ` (the first of them expires at ${iso(expires)})`;
      if (own.length < count && expires <= madeAt) report.expired += 1;
      else
        check(
          own.length === count && found === root,
          `the interval ${iso(from)} to ${iso(to)}: found ${String(own.length)} records, sealed ${String(count)}, or not the same ones${late}`,
        );
      intervals.shift();
    }
  }

  try {
    for await (const text of lines) {
      if (text === '') continue;
      const line = JSON.parse(text) as Line;
      if (header === undefined) readHeader(line);
      else if (line.seal !== undefined) readSeal(line.seal);
      else if (line.newest !== undefined) signedStatement(line.newest);
      else if (line.record !== undefined) readRecord(line.record);
      else throw new Error('a line is neither a seal nor a record');
      compare(newestRecord, false);
    }
    check(header !== undefined, 'the file is empty');
    compare('', true);
    report.unsealed = records.length;
    const isBorneOut = signedAt === -Infinity || madeAt <= signedAt + DAY;
    check(
      isBorneOut,
      `the header: the export was made at ${String(header.at)}, more than a day after its newest seal`,
    );
  } catch (error) {
    report.broken = error instanceof Error ? error.message : String(error);
  }
  return report;
}

function sha256OfLeaves(leaves: readonly Buffer[]): string {
  return createHash('sha256').update(Buffer.concat(leaves)).digest('base64url');
}

async function main([file = '', keyFile = '']: readonly string[]): Promise<void> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  const { broken, ...report } = await verifyExport(lines, readFileSync(keyFile, 'utf8'));
  for (const [name, value] of Object.entries(report)) console.log(`${name.padEnd(10)}  ${String(value)}`);
  console.log('MACs are not checked: their keys do not leave the service.');
  if (report.unsealed > 0) console.log(`not sealed yet: ${String(report.unsealed)}`);
  console.log(broken === undefined ? 'Nothing is wrong.' : `BROKEN: ${broken}`);
  process.exitCode = broken === undefined ? 0 : 1;
}

if (import.meta.main) void main(process.argv.slice(2));
