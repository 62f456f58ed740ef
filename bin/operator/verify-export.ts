// Verifies an export of the audit trail without the service, on any machine
// (`cloakroom operator verify-audit --file FILE --key KEY.pem`).
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
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { printable } from '../command-line/show.ts';

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

function sha256OfLeaves(leaves: readonly Buffer[]): string {
  return createHash('sha256').update(Buffer.concat(leaves)).digest('base64url');
}

/** The failures of an export, of which only the first ones are named. */
class Failures {
  count = 0;
  readonly named: string[] = [];

  confirm(isRight: boolean, what: string): boolean {
    if (isRight) return true;
    this.count += 1;
    // An attacker may have written the file, or inserted the record.
    if (this.named.length < MAX_FAILURES) this.named.push(printable(what.slice(0, MAX_TEXT)));
    return false;
  }

  /** Returns the result of a function. An exception is a failure of its line. */
  attempt<T>(number: number, act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      this.confirm(
        false,
        `line ${String(number)}: ${error instanceof Error ? error.message : String(error)}`,
      );
      return undefined;
    }
  }
}

function parseHeader(text: string): Line {
  const line = (JSON.parse(text) ?? {}) as Line;
  const { tenant, from = '', at = '' } = line;
  const isHeader = line.export === 1 && [tenant, from, at].every(isText);
  check(isHeader, 'the first line is not that of an export');
  return line;
}

function parseEntry(text: string): Line {
  const line = JSON.parse(text) as Line | null;
  check(typeof line === 'object' && line !== null, 'not an object');
  const { seal, newest, record, id } = line;
  if (seal !== undefined) checkSeal(seal);
  else if (newest !== undefined) checkSeal(newest);
  else if (record !== undefined) checkRecord(record);
  else check(id !== undefined, 'a line is neither a seal nor a record');
  return line;
}

/** Parses the lines of an export. Without a header nothing can be compared, so nothing follows. */
async function* parsedLines(
  lines: AsyncIterable<string> | Iterable<string>,
  failures: Failures,
): AsyncGenerator<readonly [number: number, line: Line]> {
  let number = 0;
  let hasHeader = false;
  for await (const text of lines) {
    number += 1;
    if (text === '') continue;
    const line = failures.attempt(number, () => (hasHeader ? parseEntry(text) : parseHeader(text)));
    if (line === undefined && !hasHeader) return;
    hasHeader = true;
    if (line !== undefined) yield [number, line];
  }
}

/** The time of an export that its header states. Without one, no interval has expired. */
function timeOf({ at }: Line, now: number, failures: Failures): number {
  if (at === undefined) return -Infinity;
  const time = Date.parse(at);
  const isPast = time <= now + SKEW;
  return failures.confirm(isPast, `the header: the export was made at ${at}, which is not past`)
    ? time
    : -Infinity;
}

/** An id that records refer to by the first bytes of its hash. */
function confirmId({ reference, id }: Partial<Referred>, failures: Failures): void {
  const hash = createHash('sha256').update(String(id)).digest().subarray(0, 24);
  failures.confirm(
    reference === hash.toString('base64url'),
    `the id ${String(id)}: its reference is that of another one`,
  );
}

const placeOf = ({ from, part }: Seal): string => `the seal of ${iso(from)}, part ${String(part)}`;

/** The seals of an export, each of which names the one before it. */
class SealChain {
  /** Number of seals with a valid signature. */
  count = 0;
  sealedFrom: string | undefined;
  /** The latest time that any seal of the file signs. */
  signedAt = -Infinity;
  /** The last seal; without a statement if that is not signed. */
  #before: { statement?: Statement; hash: string } | undefined;
  readonly #key: KeyObject;
  /** The time that the export begins at; NaN if its header does not state it. */
  readonly #start: number;
  readonly #failures: Failures;

  constructor(key: KeyObject, { from }: Line, failures: Failures) {
    this.#key = key;
    this.#start = Date.parse(String(from));
    this.#failures = failures;
  }

  /** The statement of a seal, if its signature is valid. */
  signedStatement(seal: Seal): Statement | undefined {
    const { from, part, body, signature } = seal;
    const isSigned = verify('sha256', Buffer.from(body), this.#key, bytes(signature));
    if (!this.#failures.confirm(isSigned, `${placeOf(seal)}: the signature is not valid`)) return undefined;
    const statement = JSON.parse(body) as Statement;
    const isHere = statement.v === 1 && statement.from === from && statement.part === part;
    if (!this.#failures.confirm(isHere, `${placeOf(seal)}: it belongs to another place`)) return undefined;
    this.signedAt = Math.max(this.signedAt, statement.to);
    return statement;
  }

  /** Appends a seal. Returns its statement if it covers a time after the seals before it. */
  link(seal: Seal): Statement | undefined {
    const statement = this.signedStatement(seal);
    const hash = sha256(seal.body, bytes(seal.signature)).toString('base64url');
    if (statement === undefined) {
      this.#before = { hash };
      return undefined;
    }
    const isAfter = this.#isFollowing(statement, placeOf(seal));
    this.count += 1;
    if (!isAfter) return undefined;
    this.sealedFrom ??= iso(seal.from);
    this.#before = { statement, hash };
    return statement;
  }

  #isFollowing(statement: Statement, at: string): boolean {
    const { from, part, previous } = statement;
    if (this.#before === undefined) {
      const isFirst = previous === undefined || from <= this.#start;
      this.#failures.confirm(part === 1 && isFirst, `${at}: the seals before it are missing`);
      return true;
    }
    const { statement: last, hash } = this.#before;
    const isNext = last === undefined || isNextOf(last, statement);
    if (this.#failures.confirm(isNext, `${at}: seals before it are missing`))
      this.#failures.confirm(previous === hash, `${at}: it names another seal as the one before it`);
    return last === undefined || from === last.from || from >= last.to;
  }
}

/** A sealed interval, with what its seals state about the tenant. */
type Interval = { statement: Statement; isWhole: boolean; entry?: Entry; expires?: number };

/** Compares records with sealed intervals. Holds the leaves of intervals whose end was not read. */
class IntervalComparison {
  records = 0;
  beforeSeals = 0;
  expired = 0;
  sealedTo: string | undefined;
  #newestRecord = '';
  /** Records that were not compared yet. */
  readonly #waiting: { position: string; leaf: Buffer }[] = [];
  /** Sealed intervals that were not compared yet. */
  readonly #intervals: Interval[] = [];
  readonly #tenant: string | undefined;
  readonly #madeAt: number;
  readonly #failures: Failures;

  constructor({ tenant }: Line, madeAt: number, failures: Failures) {
    this.#tenant = tenant;
    this.#madeAt = madeAt;
    this.#failures = failures;
  }

  /** Number of records that no interval was compared with. */
  get unsealed(): number {
    return this.#waiting.length;
  }

  addStatement(statement: Statement): void {
    const { from, part } = statement;
    if (part === 1) this.#intervals.push({ statement, isWhole: false });
    const interval = this.#intervals.at(-1);
    if (interval?.statement.from !== from) return;
    interval.isWhole = statement.more === undefined;
    const entry = statement.entries.find(([tenant]) => tenant === this.#tenant);
    if (entry !== undefined) Object.assign(interval, { entry, expires: statement.expires });
    if (interval.isWhole) this.sealedTo = iso(statement.to);
  }

  addRecord(record: SealedRecord): void {
    const { trail, shard, position } = record;
    const place = `${position}:${shardText(shard)}`;
    const isOwn = trail === this.#tenant;
    if (!this.#failures.confirm(isOwn, `the record ${place}: it belongs to another tenant`)) return;
    const isInOrder = place > this.#newestRecord;
    if (!this.#failures.confirm(isInOrder, `the record ${place}: it is not in order`)) return;
    this.#newestRecord = place;
    this.#waiting.push({ position, leaf: leafOf(record) });
    this.records += 1;
  }

  /** Compares the intervals that end before the newest record: all their records precede it. */
  compare(isEnd: boolean): void {
    for (let first = this.#intervals[0]; first !== undefined; first = this.#intervals[0]) {
      const isOpen = !first.isWhole && this.#intervals.length === 1;
      if (isOpen || (!isEnd && this.#newestRecord < positionOf(first.statement.to))) return;
      this.#intervals.shift();
      const own = this.#takeRecords(first.statement);
      // The seal of a missing part was reported.
      if (first.isWhole) this.#compareRecords(first, own);
    }
  }

  /** Takes the records up to the end of an interval, and returns those that it covers. */
  #takeRecords({ from, to, previous }: Statement): readonly { leaf: Buffer }[] {
    const end = this.#waiting.findIndex((record) => record.position >= positionOf(to));
    const all = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
    const own = all.filter((record) => record.position >= positionOf(from));
    const others = all.length - own.length;
    const more = others > 1 ? ` and ${String(others - 1)} after it` : '';
    const what = `the record ${String(all[0]?.position)}${more}: no seal covers its time`;
    if (previous === undefined) this.beforeSeals = others;
    else this.#failures.confirm(others === 0, what);
    return own;
  }

  #compareRecords({ statement, entry, expires }: Interval, own: readonly { leaf: Buffer }[]): void {
    const { from, to } = statement;
    const [, count, root] = entry ?? ['', 0, sha256OfLeaves([])];
    const found = sha256OfLeaves(own.map(({ leaf }) => leaf));
    const end = (expires ?? Infinity) * 1000;
    const late = end === Infinity ? '' : ` (the first of them expires at ${iso(end)})`;
    if (own.length < count && end <= this.#madeAt) this.expired += 1;
    else
      this.#failures.confirm(
        own.length === count && found === root,
        `the interval ${iso(from)} to ${iso(to)}: found ${String(own.length)} records, sealed ${String(count)}, or not the same ones${late}`,
      );
  }
}

/** An export whose header was read. */
interface Verification {
  readonly header: Line;
  readonly madeAt: number;
  readonly chain: SealChain;
  readonly intervals: IntervalComparison;
}

function verificationOf(header: Line, key: KeyObject, now: number, failures: Failures): Verification {
  const madeAt = timeOf(header, now, failures);
  return {
    header,
    madeAt,
    chain: new SealChain(key, header, failures),
    intervals: new IntervalComparison(header, madeAt, failures),
  };
}

function addLine({ chain, intervals }: Verification, line: Line, failures: Failures): void {
  if (line.seal !== undefined) {
    const statement = chain.link(line.seal);
    if (statement !== undefined) intervals.addStatement(statement);
  } else if (line.newest !== undefined) chain.signedStatement(line.newest);
  else if (line.record !== undefined) intervals.addRecord(line.record);
  else if (line.id !== undefined) confirmId(line.id, failures);
  intervals.compare(false);
}

function finish({ header, madeAt, chain, intervals }: Verification, failures: Failures): void {
  intervals.compare(true);
  const isBorneOut = chain.signedAt === -Infinity || madeAt <= chain.signedAt + DAY;
  failures.confirm(
    isBorneOut,
    `the header: the export was made at ${String(header.at)}, more than a day after its newest seal`,
  );
}

function reportOf({ header, madeAt, chain, intervals }: Verification, failures: Failures): ExportReport {
  const { sealedTo } = intervals;
  return {
    failures: failures.count,
    broken: failures.named,
    seals: chain.count,
    records: intervals.records,
    unsealed: intervals.unsealed,
    beforeSeals: intervals.beforeSeals,
    expired: intervals.expired,
    ...(header.at !== undefined && madeAt !== -Infinity && { exportedAt: header.at }),
    ...(chain.sealedFrom !== undefined && { sealedFrom: chain.sealedFrom }),
    ...(sealedTo !== undefined && { sealedTo }),
  };
}

/** Reads an export once, line by line: parses it, links its seals and compares its intervals. */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  publicKeyPem: string,
  now = Date.now(),
): Promise<ExportReport> {
  const key = createPublicKey(publicKeyPem);
  const failures = new Failures();
  let verification: Verification | undefined;
  for await (const [number, line] of parsedLines(lines, failures)) {
    const before = verification;
    if (before === undefined) verification = verificationOf(line, key, now, failures);
    else failures.attempt(number, () => addLine(before, line, failures));
  }
  if (verification !== undefined) {
    finish(verification, failures);
    return reportOf(verification, failures);
  }
  // A header that could not be parsed is a failure already.
  if (failures.count === 0) failures.confirm(false, 'the file is empty');
  const { count, named: broken } = failures;
  return { failures: count, broken, seals: 0, records: 0, unsealed: 0, beforeSeals: 0, expired: 0 };
}
