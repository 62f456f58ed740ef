import { verifyExport, type ExportReport } from '../../../bin/operator/verify-export.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { DEPLOYMENT, timeOfPosition } from '../../../src/core/audit/audit-record.ts';
import { exportStart, exportStep } from '../../../src/core/trail/export-trail.ts';
import { hashOfSeal } from '../../../src/core/trail/seal.ts';
import { tokenIdProblem } from '../../../src/core/tokens/token-id.ts';
import { anAuditTrail } from '../../support/fakes/an-audit-trail.ts';
import { aTrail, MINUTE, SEAL_KEY, signed, START, TENANTS, Trail } from './a-trail.ts';

const PEM = SEAL_KEY.publicKey.export({ type: 'spki', format: 'pem' }).toString();

interface Line {
  readonly seal?: { readonly from: number };
  readonly newest?: object;
  readonly id?: object;
  readonly record?: { readonly position: string };
}

const PROGRESS = { hours: { time: START }, days: { time: START } };

/** All steps of an export, and a check that needs no service. */
async function exported(stored: Trail, { tenant = 'tenant-a', from = 0, to = stored.now } = {}) {
  const deps = {
    referredIds: stored.verifyDeps().referred,
    trail: anAuditTrail(stored.records, stored.marks),
    seals: stored.seals.store,
  };
  const lines: Line[] = [];
  let steps = 0;
  let largest = 0;
  let left: { from: number; to: number } | undefined = { from: await exportStart(deps, from), to };
  for (; left !== undefined; steps += 1) {
    const step = await exportStep(deps, { trail: tenant, ...left });
    largest = Math.max(largest, Buffer.byteLength(JSON.stringify(step)));
    lines.push(...step.lines);
    left = step.next;
  }
  const header = { export: 1, tenant, ...(from > 0 && { from: new Date(from).toISOString() }) };
  const file = [header, ...lines].map((line) => JSON.stringify(line));
  const report: ExportReport = await verifyExport(file, PEM, stored.now);
  return { lines, steps, largest, report };
}

const times = (lines: readonly Line[]) =>
  lines.flatMap(({ record }) => (record === undefined ? [] : [timeOfPosition(record.position)]));

describe('an export of a trail', () => {
  it('has all seals and records of a tenant, or of the deployment', async () => {
    const { trail } = await aTrail();
    const { report, steps } = await exported(trail);
    expect(report).toMatchObject({ seals: 4, records: 20, unsealed: 0, beforeSeals: 0 });
    expect([report.failures, steps]).toEqual([0, 1]);
    const deployment = await exported(trail, { tenant: DEPLOYMENT });
    expect(deployment.report).toMatchObject({ seals: 4, records: 16 });
    expect(deployment.report.failures).toBe(0);
  });

  it('has steps that fit into a response of 6 MB, whatever the ids are', async () => {
    const trail = new Trail();
    await trail.seal();
    const idOf = (at: number) => `${String(at).padStart(6, '0')}${'\u{1F600}'.repeat(394)}`;
    expect(tokenIdProblem(idOf(1))).toBeUndefined();
    for (let at = 0; at < 40; at += 1) {
      trail.now = START + at * 100;
      const ids = Array.from({ length: 100 }, (_, more) => idOf(at * 100 + more));
      trail.insert(trail.make('tenant-a', 1, { op: 'listTokens', tokens: { redact: ids } }));
    }
    trail.now += 5 * MINUTE;
    await trail.seal();
    const { lines, steps, largest, report } = await exported(trail);
    expect(largest).toBeLessThan(6_000_000);
    expect([lines.filter(({ id }) => id !== undefined).length, report.failures]).toEqual([4_000, 0]);
    expect(steps).toBeGreaterThan(2);
  });

  it('has unsealed records, and records before the very first seal', async () => {
    const { trail } = await aTrail({ sealed: 2 });
    expect((await exported(trail)).report).toMatchObject({ records: 20, unsealed: 10 });
    const { trail: unsealed } = await aTrail({ sealed: 0 });
    expect((await exported(unsealed)).report).toMatchObject({ seals: 0, records: 20, unsealed: 20 });
    unsealed.now += 30 * MINUTE;
    await unsealed.seal();
    const { report } = await exported(unsealed);
    expect(report).toMatchObject({ records: 20, beforeSeals: 20 });
    expect(report.failures).toBe(0);
  });

  it('is empty without records', async () => {
    expect(await exported(new Trail())).toMatchObject({ lines: [], steps: 1, report: { seals: 0 } });
    const { trail } = await aTrail();
    const { lines } = await exported(trail, { from: START - 90 * MINUTE, to: START - 60 * MINUTE });
    expect(lines).toEqual([{ newest: expect.objectContaining({ part: 1 }) }]);
  });

  it('has whole intervals and passes the check, for any range', async () => {
    const { trail } = await aTrail({ minutes: 8, sealed: 3 });
    const { trail: inParts } = await aTrail({ minutes: 8, sealed: 3, over: { partSize: 2 } });
    // The interval contains several minutes.
    for (const each of [trail, inParts]) {
      each.now = START + 9 * MINUTE;
      await each.seal();
    }
    const time = fc.integer({ min: -20 * 60, max: 10 * 60 }).map((seconds) => START + 1000 * seconds);
    await fc.assert(
      fc.asyncProperty(time, time, fc.boolean(), async (a, b, isInParts) => {
        const from = Math.min(a, b);
        const to = Math.max(a, b) + 1;
        const stored = isInParts ? inParts : trail;
        const { report, lines } = await exported(stored, { from, to });
        expect(report.failures).toBe(0);
        const all = [...stored.records.values()].filter((record) => record.trail === TENANTS[0]);
        const inside = all
          .map(({ position }) => timeOfPosition(position))
          .filter((at) => at >= from && at < to);
        expect(times(lines)).toEqual(expect.arrayContaining(inside));
        expect(times(lines)).toEqual(times(lines).toSorted((x, y) => x - y));
      }),
      { numRuns: cases(30) },
    );
  });

  it('takes several steps for many records, also inside the interval at its end', async () => {
    const trail = new Trail();
    for (let at = 0; at < 60; at += 1) {
      trail.now = START + 1000 * at;
      trail.insert(trail.make(TENANTS[0], at % 32, { host: 'x'.repeat(100_000) }));
    }
    trail.now = START + 10 * MINUTE;
    await trail.seal();
    const whole = await exported(trail);
    expect(whole.report).toMatchObject({ seals: 1, records: 60, unsealed: 0 });
    const cut = await exported(trail, { from: START + 30_000, to: START + 31_000 });
    for (const { report, steps } of [whole, cut]) {
      expect(steps).toBeGreaterThan(2);
      expect(report.failures).toBe(0);
      expect(report.records).toBe(60);
    }
  });

  it('takes several steps for many seals, and does not divide the seals of an interval', async () => {
    const trail = new Trail();
    let previous: string | undefined;
    for (let minute = 0; minute < 1_200; minute += 1)
      for (const part of [1, 2]) {
        const from = START + minute * MINUTE;
        const chain = previous === undefined ? {} : { previous };
        const seal = signed({
          from,
          to: from + MINUTE,
          part,
          ...(part === 1 && { more: '' }),
          ...chain,
          entries: [],
          progress: PROGRESS,
        });
        trail.seals.put(seal);
        previous = hashOfSeal(seal).toString('base64url');
      }
    trail.now = START + 1_201 * MINUTE;
    const { report, steps } = await exported(trail);
    expect(report).toMatchObject({ seals: 2_400 });
    expect(report.failures).toBe(0);
    expect(steps).toBeGreaterThan(1);
  });

  it('contains the newest seal if that is beyond its range', async () => {
    const { trail } = await aTrail();
    const newest = trail.seals.values().at(-1);
    const early = await exported(trail, { to: START + MINUTE });
    expect(early.lines.at(-1)?.newest).toMatchObject({ from: newest?.from });
    expect(early.report).toMatchObject({ seals: 1, sealedTo: '2026-11-23T12:21:00.000Z' });
    expect((await exported(trail)).lines.some((line) => line.newest !== undefined)).toBe(false);
  });

  it('contains an invalid seal, which the check reports', async () => {
    const { trail } = await aTrail();
    for (const which of [1, 3]) {
      const changed = trail.copy();
      const seal = trail.seals.values()[which];
      if (seal !== undefined) changed.seals.put({ ...seal, body: 'none' });
      const { report, lines } = await exported(changed, { from: START + 90_000 });
      expect(lines.length).toBeGreaterThan(10);
      expect(report.broken[0]).toMatch(which === 1 ? /missing$/ : /the signature is not valid$/);
    }
  });
});
