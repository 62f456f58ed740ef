import { auditCheckReports, type AuditCheckReports } from '../../src/lambda/audit-metrics.ts';

/** The lines of JSON that are printed meanwhile. */
function printed(report: (reports: AuditCheckReports) => void): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  report(auditCheckReports((line) => lines.push(line), 'test'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const INTACT = { failures: 0, broken: [], isFinished: true, lagMs: 150_400 };

describe('the check of the schedule', () => {
  it('reports the number of failures as metric and log, and the first ones without odd characters', () => {
    const broken = [{ record: '\u202e\u001b[8m\u009b💳', what: 'the MAC is wrong' }];
    const lines = printed(({ onAuditChecked }) => {
      onAuditChecked({ ...INTACT, failures: 2, broken });
    });
    expect(lines.flatMap(({ AuditBroken: value }) => value ?? [])).toEqual([2]);
    const [cause] = lines.flatMap(({ cause: causes }) => (causes === undefined ? [] : [causes as string[]]));
    expect(cause?.[0]).toBe('failures: 2');
    expect(cause?.[1]).toMatch(/^[ -~]+the MAC is wrong"}$/);
    expect(JSON.parse(cause?.[1] ?? '')).toEqual(broken[0]);
  });

  it('reports an intact trail without a log, and whether it is late', () => {
    const lines = printed(({ onAuditChecked }) => {
      onAuditChecked(INTACT);
      onAuditChecked({ ...INTACT, isFinished: false });
    });
    expect(
      lines.map(({ AuditBroken, AuditChecked, AuditCheckLagSeconds }) => [
        ...[AuditBroken, AuditChecked, AuditCheckLagSeconds],
      ]),
    ).toEqual([
      [0, 1, 150],
      [0, 0, 150],
    ]);
  });

  it('reports how the tables with data differ from the template', () => {
    const lines = printed(({ onDataProtection }) => {
      onDataProtection([]);
      onDataProtection(['Tokens: it has a policy']);
    });
    expect(lines.flatMap(({ DataUnprotected: value }) => value ?? [])).toEqual([0, 1]);
    expect(lines.flatMap(({ cause }) => cause ?? [])).toEqual(['"Tokens: it has a policy"']);
  });

  it('reports how the tables differ from the template', () => {
    const lines = printed(({ onTrailProtection }) => {
      onTrailProtection([]);
      onTrailProtection(['Audit: it has no policy']);
    });
    expect(lines.flatMap(({ AuditUnprotected: value }) => value ?? [])).toEqual([0, 1]);
    expect(lines.flatMap(({ cause }) => cause ?? [])).toEqual(['"Audit: it has no policy"']);
  });
});
