import { verifyExport } from '../../../bin/operator/verify-export.ts';
import { exportAudit, verifyAudit, whoSaw } from '../../../functions/operator/audit-commands.ts';
import type { OperatorDeps } from '../../../functions/operator/dependencies.ts';
import { DEPLOYMENT } from '../../../src/core/audit/audit-record.ts';
import { formatTimestamp } from '../../../src/core/shared/timestamp.ts';
import { createCheckCursor } from '../../../src/adapters/dynamodb/check-cursor.ts';
import { tablesInMemory } from '../../support/stores-in-memory.ts';
import { aTrail, MINUTE, SEAL_KEY, START, TENANTS, type Trail } from '../../core/trail/a-trail.ts';
import { someIndexPages } from '../../support/fakes/an-index.ts';
import { someRecordsAt, someTrailPages } from '../../support/fakes/an-audit-trail.ts';

const PEM = SEAL_KEY.publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** Dependencies of the trail's commands; each reading of the clock takes 1 ms. */
function depsOf(trail: Trail): { deps: OperatorDeps; checks: unknown[] } {
  const checks: unknown[] = [];
  const { trail: trailReader, seals, head, index, referred } = trail.verifyDeps();
  const deps = {
    trailReader,
    sealReader: seals,
    sealHead: head,
    indexReader: index,
    referredIds: referred,
    checkCursor: createCheckCursor(tablesInMemory().table('Access')),
    trailProtection: () => Promise.resolve(['Audit: it has no policy']),
    onTrailProtection: (problems: readonly string[]) => checks.push(problems),
    dataProtection: () => Promise.resolve([]),
    onDataProtection: (problems: readonly string[]) => checks.push({ data: problems }),
    trailPages: someTrailPages(trail.records),
    recordsAt: someRecordsAt(trail.records),
    indexPages: someIndexPages(trail),
    sealPublicKey: () => Promise.resolve(SEAL_KEY.publicKey),
    onAuditChecked: (check: object) => checks.push(check),
    clock: () => (trail.now += 1),
    tenantStore: {
      find: (id: string) => Promise.resolve({ id, roots: [{ since: 1 }] }),
      async *list() {
        yield await Promise.resolve(TENANTS.map((id) => ({ id })));
      },
    },
    applicationStore: {
      findMany: (_tenant: string, ids: readonly string[]) =>
        Promise.resolve(ids.filter((id) => id !== 'gone').map((id) => ({ id, name: `named ${id}` }))),
    },
    tenantKeys: {
      version: (id: string, _purpose: string, version: number) =>
        Promise.resolve({ key: trail.key(id, version), version }),
    },
  };
  return { deps: deps as unknown as OperatorDeps, checks };
}

async function allSeen(deps: OperatorDeps, token: string, more: object = {}) {
  const seen: string[] = [];
  let at: object | undefined = {};
  while (at !== undefined) {
    const response = await whoSaw(deps, { token_id: token, without_index: false, ...more, ...at });
    for (const { tenant_id: tenant, form } of response.records as { tenant_id: string; form: string }[])
      seen.push(`${tenant} ${form}`);
    at = response.next ?? undefined;
  }
  return seen;
}

describe('who-saw', () => {
  it('searches every tenant and the deployment, where destroyed tenants have left their tokens', async () => {
    const { trail, writers } = await aTrail({ minutes: 1 });
    writers[0]?.write(DEPLOYMENT, { op: 'destroy-tenant', tokens: { delete: ['token-0', 'token-x'] } });
    const { deps } = depsOf(trail);
    expect(await allSeen(deps, 'token-0')).toEqual([`${DEPLOYMENT} delete`, 'tenant-a reveal']);
    expect(await allSeen(deps, 'token-3')).toEqual(TENANTS.map((id) => `${id} reveal`));
  });

  it('lists only the records that saw the token in one form', async () => {
    const { trail, writers } = await aTrail({ minutes: 1 });
    writers[0]?.write('tenant-a', { op: 'getToken', tokens: { mask: ['token-3'], reveal: ['token-4'] } });
    const { deps } = depsOf(trail);
    expect(await allSeen(deps, 'token-3', { form: 'mask' })).toEqual(['tenant-a mask']);
    expect(await allSeen(deps, 'token-3', { form: 'reveal' })).toEqual(TENANTS.map((id) => `${id} reveal`));
    expect(await allSeen(deps, 'token-3', { form: 'use' })).toEqual([]);
  });

  it('names the application of a record, if it exists, and none of the deployment', async () => {
    const { trail, writers } = await aTrail({ minutes: 1 });
    for (const tenant of [TENANTS[0], DEPLOYMENT])
      writers[0]?.write(tenant, { app: 'app-1', tokens: { mask: ['token-x'] } });
    writers[0]?.write(TENANTS[0], { app: 'gone', tokens: { mask: ['token-x'] } });
    const { deps } = depsOf(trail);
    const namesIn = async (tenant_id: string) => {
      const { records } = await whoSaw(deps, { token_id: 'token-x', without_index: false, tenant_id });
      return (records as { application_id?: string; application_name?: string }[]).map(
        ({ application_id: id, application_name: name }) => [id, name],
      );
    };
    expect((await namesIn(TENANTS[0])).toSorted()).toEqual([
      ['app-1', 'named app-1'],
      ['gone', undefined],
    ]);
    expect(await namesIn(DEPLOYMENT)).toEqual([['app-1', undefined]]);
  });

  it('states the form also where the stored id of a token is gone', async () => {
    const { trail } = await aTrail({ minutes: 1 });
    const { deps } = depsOf(trail);
    trail.ids.clear();
    expect(await allSeen(deps, 'token-3')).toEqual(TENANTS.map((id) => `${id} reveal`));
  });

  it('searches only one trail if it is named', async () => {
    const { trail, writers } = await aTrail({ minutes: 1 });
    writers[0]?.write(DEPLOYMENT, { op: 'destroy-tenant', tokens: { delete: ['token-3'] } });
    const { deps } = depsOf(trail);
    expect(await allSeen(deps, 'token-3', { tenant_id: DEPLOYMENT })).toEqual([`${DEPLOYMENT} delete`]);
    expect(await allSeen(deps, 'token-3', { tenant_id: TENANTS[1] })).toEqual(['tenant-b reveal']);
    expect(await allSeen(deps, 'token-m', { tenant_id: TENANTS[2] })).toEqual([
      'tenant-c mask',
      'tenant-c mask',
    ]);
  });
});

describe('verify-audit', () => {
  it('checks all trails, or one of them, including that of the deployment', async () => {
    const { trail } = await aTrail();
    const { deps } = depsOf(trail);
    const range = { index: true, public_key: PEM, from: START - 60 * MINUTE };
    expect(await verifyAudit(deps, range)).toMatchObject({ intact: true, records: 56, key: 'pinned' });
    expect(await verifyAudit(deps, { ...range, tenant_id: DEPLOYMENT })).toMatchObject({
      intact: true,
      records: 16,
      next: null,
    });
  });

  it('names the broken places, and triggers the alarm if the schedule started it', async () => {
    const { trail } = await aTrail();
    const [record] = [...trail.records.values()].filter((each) => each.trail === TENANTS[1]);
    if (record !== undefined) trail.put({ ...record, body: record.body.replace('200', '201') });
    const { deps, checks } = depsOf(trail);
    const interval = `${formatTimestamp(START - 14 * MINUTE)} to ${formatTimestamp(START + MINUTE)}`;
    const broken = {
      trail: TENANTS[1],
      record: record?.position,
      what: 'the MAC is wrong',
      interval,
    };
    const from = START - 60 * MINUTE;
    const minute = {
      interval,
      trail: TENANTS[1],
      what: 'found 3 records, sealed 3, not the same ones',
    };
    expect(await verifyAudit(deps, { index: false, from })).toMatchObject({
      intact: false,
      failures: 2,
      broken: [broken, minute],
    });
    expect(checks).toEqual([]);
    const found = { failures: 2, broken: [broken] };
    expect(await verifyAudit(deps, { index: false, latest: true })).toMatchObject({
      intact: false,
      late: false,
      unprotected: ['Audit: it has no policy'],
      next: null,
      ...found,
    });
    expect(checks).toEqual([
      ['Audit: it has no policy'],
      { data: [] },
      expect.objectContaining({ ...found, isFinished: true }),
    ]);
    const exposed = { ...deps, dataProtection: () => Promise.resolve(['Tokens: it has a policy']) };
    expect(await verifyAudit(exposed, { index: false, latest: true })).toMatchObject({
      unprotected_data: ['Tokens: it has a policy'],
    });
  });

  it('reports nothing that it could not read, and fails', async () => {
    const { trail } = await aTrail();
    const { deps, checks } = depsOf(trail);
    const denied = { ...deps, trailProtection: () => Promise.reject(new Error('denied')) };
    await expect(verifyAudit(denied, { index: false, latest: true })).rejects.toThrow('denied');
    expect(checks).toEqual([{ data: [] }, expect.objectContaining({ failures: 0, isFinished: true })]);
    const unread = { ...deps, dataProtection: () => Promise.reject(new Error('denied')) };
    await expect(verifyAudit(unread, { index: false, latest: true })).rejects.toThrow('denied');
    checks.length = 0;
    const down = {
      ...deps,
      sealReader: { ...deps.sealReader, newest: () => Promise.reject(new Error('down')) },
    };
    await expect(verifyAudit(down, { index: false, latest: true })).rejects.toThrow('down');
    expect(checks).toEqual([['Audit: it has no policy'], { data: [] }]);
  });

  it('goes on within a chunk of intervals where a step ended', async () => {
    const { trail } = await aTrail();
    const { deps } = depsOf(trail);
    let records = 0;
    let steps = 0;
    // Each reading of the clock takes two seconds: the time of a step is over soon.
    const slow = { ...deps, clock: () => (trail.now += 2_000) };
    let at: object | undefined = { from: START - 60 * MINUTE };
    for (; at !== undefined; steps += 1) {
      const response: Awaited<ReturnType<typeof verifyAudit>> = await verifyAudit(slow, {
        index: true,
        ...at,
      });
      records += response.records;
      expect(response.intact).toBe(true);
      // The command line sends it back like this.
      at = response.next === null ? undefined : { ...response.next, from: Date.parse(response.next.from) };
    }
    expect(steps).toBeGreaterThan(2);
    expect(records).toBe(56);
  });
});

describe('export-audit', () => {
  it('exports a range in steps that its check accepts, of a tenant or the deployment', async () => {
    for (const tenant of [TENANTS[0], DEPLOYMENT]) {
      const { trail } = await aTrail();
      const { deps } = depsOf(trail);
      const lines: string[] = [JSON.stringify({ export: 1, tenant, from: new Date(START + 90_000) })];
      let next: { at?: number; to?: number } | undefined = { to: START + 150_000 };
      while (next !== undefined) {
        const response = await exportAudit(deps, { tenant_id: tenant, from: START + 90_000, ...next });
        lines.push(...response.lines.map((line) => JSON.stringify(line)));
        next =
          response.next === null ? undefined : { at: response.next.at, to: Date.parse(response.next.to) };
      }
      const report = await verifyExport(lines, PEM, trail.now);
      expect(report).toMatchObject({ seals: 2, unsealed: 0, sealedFrom: '2026-11-23T12:21:00.000Z' });
      expect(report.broken).toEqual([]);
    }
  });

  it('is rejected for a range that ends before it begins', async () => {
    const { deps } = depsOf((await aTrail({ minutes: 1 })).trail);
    const input = { tenant_id: TENANTS[0], from: START, to: START };
    await expect(exportAudit(deps, input)).rejects.toThrow('--to must be after --from.');
  });
});
