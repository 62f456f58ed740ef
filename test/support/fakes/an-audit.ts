import { createAuditLog, type AuditLog } from '../../../src/core/audit/audit-log.ts';
import { decodeContent } from '../../../src/core/audit/record-content.ts';
import type { AuditEntry, AuditRecord } from '../../../src/core/audit/audit-record.ts';
import { referenceText } from '../../../src/core/audit/token-reference.ts';
import type { Clock } from '../../../src/core/shared/clock.ts';
import type { Sightings } from '../../../src/core/audit/audit-scope.ts';
import { someTenantKeys } from '../tenant-keys.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

/** An audit trail that ignores all reports, for tests about something else. */
export const anAudit = (): Sightings => ({
  saw: () => undefined,
  named: () => undefined,
  found: () => undefined,
  matched: () => undefined,
  changes: () => undefined,
  about: () => undefined,
  actsFor: () => undefined,
});

/** An entry with the ids that were stored for its references. */
function resolved(entry: AuditEntry, ids: ReadonlyMap<string, string>): AuditEntry {
  if (entry.tokens === undefined) return entry;
  const tokens = Object.entries(entry.tokens).map(([form, names]) => [
    form,
    names.map((name) => ids.get(name) ?? name),
  ]);
  return { ...entry, tokens: Object.fromEntries(tokens) as NonNullable<AuditEntry['tokens']> };
}

/** An audit log in memory: its records in the order of writing, as entries of a trail. */
export function anAuditLog({ clock = Date.now }: { readonly clock?: Clock } = {}) {
  const records: AuditRecord[] = [];
  const ids = new Map<string, string>();
  const failures: unknown[] = [];
  const state = { isDown: false };
  const log: AuditLog = createAuditLog({
    trailWriter: {
      mark: () => (state.isDown ? Promise.reject(new Error('the trail is down')) : Promise.resolve()),
      write(record, { referred }) {
        if (state.isDown) return Promise.reject(new Error('the trail is down'));
        for (const { reference, id } of referred) ids.set(referenceText(reference), id);
        records.push(record);
        return Promise.resolve({ wasThrottled: false });
      },
    },
    tenantKeys: someTenantKeys(),
    ...machinePlatform,
    clock,
    auditRetentionMs: 400 * 24 * 60 * 60 * 1000,
    onAuditUnavailable: (error) => failures.push(error),
    onAuditEndMissing: (error) => failures.push(error),
  });
  const entries = (): readonly (AuditEntry & { readonly trail: string })[] =>
    records.map((record) => ({ trail: record.trail, ...resolved(decodeContent(record), ids) }));
  return { log, records, entries, failures, state };
}
