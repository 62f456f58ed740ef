import { createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { DEPLOYMENT, type AuditRecord } from '../../../src/core/audit/audit-record.ts';
import { hashOfSeal, statementOf } from '../../../src/core/trail/seal.ts';
import type { Seal } from '../../../src/core/trail/trail-store.ts';
import { aSealSigner } from '../../support/fakes/a-seal-signer.ts';
import { aTrail, MINUTE, recordsOf, SEAL_KEY, signed, START, TENANTS, type Trail } from './a-trail.ts';

// Tampering concerns the third minute. One test verifies while only two minutes are sealed, the
// other when all of them are.
const SEALED = 2;
const MINUTES = 4;

const victims = (trail: Trail, id: string = TENANTS[1]): readonly AuditRecord[] =>
  recordsOf(trail, id, SEALED);

function victim(trail: Trail, id?: string): AuditRecord {
  const [first] = victims(trail, id);
  if (first === undefined) throw new Error('no record to change');
  return first;
}

const edited = (body: string, member: string, value: unknown): string =>
  JSON.stringify({ ...(JSON.parse(body) as object), [member]: value });

interface Row {
  readonly what: string;
  readonly tamper: (trail: Trail) => unknown;
  /** The finding that verify reports; `undefined` for none. */
  readonly before: RegExp | undefined;
  readonly after: RegExp;
}

const MAC = /^the MAC is wrong$/;
const TOO_MANY = /^found 4 records, sealed 3$/;
const TOO_FEW = /^found 2 records, sealed 3$/;

const ROWS: readonly Row[] = [
  {
    what: 'a record is changed',
    tamper: (trail) => {
      const record = victim(trail);
      trail.put({ ...record, body: edited(record.body, 'status', 404) });
    },
    before: MAC,
    after: MAC,
  },
  {
    what: 'a record of no tenant, which has no MAC, is changed',
    tamper: (trail) => {
      const record = victim(trail, DEPLOYMENT);
      trail.put({ ...record, body: edited(record.body, 'ip', '203.0.113.9') });
    },
    before: undefined,
    after: /^found 4 records, sealed 4, not the same ones$/,
  },
  {
    what: 'a record is replaced by a copy of another one',
    tamper: (trail) => {
      const [first, second] = victims(trail) as [AuditRecord, AuditRecord];
      trail.put({ ...second, shard: first.shard, position: first.position });
    },
    before: MAC,
    after: MAC,
  },
  {
    what: 'a record is moved to another shard',
    tamper: (trail) => {
      const record = victim(trail);
      trail.remove(record);
      trail.put({ ...record, shard: 12 });
    },
    before: MAC,
    after: MAC,
  },
  {
    what: 'a record is moved to another tenant',
    tamper: (trail) => {
      const record = victim(trail);
      trail.remove(record);
      trail.put({ ...record, trail: TENANTS[2] });
    },
    before: MAC,
    after: MAC,
  },
  {
    what: 'two records are swapped',
    tamper: (trail) => {
      const [first, second] = victims(trail) as [AuditRecord, AuditRecord];
      trail.put({ ...first, body: second.body, mac: second.mac as Buffer });
      trail.put({ ...second, body: first.body, mac: first.mac as Buffer });
    },
    before: MAC,
    after: MAC,
  },
  {
    what: 'the expiry of a record is brought forward',
    tamper: (trail) => {
      const record = victim(trail);
      trail.put({ ...record, expires: Math.floor(trail.now / 1000) });
    },
    before: MAC,
    after: MAC,
  },
  {
    what: 'the MAC of a record is removed',
    tamper: (trail) => {
      const { mac: _mac, ...record } = victim(trail);
      trail.put(record);
    },
    before: /^has no MAC$/,
    after: /^has no MAC$/,
  },
  {
    what: 'the bytes of a record are not ours',
    tamper: (trail) => trail.put({ ...victim(trail), body: '{"v":' }),
    before: /^not a record of this service$/,
    after: /^not a record of this service$/,
  },
  {
    what: 'a record is invented without the audit key',
    tamper: (trail) => {
      const { position } = victim(trail);
      const key = createSecretKey(randomBytes(32));
      trail.insert(trail.make(TENANTS[1], 9, {}, { key, position: `${position.slice(0, -2)}AA` }), START);
    },
    before: MAC,
    after: MAC,
  },
  {
    what: 'a record is invented under a key that never existed',
    tamper: (trail) => {
      const key = createSecretKey(randomBytes(32));
      trail.insert(trail.make(TENANTS[1], 9, {}, { key, version: 2, at: START + SEALED * MINUTE }), START);
    },
    before: /^the MAC is under key 2, which never existed$/,
    after: /^the MAC is under key 2, which never existed$/,
  },
  {
    what: 'a record is invented with the audit key',
    tamper: (trail) => trail.insert(trail.make(TENANTS[1], 9, {}, { at: START + SEALED * MINUTE })),
    before: undefined,
    after: TOO_MANY,
  },
  {
    what: 'a record is removed that another one follows',
    tamper: (trail) => trail.remove(victim(trail)),
    before: /^the record before it is gone: /,
    after: TOO_FEW,
  },
  {
    what: "the end of a writer's records is removed",
    tamper: (trail) => {
      for (const minute of [SEALED, SEALED + 1])
        recordsOf(trail, TENANTS[1], minute)
          .filter(({ shard }) => shard === 30)
          .forEach((record) => trail.remove(record));
    },
    before: undefined,
    after: TOO_FEW,
  },
  {
    what: 'all records of a minute and after are removed',
    tamper: (trail) => {
      for (const id of [...TENANTS, DEPLOYMENT])
        for (const minute of [SEALED, SEALED + 1])
          recordsOf(trail, id, minute).forEach((record) => trail.remove(record));
    },
    before: undefined,
    after: /^found 0 records, sealed 4$/,
  },
];

describe.each(ROWS)('when $what', ({ tamper, before, after }) => {
  it(`verify ${before === undefined ? 'finds nothing' : 'reports it'} before the seal`, async () => {
    const { trail } = await aTrail({ minutes: MINUTES, sealed: SEALED });
    tamper(trail);
    const { broken, next } = await trail.verify();
    expect({ broken, next }).toEqual(
      before === undefined
        ? { broken: undefined, next: undefined }
        : {
            broken: expect.objectContaining({
              interval: 'not sealed yet',
              place: expect.stringMatching(/^\d\d:/),
              what: expect.stringMatching(before),
            }),
          },
    );
  });

  it('verify reports it after the seal, and names the interval', async () => {
    const { trail } = await aTrail({ minutes: MINUTES });
    tamper(trail);
    const { broken } = await trail.verify();
    const interval = { from: START + SEALED * MINUTE, to: START + (SEALED + 1) * MINUTE };
    expect(broken).toMatchObject({ interval, what: expect.stringMatching(after) });
  });
});

describe('tampering with a trail before its seal', () => {
  it('is not found later if it was not found before the seal', async () => {
    const { trail } = await aTrail({ minutes: MINUTES, sealed: SEALED });
    for (const { tamper, before } of ROWS) if (before === undefined) tamper(trail);
    await trail.seal();
    expect((await trail.verify()).broken).toBeUndefined();
  });

  it('is found after the seal if a MAC was changed, removed or forged', async () => {
    for (const { tamper, before } of ROWS.filter((row) => row.before !== undefined)) {
      const { trail } = await aTrail({ minutes: MINUTES, sealed: SEALED });
      tamper(trail);
      await trail.seal();
      expect((await trail.verify()).broken?.what).toMatch(before as RegExp);
    }
  });

  it('is found after the seal if a shard lost its mark and was not sealed', async () => {
    const { trail } = await aTrail({ minutes: MINUTES, sealed: SEALED });
    for (const [key, { shard, trail: id }] of trail.marks)
      if (shard === 30 && id === TENANTS[1]) trail.marks.delete(key);
    await trail.seal();
    expect((await trail.verify()).broken).toMatchObject({
      trail: TENANTS[1],
      what: 'found 3 records, sealed 2',
    });
  });
});

const sealsFrom = (trail: Trail, minute: number): readonly Seal[] =>
  trail.seals.values().filter(({ from }) => from >= START + minute * MINUTE);

describe('the chain of seals', () => {
  it('shows that records and seals of a range were removed', async () => {
    const { trail } = await aTrail();
    for (const id of [...TENANTS, DEPLOYMENT])
      recordsOf(trail, id, 1).forEach((record) => trail.remove(record));
    trail.seals.delete(sealsFrom(trail, 1)[0] as Seal);
    expect((await trail.verify()).broken).toEqual({
      interval: { from: START + 2 * MINUTE, to: START + 3 * MINUTE },
      what: 'a gap: the seal before it is one up to 2026-11-23T12:21:00.000Z',
    });
  });

  it('shows that the newest seals were removed, and the sealer seals no interval again', async () => {
    const { trail } = await aTrail();
    for (const seal of sealsFrom(trail, 2)) trail.seals.delete(seal);
    expect((await trail.verify()).broken).toEqual({
      interval: { from: START + 2 * MINUTE },
      what: 'the newest seals are gone: the head is another seal',
    });
    expect(await trail.seal()).toEqual({
      intervals: 0,
      records: 0,
      broken: 'the newest seal is not the head and does not follow it',
    });
    expect(trail.seals.values()).toHaveLength(2);
  });

  it('shows that all seals were removed, and the sealer does not start over', async () => {
    const { trail } = await aTrail();
    trail.seals.clear();
    expect((await trail.verify()).broken?.what).toBe('all seals are gone: there is a head');
    expect(await trail.seal()).toMatchObject({ intervals: 0, broken: 'there is a head and no seal' });
  });

  it('shows that the oldest seals were removed', async () => {
    const { trail } = await aTrail();
    trail.seals.delete(trail.seals.values()[0] as Seal);
    expect((await trail.verify()).broken?.what).toBe('a gap: the seals before it are gone');
    const { broken } = await trail.verify({}, { from: START + MINUTE });
    expect(broken?.what).toBe('a gap: the seals before it are gone');
  });

  it('shows that everything was sealed again under another key', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { trail } = await aTrail({ over: { signer: aSealSigner(other.privateKey) } });
    const what = 'the signature of the seal is not valid under the key';
    expect((await trail.verify()).broken?.what).toBe(what);
    expect((await trail.verify({ publicKey: other.publicKey })).broken).toBeUndefined();
    expect((await trail.verify({ publicKey: SEAL_KEY.publicKey })).broken?.what).toBe(what);
  });

  it('is checked up to the head for a range whose end is not sealed', async () => {
    const { trail } = await aTrail();
    for (const seal of sealsFrom(trail, 2)) trail.seals.delete(seal);
    const later = { from: START + 100 * MINUTE, to: START + 101 * MINUTE };
    expect((await trail.verify({}, later)).broken?.what).toMatch(/^the newest seals are gone/);
  });

  it('rejects a seal at the place of its predecessor', async () => {
    const { trail } = await aTrail();
    const [first, second] = trail.seals.values();
    if (first === undefined || second === undefined) throw new Error('no seals');
    trail.seals.put({ ...first, from: second.from });
    expect((await trail.verify()).broken).toEqual({
      interval: { from: second.from },
      what: 'the seal cannot be read',
    });
  });

  it('rejects a second signed seal with another predecessor', async () => {
    const { trail } = await aTrail();
    const [first, , third] = trail.seals.values().map(statementOf);
    if (first === undefined || third === undefined) throw new Error('no seals');
    const forked = signed({ ...third, previous: first.entries[0]?.[2] ?? '' });
    trail.seals.put(forked);
    expect((await trail.verify()).broken).toEqual({
      interval: { from: third.from, to: third.to },
      what: 'the seal names another one as that before it',
    });
  });

  it('rejects two parts of an interval that name the same trail', async () => {
    const { trail } = await aTrail({ minutes: 1, over: { partSize: 2 } });
    const [first, second] = trail.seals.values();
    if (first === undefined || second === undefined) throw new Error('no seals');
    const other = signed({ ...statementOf(second), entries: statementOf(first).entries });
    trail.seals.put(other);
    trail.seals.headHash = hashOfSeal(other);
    expect((await trail.verify()).broken?.what).toBe('two parts of the seal name the same trails');
  });
});
