import { createSecretKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import {
  DEPLOYMENT,
  macOf,
  newRecordPosition,
  placeText,
  timeOfPosition,
  type AuditEntry,
  type AuditRecord,
  type RecordPlace,
} from '../../../src/core/audit/audit-record.ts';
import { encodeContent } from '../../../src/core/audit/record-content.ts';
import { encodeStatement, type SealStatement } from '../../../src/core/trail/seal.ts';
import type { IndexRequest } from '../../../src/core/trail/index-store.ts';
import {
  newSealerMemory,
  sealTrail,
  type SealReport,
  type SealTrailDeps,
} from '../../../src/core/trail/seal-trail.ts';
import type { Seal } from '../../../src/core/trail/trail-store.ts';
import type { MarkedShard } from '../../../src/core/audit/audit-log.ts';
import { MAX_FAILURES, type AuditKeys, type VerifyDeps } from '../../../src/core/trail/verification.ts';
import { verifyStep, type Verified, type VerifyInput } from '../../../src/core/trail/verify-trail.ts';
import { referenceOf, referenceText } from '../../../src/core/audit/token-reference.ts';
import type { TokenIndex } from '../../../src/core/trail/token-index.ts';
import type { WalkDeps } from '../../../src/core/trail/list-records.ts';
import { whoSawStep } from '../../../src/core/trail/who-saw.ts';
import { aSealSigner } from '../../support/fakes/a-seal-signer.ts';
import { anIndexReader, anIndexStore, type AnIndex, someIndexPages } from '../../support/fakes/an-index.ts';
import {
  anAuditTrail,
  mark,
  recordKey,
  someRecordsAt,
  someTrailPages,
} from '../../support/fakes/an-audit-trail.ts';
import { StoredSeals } from '../../support/stored-seals.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

export const MINUTE = 60_000;
/** The first record of a trail is written at the start of a minute that does not start an hour. */
export const START = Date.UTC(2026, 10, 23, 12, 20);
export const TENANTS = ['tenant-a', 'tenant-b', 'tenant-c'] as const;

const DAY_SECONDS = 86_400;
const RETENTION_SECONDS = 400 * DAY_SECONDS;

/** The key that signs the seals of every trail here. */
export const SEAL_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Signs any statement with the key. */
export function signed(statement: SealStatement): Seal {
  const body = encodeStatement(statement);
  const signature = sign('sha256', Buffer.from(body), SEAL_KEY.privateKey);
  return { from: statement.from, part: statement.part, body, signature };
}

/** The texts of references by their id: an id is looked up often. */
const TEXTS = new Map<string, string>();

function textOf(id: string): string {
  const text = TEXTS.get(id) ?? referenceText(referenceOf(id));
  TEXTS.set(id, text);
  return text;
}

/** The stored data of a trail, and its readers. A copy can be changed without the original. */
export class Trail implements AnIndex {
  readonly records: Map<string, AuditRecord>;

  readonly marks: Map<string, MarkedShard & { readonly minute: number }>;

  readonly seals: StoredSeals;

  /** Ids by the text of their reference. */
  readonly ids: Map<string, string>;

  readonly indexes: Map<string, TokenIndex>;

  readonly listed: Set<string>;

  readonly requests: IndexRequest[];

  readonly keys: Map<string, AuditKeys | 'destroyed'>;

  now: number;

  constructor(of?: Trail) {
    this.records = new Map(of?.records);
    this.marks = new Map(of?.marks);
    this.seals = new StoredSeals(of?.seals);
    this.ids = new Map(of?.ids);
    this.indexes = new Map(of?.indexes);
    this.listed = new Set(of?.listed);
    this.requests = [...(of?.requests ?? [])];
    this.keys = new Map(
      of?.keys ?? TENANTS.map((tenant) => [tenant, new Map([[1, createSecretKey(randomBytes(32))]])]),
    );
    this.now = of?.now ?? START;
  }

  copy(): Trail {
    return new Trail(this);
  }

  key(tenant: string, version = 1): KeyObject | undefined {
    const keys = this.keys.get(tenant);
    return keys === 'destroyed' ? undefined : keys?.get(version);
  }

  /** A record as a writer makes it, at the trail's time. */
  make(
    trail: string,
    shard: number,
    entry: Partial<AuditEntry>,
    {
      at = this.now,
      key = this.key(trail),
      version = 1,
      position = newRecordPosition(machinePlatform.random, at),
    } = {},
  ): AuditRecord {
    const own = trail === DEPLOYMENT ? {} : { key: version };
    const { referred, ...content } = encodeContent({
      ...own,
      op: 'getToken',
      outcome: 'ok',
      status: 200,
      ...entry,
    });
    for (const { reference, id } of referred) this.ids.set(referenceText(reference), id);
    const expires = Math.floor(at / 1000) + RETENTION_SECONDS;
    const record = { trail, shard, position, expires, ...content };
    return key === undefined ? record : { ...record, mac: macOf(key, record) };
  }

  put(record: AuditRecord): void {
    this.records.set(recordKey(record.trail, record), record);
  }

  remove({ trail, shard, position }: AuditRecord): void {
    this.records.delete(recordKey(trail, { shard, position }));
  }

  insert(record: AuditRecord, at = this.now): void {
    mark(this.marks, record, at);
    this.put(record);
  }

  sealDeps(over: Partial<SealTrailDeps> = {}): SealTrailDeps {
    return {
      trail: anAuditTrail(this.records, this.marks),
      seals: this.seals.store,
      head: this.seals.head,
      signer: aSealSigner(SEAL_KEY.privateKey),
      publicKey: () => Promise.resolve(SEAL_KEY.publicKey),
      clock: () => this.now,
      deadline: Infinity,
      indexes: anIndexStore(this),
      memory: newSealerMemory(),
      onIndexingFailed: (error) => {
        throw error;
      },
      ...over,
    };
  }

  seal(over: Partial<SealTrailDeps> = {}): Promise<SealReport> {
    return sealTrail(this.sealDeps(over));
  }

  verifyDeps(over: Partial<VerifyDeps> = {}): VerifyDeps {
    return {
      trail: anAuditTrail(this.records, this.marks),
      seals: this.seals.store,
      head: this.seals.head,
      publicKey: SEAL_KEY.publicKey,
      keysOf: (trail) => Promise.resolve(this.keys.get(trail) ?? 'destroyed'),
      index: anIndexReader(this),
      referred: (references) =>
        Promise.resolve(
          new Map(
            references.map(referenceText).flatMap((text) => {
              const id = this.ids.get(text);
              return id === undefined || textOf(id) !== text ? [] : [[text, id] as const];
            }),
          ),
        ),
      clock: () => this.now,
      ...over,
    };
  }

  /** Returns the dependencies that search the trail by token. */
  searchDeps(): WalkDeps {
    return {
      trailPages: someTrailPages(this.records),
      indexPages: someIndexPages(this),
      recordsAt: someRecordsAt(this.records),
      referredIds: () => Promise.resolve(this.ids),
      clock: () => this.now,
    };
  }

  /** The positions of a tenant's records that name a token, of all steps. */
  async found(tokenId: string, withoutIndex: boolean): Promise<readonly string[]> {
    const found: string[] = [];
    let before: string | undefined;
    do {
      const step = await whoSawStep(this.searchDeps(), TENANTS[0], { tokenId, withoutIndex }, before);
      found.push(...step.views.map(({ position }) => position));
      before = step.next;
    } while (before !== undefined);
    return found;
  }

  /** Verifies everything from before the first record to now, in one step. */
  verifyAll(over: Partial<VerifyDeps> = {}, input: Partial<VerifyInput> = {}): Promise<Verified> {
    return verifyStep(this.verifyDeps(over), {
      coverage: 'complete',
      tenants: TENANTS,
      from: START - 60 * MINUTE,
      to: this.now,
      deadline: Infinity,
      ...input,
    });
  }

  /** The same with only the first failure, which is absent for an intact trail. */
  async verify(
    ...how: Parameters<Trail['verifyAll']>
  ): Promise<Pick<Verified, 'checked' | 'next'> & { readonly broken?: Verified['broken'][number] }> {
    const { failures, broken, sealedTo: _, ...verified } = await this.verifyAll(...how);
    expect(broken).toHaveLength(Math.min(failures, MAX_FAILURES));
    const [first] = broken;
    return { ...verified, ...(first !== undefined && { broken: first }) };
  }
}

/** A function instance, which writes the records of a trail one after the other. */
export class Writer {
  readonly #trail: Trail;

  readonly #shard: number;

  readonly #last = new Map<string, RecordPlace>();

  constructor(trail: Trail, shard: number) {
    this.#trail = trail;
    this.#shard = shard;
  }

  /** `unknown`: its writer gets no response. */
  write(
    trail: string,
    entry: Partial<AuditEntry> = {},
    outcome: 'acknowledged' | 'unknown' = 'acknowledged',
  ): AuditRecord {
    const last = this.#last.get(trail);
    const after = last === undefined ? {} : { after: placeText(last) };
    const record = this.#trail.make(trail, this.#shard, { ...entry, ...after });
    this.#trail.insert(record);
    if (outcome === 'acknowledged') this.#last.set(trail, record);
    return record;
  }
}

/**
 * A trail with four writers and three tenants over a number of minutes, including records with an
 * unknown outcome. The first minutes are sealed, one interval each; the last ones could be.
 */
export async function aTrail({
  minutes = 4,
  sealed = minutes,
  over = {},
}: { minutes?: number; sealed?: number; over?: Partial<SealTrailDeps> } = {}): Promise<{
  trail: Trail;
  writers: readonly Writer[];
}> {
  const trail = new Trail();
  const writers = [3, 7, 7, 30].map((shard) => new Writer(trail, shard));
  for (let minute = 0; minute < minutes; minute += 1) {
    for (const [at, writer] of writers.entries()) {
      trail.now = START + minute * MINUTE + 7_000 * (at + 1);
      for (const tenant of TENANTS.slice(0, at + 1))
        writer.write(tenant, { tokens: { reveal: [`token-${String(at)}`], mask: ['token-m'] } });
      writer.write(DEPLOYMENT, { op: 'unknown', outcome: 'refused', status: 401 });
      if (at === minute % writers.length) writer.write('tenant-a', { op: 'listTokens' }, 'unknown');
    }
    trail.now = START + (minute + 2) * MINUTE;
    if (minute < sealed) await trail.seal(over);
  }
  return { trail, writers };
}

/** The records are in order. */
export const recordsOf = (trail: Trail, id: string, minute: number): readonly AuditRecord[] =>
  [...trail.records.values()]
    .filter(({ trail: own, position }) => {
      const time = timeOfPosition(position) - START;
      return own === id && time >= minute * MINUTE && time < (minute + 1) * MINUTE;
    })
    .toSorted((a, b) => (a.position < b.position ? -1 : 1));
