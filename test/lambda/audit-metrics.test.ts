import { reportAuditCheck } from '../../src/lambda/audit-metrics.ts';

/** The lines of JSON that are written meanwhile. */
function written(write: () => void): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  const add = (chunk: unknown) => {
    lines.push(String(chunk));
    return true;
  };
  for (const stream of [process.stdout, process.stderr]) jest.spyOn(stream, 'write').mockImplementation(add);
  jest.spyOn(console, 'log').mockImplementation(add);
  write();
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a scheduled check of the trail', () => {
  it('reports the number of failures as metric and log, and the first ones without odd characters', () => {
    const report = reportAuditCheck('test');
    const lines = written(() => {
      report(2, [{ record: '\u202e\u001b[8m\u009b💳', what: 'the MAC is wrong' }]);
    });
    expect(lines.flatMap(({ AuditBroken: value }) => value ?? [])).toEqual([2]);
    const [cause] = lines.flatMap(({ cause: causes }) => (causes === undefined ? [] : [causes as string[]]));
    expect(cause?.[0]).toBe('failures: 2');
    expect(cause?.[1]).toMatch(/^[ -~]+the MAC is wrong"}$/);
    expect(JSON.parse(cause?.[1] ?? '')).toEqual({
      ...{ record: '\u202e\u001b[8m\u009b💳', what: 'the MAC is wrong' },
    });
  });

  it('reports 0 for an intact trail, and logs nothing', () => {
    const report = reportAuditCheck('test');
    const lines = written(() => {
      report(0, []);
    });
    expect(lines.map(({ AuditBroken: value }) => value)).toEqual([0]);
  });
});
