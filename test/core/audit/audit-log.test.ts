import { createAuditLog, type TrailWriter } from '../../../src/core/audit/audit-log.ts';
import {
  DEPLOYMENT,
  macOf,
  placeText,
  timeOfPosition,
  type AuditRecord,
} from '../../../src/core/audit/audit-record.ts';
import { decodeContent } from '../../../src/core/audit/record-content.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import { someTenantKeys } from '../../support/tenant-keys.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const MINUTE = 60_000;
const NOW = 1_800_000_000_000;

/** A trail that stores all calls in order; `fail`: the next write is lost, or rejected. */
function aWriter() {
  const calls: (
    | { readonly mark: number }
    | { readonly record: AuditRecord; readonly ahead?: number | undefined }
  )[] = [];
  const state = { now: NOW, fail: undefined as 'before' | 'after' | undefined, wasThrottled: false };
  const trailWriter: TrailWriter = {
    mark({ minute }) {
      calls.push({ mark: minute });
      return Promise.resolve();
    },
    write(record, { mark }) {
      const { fail } = state;
      state.fail = undefined;
      if (fail === 'before') return Promise.reject(new Error('refused'));
      calls.push({ record, ahead: mark?.minute });
      if (fail === 'after') return Promise.reject(new Error('the answer was lost'));
      return Promise.resolve({ wasThrottled: state.wasThrottled });
    },
  };
  const tenantKeys = someTenantKeys();
  const log = createAuditLog({
    trailWriter,
    tenantKeys,
    ...machinePlatform,
    clock: () => state.now,
    auditRetentionMs: 1_000_000,
    onAuditUnavailable: () => undefined,
    onAuditEndMissing: () => undefined,
  });
  const records = () => calls.flatMap((call) => ('record' in call ? [call.record] : []));
  const append = (trail = 'tenant') => log.append(trail, { op: 'x', outcome: 'ok' });
  return { log, append, calls, records, state, tenantKeys };
}

it('links each record to the last one in its trail that certainly exists', async () => {
  const { append, records } = aWriter();
  const places = await Promise.all([append(), append(), append('other'), append()]);
  const own = records().filter(({ trail }) => trail === 'tenant');
  expect(own.map((record) => decodeContent(record).after)).toEqual([
    undefined,
    placeText(places[0]),
    placeText(places[1]),
  ]);
  expect(
    decodeContent(records().find(({ trail }) => trail === 'other') as AuditRecord).after,
  ).toBeUndefined();
});

it.each(['before', 'after'] as const)(
  'continues from that record when a write fails %s it happened',
  async (fail) => {
    const { append, records, state } = aWriter();
    const first = await append();
    state.fail = fail;
    await expect(append()).rejects.toMatchObject({ code: 'dependency_unavailable' });
    await append();
    expect(decodeContent(records().at(-1) as AuditRecord).after).toBe(placeText(first));
  },
);

it('marks a minute before its first record, and again after a change of the partition', async () => {
  const { append, calls, state } = aWriter();
  await append();
  await append();
  state.now += MINUTE;
  await append();
  expect(calls.map((call) => ('mark' in call ? call.mark : 'record'))).toEqual([
    NOW - (NOW % MINUTE),
    'record',
    'record',
    'record',
  ]);
  // The second record brought the mark of the next minute along.
  const ahead = calls.map((call) => ('record' in call ? call.ahead : undefined));
  expect(ahead).toEqual([undefined, undefined, NOW - (NOW % MINUTE) + MINUTE, undefined]);
  state.now += 2 * MINUTE;
  await append();
  expect(calls.slice(-2).map((call) => 'mark' in call)).toEqual([true, false]);
  state.wasThrottled = true;
  await append();
  await append();
  expect(calls.slice(-3).map((call) => 'mark' in call)).toEqual([false, true, false]);
});

it('never goes back in time when the clock does', async () => {
  const { append, records, state } = aWriter();
  for (const now of [NOW, NOW, NOW - 5_000, NOW + 1]) {
    state.now = now;
    await append();
  }
  const times = records().map(({ position }) => timeOfPosition(position));
  expect(times).toEqual([NOW, NOW + 1, NOW + 2, NOW + 3]);
});

it('authenticates every member of a record under the key of the tenant, which the record names', async () => {
  const { append, records, tenantKeys } = aWriter();
  await append();
  const [record] = records() as [AuditRecord];
  const { key, version } = await tenantKeys.current('tenant', 'audit');
  expect(record.mac).toEqual(macOf(key, record));
  expect(decodeContent(record).key).toBe(version);
  expect(record.expires).toBe((NOW + 1_000_000) / 1000);
  const others = { trail: 'x', shard: (record.shard + 1) % 32, position: 'x', expires: 1, body: '{}' };
  for (const [name, value] of Object.entries(others))
    expect(macOf(key, { ...record, [name]: value })).not.toEqual(record.mac);
});

it('writes no MAC for the deployment', async () => {
  const { append, records } = aWriter();
  await append(DEPLOYMENT);
  expect(records()[0]).not.toHaveProperty('mac');
  expect(decodeContent(records()[0] as AuditRecord)).not.toHaveProperty('key');
});

it('returns the usual error for a tenant whose keys were destroyed', async () => {
  const { calls } = aWriter();
  const gone = new ServiceError('unauthenticated', 'gone');
  const log = createAuditLog({
    trailWriter: { mark: () => Promise.resolve(), write: () => Promise.resolve({ wasThrottled: false }) },
    tenantKeys: { current: () => Promise.reject(gone) },
    ...machinePlatform,
    clock: () => NOW,
    auditRetentionMs: 1,
    onAuditUnavailable: () => undefined,
    onAuditEndMissing: () => undefined,
  });
  await expect(log.append('tenant', { op: 'x', outcome: 'ok' })).rejects.toBe(gone);
  expect(calls).toEqual([]);
});

it('spreads 320 writers of a tenant over its partitions, at most a tenth on one', async () => {
  const shards = new Map<number, number>();
  for (let writer = 0; writer < 320; writer += 1) {
    const { append, records } = aWriter();
    for (let request = 0; request < 3; request += 1) await append();
    for (const { shard } of records()) shards.set(shard, (shards.get(shard) ?? 0) + 1);
  }
  expect(Math.max(...shards.values())).toBeLessThan(96);
});
