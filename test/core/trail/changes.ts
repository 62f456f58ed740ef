import { fc } from '../../../packages/test-kit/src/properties.ts';
import { DEPLOYMENT, newRecordPosition, type AuditRecord } from '../../../src/core/audit/audit-record.ts';
import type { Seal } from '../../../src/core/trail/trail-store.ts';
import { MINUTE, START, TENANTS, type Trail } from './a-trail.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

/** Changes one stored value; returns `false` if the value is the same afterwards. */
export interface Change {
  readonly name: string;
  readonly apply: (trail: Trail) => boolean;
}

const at = <T>(all: readonly T[], index: number): T => all[index % all.length] as T;

const flipped = (bytes: Buffer, bit: number): Buffer => {
  const copy = Buffer.from(bytes);
  const index = Math.floor(bit / 8) % copy.length;
  copy[index] = (copy[index] as number) ^ (1 << (bit % 8));
  return copy;
};

/** Replaces a character of JSON by another one. */
const retyped = (text: string, index: number, by: number): string => {
  const place = index % text.length;
  const characters = '0 1 2 3 4 a b c X Z { } [ ] : ,'.split(' ').filter((each) => each !== text[place]);
  return text.slice(0, place) + at(characters, by) + text.slice(place + 1);
};

/** Returns a position in the time that is sealed. */
const positionAt = (which: number): string =>
  newRecordPosition(machinePlatform.random, START + (which % (3 * MINUTE)));

type Edit = (trail: Trail, record: AuditRecord, n: number, m: number) => boolean;

const put = (trail: Trail, record: AuditRecord): true => {
  trail.put(record);
  return true;
};
const moved = (trail: Trail, record: AuditRecord, to: Partial<AuditRecord>): true => {
  trail.remove(record);
  return put(trail, { ...record, ...to });
};
const otherTrail = (record: AuditRecord, n: number) =>
  at(
    [...TENANTS, DEPLOYMENT].filter((id) => id !== record.trail),
    n,
  );
const otherShard = ({ shard }: AuditRecord, n: number) => (shard + 1 + (n % 31)) % 32;

const OF_RECORDS: Readonly<Record<string, Edit>> = {
  'the trail of a record': (trail, record, n) => moved(trail, record, { trail: otherTrail(record, n) }),
  'the shard of a record': (trail, record, n) => moved(trail, record, { shard: otherShard(record, n) }),
  'the position of a record': (trail, record, n) => moved(trail, record, { position: positionAt(n) }),
  'the expiry of a record': (trail, record, n) => put(trail, { ...record, expires: record.expires - 1 - n }),
  'the MAC of a record': (trail, record, n) =>
    put(trail, {
      ...record,
      mac: record.mac === undefined ? Buffer.alloc(n % 33, 1) : flipped(record.mac, n),
    }),
  'whether a record has a MAC': (trail, { mac, ...record }, n) =>
    put(trail, mac === undefined ? { ...record, mac: Buffer.alloc(32, n) } : record),
  'the body of a record': (trail, record, n, m) =>
    put(trail, { ...record, body: retyped(record.body, n, m) }),
  'the ids of a record': (trail, record, n) =>
    put(trail, { ...record, ids: record.ids === undefined ? Buffer.alloc(16, n) : flipped(record.ids, n) }),
  'a record removed': (trail, record) => {
    trail.remove(record);
    return true;
  },
  'a record duplicated': (trail, record, n, m) =>
    put(trail, {
      ...record,
      ...at<Partial<AuditRecord>>(
        [
          { shard: otherShard(record, n) },
          { position: positionAt(n) },
          { trail: otherTrail(record, n) },
          { shard: n % 32, position: positionAt(m) },
        ],
        m,
      ),
    }),
  'two records swapped': (trail, record, n) => {
    const other = at([...trail.records.values()], n);
    const { trail: id, shard, position } = record;
    trail.put({ ...other, trail: id, shard, position });
    trail.put({ ...record, trail: other.trail, shard: other.shard, position: other.position });
    return other !== record;
  },
};

type SealEdit = (trail: Trail, seal: Seal, n: number, m: number) => boolean;

const store = (trail: Trail, seal: Seal): true => {
  trail.seals.put(seal);
  return true;
};
/** The key of a seal has four digits of its part. */
const MOST_PARTS = 9_000;
const otherPlace = ({ from, part }: Seal, n: number) =>
  n % 3 === 0
    ? { from, part: part + 1 + (n % MOST_PARTS) }
    : { from: from + MINUTE * ((n % 4_001) - 2_000.5), part: 1 };

const OF_SEALS: Readonly<Record<string, SealEdit>> = {
  'the body of a seal': (trail, seal, n, m) => store(trail, { ...seal, body: retyped(seal.body, n, m) }),
  'the signature of a seal': (trail, seal, n) =>
    store(trail, { ...seal, signature: flipped(seal.signature, n) }),
  'the place of a seal': (trail, seal, n) => {
    trail.seals.delete(seal);
    return store(trail, { ...seal, ...otherPlace(seal, n) });
  },
  'a seal removed': (trail, seal) => {
    trail.seals.delete(seal);
    return true;
  },
  'a seal duplicated': (trail, seal, n) => store(trail, { ...seal, ...otherPlace(seal, n) }),
  'two seals swapped': (trail, seal, n) => {
    const other = at(trail.seals.values(), n);
    store(trail, { ...other, from: seal.from, part: seal.part });
    store(trail, { ...seal, from: other.from, part: other.part });
    return other.from !== seal.from || other.part !== seal.part;
  },
};

const index = fc.nat({ max: 10_000_000 });

const ofRecords = fc
  .tuple(fc.constantFrom(...Object.entries(OF_RECORDS)), index, index, index)
  .map(([[name, edit], which, n, m]) => ({
    name,
    apply: (trail: Trail) => edit(trail, at([...trail.records.values()], which), n, m),
  }));
const ofSeals = fc
  .tuple(fc.constantFrom(...Object.entries(OF_SEALS)), index, index, index)
  .map(([[name, edit], which, n, m]) => ({
    name,
    apply: (trail: Trail) => edit(trail, at(trail.seals.values(), which), n, m),
  }));
const ofHead = fc.tuple(fc.boolean(), index).map(([isGone, n]) => ({
  name: 'the head',
  apply: (trail: Trail) => {
    const { headHash: hash } = trail.seals;
    trail.seals.headHash = isGone || hash === undefined ? undefined : flipped(hash, n);
    return true;
  },
}));

const ofIds = index.map((n) => ({
  name: 'the id of a reference',
  apply: (trail: Trail) => trail.ids.delete(at([...trail.ids.keys()], n)),
}));

/** Any single change to exported data: records and seals. */
export const exportedChanges: fc.Arbitrary<Change> = fc.oneof(
  { arbitrary: ofRecords, weight: 10 },
  { arbitrary: ofSeals, weight: 6 },
);

/** Any single change to the stored data of a sealed trail. */
export const changes: fc.Arbitrary<Change> = fc.oneof(
  { arbitrary: exportedChanges, weight: 16 },
  { arbitrary: ofHead, weight: 1 },
  { arbitrary: ofIds, weight: 1 },
);
