import { generateKeyPairSync } from 'node:crypto';
import { verifyExport as verifyWhole } from '../../../bin/operator/verify-export.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { newRecordPosition } from '../../../src/core/audit/audit-record.ts';
import { hashOfSeal, statementOf } from '../../../src/core/trail/seal.ts';
import {
  aTrail,
  MINUTE,
  recordsOf,
  SEAL_KEY,
  signed,
  START,
  TENANTS,
  type Trail,
} from '../../core/trail/a-trail.ts';
import { exportedChanges } from '../../core/trail/changes.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const pem = (key = SEAL_KEY.publicKey): string => key.export({ type: 'spki', format: 'pem' }).toString();

/** A report with only the first failure, which is absent for an intact export. */
async function verifyExport(...how: Parameters<typeof verifyWhole>) {
  const { failures, broken, ...report } = await verifyWhole(...how);
  expect(broken).toHaveLength(Math.min(failures, 100));
  const [first] = broken;
  return { ...report, ...(first !== undefined && { broken: first }) };
}

const sealLines = (trail: Trail): readonly string[] =>
  trail.seals
    .values()
    .toSorted((a, b) => a.from - b.from || a.part - b.part)
    .map(({ signature, ...seal }) =>
      JSON.stringify({ seal: { ...seal, signature: signature.toString('base64') } }),
    );

const recordLines = (trail: Trail, tenant: string): readonly string[] =>
  [...trail.records.values()]
    .filter((record) => record.trail === tenant)
    .toSorted((a, b) => (a.position === b.position ? a.shard - b.shard : a.position < b.position ? -1 : 1))
    .map(({ mac, ids, ...record }) =>
      JSON.stringify({
        record: { ...record, mac: mac?.toString('base64'), ids: ids?.toString('base64') },
      }),
    );

const header = (tenant: string, from = START - MINUTE, at?: number): string =>
  JSON.stringify({
    export: 1,
    tenant,
    from: new Date(from).toISOString(),
    to: new Date(START + 10 * MINUTE).toISOString(),
    ...(at !== undefined && { at: new Date(at).toISOString() }),
  });

/** Seals and records alternate, a seal for each five records: in neither order of time. */
function mixed(seals: readonly string[], records: readonly string[]): readonly string[] {
  const groups = seals.map((seal, at) => [seal, ...records.slice(5 * at, 5 * at + 5)]);
  return [...groups.flat(), ...records.slice(5 * seals.length)];
}

const exportOf = (trail: Trail, tenant: string = TENANTS[0]): readonly string[] => [
  header(tenant),
  ...mixed(sealLines(trail), recordLines(trail, tenant)),
];

const ALL = {
  seals: 4,
  records: 20,
  unsealed: 0,
  beforeSeals: 0,
  expired: 0,
  sealedFrom: '2026-11-23T12:06:00.000Z',
  sealedTo: '2026-11-23T12:24:00.000Z',
};

describe('an export', () => {
  it('is verified with the public key alone', async () => {
    const { trail } = await aTrail();
    expect(await verifyExport(exportOf(trail), pem())).toEqual(ALL);
    expect(await verifyExport(exportOf(trail, 'deployment'), pem())).toEqual({ ...ALL, records: 16 });
    expect(await verifyExport(exportOf(trail, 'without-records'), pem())).toEqual({ ...ALL, records: 0 });
  });

  it('may contain its seals before or after its records', async () => {
    const { trail } = await aTrail({ over: { partSize: 1 } });
    const seals = sealLines(trail);
    const records = recordLines(trail, TENANTS[0]);
    for (const lines of [
      [...seals, ...records],
      [...records, ...seals],
    ])
      expect(await verifyExport([header(TENANTS[0]), ...lines, ''], pem())).toEqual({ ...ALL, seals: 16 });
  });

  it('may begin after the first seal', async () => {
    const { trail } = await aTrail();
    const later = (minute: number) => recordsOf(trail, TENANTS[0], minute).length;
    const records = recordLines(trail, TENANTS[0]).slice(later(0) + later(1));
    const lines = [...sealLines(trail).slice(2), ...records];
    expect(await verifyExport([header(TENANTS[0], START + 2 * MINUTE), ...lines], pem())).toEqual({
      seals: 2,
      records: records.length,
      unsealed: 0,
      beforeSeals: 0,
      expired: 0,
      sealedFrom: '2026-11-23T12:22:00.000Z',
      sealedTo: '2026-11-23T12:24:00.000Z',
    });
    const { broken } = await verifyExport([header(TENANTS[0]), ...lines], pem());
    expect(broken).toMatch(/the seals before it are missing$/);
  });

  it('reports how many of its records are not sealed yet', async () => {
    const { trail } = await aTrail({ sealed: 2 });
    expect(await verifyExport(exportOf(trail), pem())).toMatchObject({ seals: 2, records: 20, unsealed: 10 });
    const { trail: unsealed } = await aTrail({ sealed: 0 });
    expect(await verifyExport(exportOf(unsealed), pem())).toEqual({
      seals: 0,
      records: 20,
      unsealed: 20,
      beforeSeals: 0,
      expired: 0,
    });
  });

  it.each([
    ['under another key', undefined, /the signature is not valid$/],
    ['that is empty', () => [], /^the file is empty$/],
    ['without its header', (lines: readonly string[]) => lines.slice(1), /not that of an export$/],
    ['with another line', (lines: readonly string[]) => [...lines, '{}'], /neither a seal nor a record$/],
    ['with half of a line', (lines: readonly string[]) => [...lines, '{"seal'], /JSON/],
    ['with records out of order', (lines: readonly string[]) => [...lines, lines[2] ?? ''], /not in order$/],
    [
      'of another tenant',
      (lines: readonly string[]) => [header(TENANTS[1]), ...lines.slice(1)],
      /another tenant$/,
    ],
  ])('%s is broken', async (_what, edit, said) => {
    const { trail } = await aTrail();
    const lines = exportOf(trail);
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const report = await verifyExport(edit?.(lines) ?? lines, edit === undefined ? pem(other) : pem());
    expect(report.broken).toMatch(said);
  });

  it('counts records before the very first seal, and is broken by records before any other', async () => {
    const { trail } = await aTrail();
    const early = newRecordPosition(machinePlatform.random, START - 30 * MINUTE);
    trail.put(trail.make(TENANTS[0], 1, {}, { position: early }));
    expect(await verifyExport(exportOf(trail), pem())).toEqual({ ...ALL, records: 21, beforeSeals: 1 });
    const later = [header(TENANTS[0], START + MINUTE), ...sealLines(trail).slice(1)];
    const { broken } = await verifyExport([...later, ...recordLines(trail, TENANTS[0])], pem());
    expect(broken).toBe(`the record ${early} and 5 after it: no seal covers its time`);
  });

  it('an export with a seal that was signed twice, after different ones, is broken', async () => {
    const { trail } = await aTrail();
    const [first, , third] = trail.seals.values().map(statementOf);
    if (first === undefined || third === undefined) throw new Error('no seals');
    const forked = signed({ ...third, previous: first.entries[0]?.[2] ?? '' });
    trail.seals.put(forked);
    const { broken } = await verifyExport(exportOf(trail), pem());
    expect(broken).toMatch(/part 1: it names another seal as the one before it$/);
  });

  it('an export with a seal that continues directly from one long before is broken', async () => {
    const { trail } = await aTrail();
    const [first, , third] = trail.seals.values();
    if (first === undefined || third === undefined) throw new Error('no seals');
    const jumped = signed({ ...statementOf(third), previous: hashOfSeal(first).toString('base64url') });
    trail.seals.clear();
    for (const seal of [first, jumped]) trail.seals.put(seal);
    const { broken } = await verifyExport(exportOf(trail), pem());
    expect(broken).toMatch(/part 1: seals before it are missing$/);
  });

  it('an export with any single change is broken, or covers less than before', async () => {
    const { trail: sealed } = await aTrail({ minutes: 3 });
    const { trail: inParts } = await aTrail({ minutes: 3, over: { partSize: 2 } });
    let found = 0;
    await fc.assert(
      fc.asyncProperty(exportedChanges, fc.boolean(), async (change, isInParts) => {
        const faultless = isInParts ? inParts : sealed;
        const trail = faultless.copy();
        fc.pre(change.apply(trail));
        fc.pre(exportOf(trail).join('\n') !== exportOf(faultless).join('\n'));
        const before = await verifyExport(exportOf(faultless), pem());
        const { broken, sealedTo, unsealed } = await verifyExport(exportOf(trail), pem());
        // Missing last seals are only detected with knowledge of the last seal's time.
        expect(broken !== undefined || unsealed > 0 || sealedTo !== before.sealedTo).toBe(true);
        if (broken !== undefined) found += 1;
      }),
      { numRuns: cases(100) },
    );
    expect(found).toBeGreaterThan(cases(75));
  });
});

describe('a failure of an export', () => {
  it('does not end the verification', async () => {
    const { trail } = await aTrail({ minutes: 6 });
    const forged = (minute: number) => {
      const at = START + minute * MINUTE;
      trail.put(trail.make(TENANTS[0], 9, {}, { position: newRecordPosition(machinePlatform.random, at) }));
    };
    [0, 0, 3].forEach(forged);
    const [, second, , , fifth] = trail.seals.values();
    if (second === undefined || fifth === undefined) throw new Error('no seals');
    trail.seals.delete(second);
    trail.seals.put({ ...fifth, signature: Buffer.from('none') });
    const lines = [header(TENANTS[0]), ...sealLines(trail), ...recordLines(trail, TENANTS[0])];
    const { failures, broken } = await verifyWhole(lines, pem());
    const minutes = (from: number) => `2026-11-23T12:2${String(from)}:00.000Z`;
    expect([failures, broken]).toEqual([
      7,
      [
        `the seal of ${minutes(2)}, part 1: seals before it are missing`,
        `the seal of ${minutes(4)}, part 1: the signature is not valid`,
        `the seal of ${minutes(5)}, part 1: it names another seal as the one before it`,
        expect.stringMatching(/^the interval .* to 2026-11-23T12:21:00.000Z: found 7 records, sealed 5/),
        expect.stringMatching(/^the record \S+ and 4 after it: no seal covers its time$/),
        expect.stringMatching(/^the interval 2026-11-23T12:23.* found 6 records, sealed 5/),
        expect.stringMatching(/^the record \S+ and 4 after it: no seal covers its time$/),
      ],
    ]);
  });

  it('is one of all that are counted, of which the first are named', async () => {
    const { trail } = await aTrail();
    const others = Array.from({ length: 300 }, () => JSON.stringify({ record: { trail: 'x' } }));
    const { failures, broken } = await verifyWhole([...exportOf(trail), ...others], pem());
    expect([failures, broken.length, broken[99]]).toEqual([300, 100, expect.stringMatching(/not a record/)]);
  });

  it('is a line of any kind, and never an exception, with its text escaped', async () => {
    const { trail } = await aTrail();
    const faultless = exportOf(trail);
    const odd = fc.oneof(
      fc.constantFrom('null', '1', '[]', '{"seal":null}', '{"record":null}', '{"newest":7}', '{"seal'),
      fc.json(),
      fc
        .record({
          of: fc.constantFrom('seal', 'newest', 'record'),
          value: fc.record(
            {
              from: fc.oneof(fc.double(), fc.constant(1e300), fc.integer()),
              part: fc.oneof(fc.integer(), fc.string()),
              body: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('{}'), fc.integer()),
              signature: fc.oneof(fc.string(), fc.constant(null)),
              trail: fc.constantFrom(TENANTS[0], '\u001b[8m', 5),
              position: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('0\u001b\u202e')),
              shard: fc.oneof(fc.integer(), fc.constant('\u0007')),
              expires: fc.oneof(fc.integer(), fc.constant(null)),
              mac: fc.oneof(fc.string(), fc.integer()),
            },
            { requiredKeys: [] },
          ),
        })
        .map(({ of, value }) => JSON.stringify({ [of]: value })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(odd, { minLength: 1, maxLength: 5 }), fc.nat(), async (lines, at) => {
        const file = faultless.toSpliced(1 + (at % (faultless.length - 1)), 0, ...lines);
        const { failures, broken } = await verifyWhole(file, pem());
        expect(failures).toBeGreaterThan(0);
        // oxlint-disable-next-line no-control-regex
        expect(broken.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
      }),
      { numRuns: cases(100) },
    );
  });
});

const PROGRESS = { hours: { time: START }, days: { time: START } };

describe('an export whose records have partly expired', () => {
  const DAY = 86_400_000;
  const EXPIRED = START + 401 * DAY;

  /** An export made when all records had expired and one of them was deleted. */
  async function expiredExport(at = EXPIRED) {
    const { trail } = await aTrail();
    const [gone] = recordsOf(trail, TENANTS[0], 1);
    if (gone !== undefined) trail.remove(gone);
    const statement = { from: EXPIRED, to: EXPIRED + MINUTE, part: 1, entries: [], progress: PROGRESS };
    const { signature, ...newest } = signed(statement);
    const witness = JSON.stringify({ newest: { ...newest, signature: signature.toString('base64') } });
    const [, ...lines] = exportOf(trail);
    const verified = (own: readonly string[], now = EXPIRED + DAY, key = SEAL_KEY.publicKey) =>
      verifyExport([header(TENANTS[0], START - MINUTE, at), ...own], pem(key), now);
    return { trail, lines, witness, verified };
  }

  it('reports the number of intervals that have lost records', async () => {
    const { lines, witness, verified } = await expiredExport();
    expect(await verified([...lines, witness])).toEqual({
      ...ALL,
      records: 19,
      expired: 1,
      exportedAt: new Date(EXPIRED).toISOString(),
    });
  });

  it('is broken if it was made before they expired, or does not state when', async () => {
    const { lines, witness, verified } = await expiredExport(START + 399 * DAY);
    const lost = /^the interval .*: found 4 records, sealed 5, or not the same ones/;
    expect((await verified([...lines, witness])).broken).toMatch(lost);
    expect((await verifyExport([header(TENANTS[0]), ...lines, witness], pem())).broken).toMatch(lost);
  });

  it('is broken by changed or extra records, which no expiry explains', async () => {
    const { trail, lines, witness, verified } = await expiredExport();
    const [, changed = ''] = lines.filter((line) => line.startsWith('{"record"'));
    const edited = lines.map((line) => (line === changed ? line.replace('200', '201') : line));
    expect((await verified([...edited, witness])).broken).toMatch(/^the interval .*not the same ones/);
    const [record] = recordsOf(trail, TENANTS[0], 3);
    const more = { ...record, shard: 31, mac: undefined };
    const added = [...lines, JSON.stringify({ record: more }), witness];
    expect((await verified(added)).broken).toBeDefined();
  });

  it('is broken if its header states a time that none of its seals confirms', async () => {
    const { lines, witness, verified } = await expiredExport();
    expect((await verified(lines)).broken).toMatch(/^the header: .*, more than a day after its newest seal$/);
    const forged = witness.replace(/"from":\d+/, `"from":${String(EXPIRED + DAY)}`);
    expect((await verified([...lines, forged])).broken).toMatch(/it belongs to another place$/);
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    expect((await verified([witness], EXPIRED, other)).broken).toMatch(/the signature is not valid$/);
  });

  it('is broken if its header states a time in the future, or none', async () => {
    const { lines, witness, verified } = await expiredExport();
    expect((await verified([...lines, witness], EXPIRED - 3_600_000)).broken).toMatch(/which is not past$/);
    const nonsense = JSON.stringify({ export: 1, tenant: TENANTS[0], at: 'soon' });
    expect((await verifyExport([nonsense, ...lines], pem())).broken).toMatch(/which is not past$/);
  });
});
