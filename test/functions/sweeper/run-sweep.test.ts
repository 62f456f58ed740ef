import { DUE_WORKS, type DueWork } from '../../../src/core/sweep/sweep.ts';
import { emittedLines, emittedMetrics, FIRST_MINUTE } from '../../support/emitted-metrics.ts';
import { printedMetrics } from '../../../src/lambda/printed-metrics.ts';
import type { Print } from '../../../src/lambda/request-log.ts';

const work = (name: DueWork['name'], act?: () => Promise<void>): DueWork => ({
  name,
  async *due() {
    if (act) yield await Promise.resolve([{ dueAt: FIRST_MINUTE - 60_000, act }]);
  },
});

const metricsOn = (print: Print) => printedMetrics(print, 'Cloakroom', 'sweeper');
const emitted = (works: readonly DueWork[]) => emittedMetrics(works, metricsOn);

describe('a run of the sweep', () => {
  it('reports the delay of each kind of work, under the names that the alarms use', async () => {
    const found = await emitted(DUE_WORKS.map((name) => work(name, () => Promise.resolve())));
    expect(found.filter(({ metric }) => metric === 'OldestDueSeconds')).toEqual(
      DUE_WORKS.map((Work) => ({
        namespace: 'Cloakroom',
        metric: 'OldestDueSeconds',
        dimensions: { service: 'sweeper', Work },
        value: 60,
      })),
    );
  });

  it('reports the number of waiting deliveries and of cold reactors, for no kind of work', async () => {
    const found = await emitted([work('cvc')]);
    expect(found.filter(({ metric }) => metric === 'ColdReactors')).toEqual([
      { namespace: 'Cloakroom', metric: 'ColdReactors', dimensions: { service: 'sweeper' }, value: 2 },
    ]);
    expect(found.filter(({ metric }) => metric === 'ParkedDeliveries')).toEqual([
      { namespace: 'Cloakroom', metric: 'ParkedDeliveries', dimensions: { service: 'sweeper' }, value: 3 },
    ]);
  });

  it('counts failures, and continues with the next kind', async () => {
    const works = [
      work('cvc', () => Promise.reject(new Error('x'))),
      work('tokens', () => Promise.resolve()),
    ];
    const lines = await emittedLines(works, metricsOn);
    // These are in the log line and are no metrics, because each metric costs by the month.
    expect(lines.slice(0, 2)).toMatchObject([
      { Work: 'cvc', SweepFailures: '1', Swept: '0' },
      { Work: 'tokens', SweepFailures: '0', Swept: '1' },
    ]);
    expect(new Set((await emitted(works)).map(({ metric }) => metric))).toEqual(
      new Set(['OldestDueSeconds', 'ParkedDeliveries', 'ColdReactors', 'ReactorsOutdated']),
    );
  });

  it('counts reactors with an outdated layer once an hour', async () => {
    const ofMinute = async (minute: number) =>
      (await emittedMetrics([work('cvc')], metricsOn, FIRST_MINUTE + minute * 60_000)).flatMap(
        ({ metric, value }) => (metric === 'ReactorsOutdated' ? [value] : []),
      );
    expect([await ofMinute(0), await ofMinute(1), await ofMinute(59), await ofMinute(60)]).toEqual([
      [4],
      [],
      [],
      [4],
    ]);
  });

  it('fails after the other kinds if one cannot be read', async () => {
    const swept: string[] = [];
    const unreadable = {
      name: 'cvc' as const,
      due: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('x')) }) }),
    };
    const tokens = work('tokens', () => Promise.resolve(void swept.push('tokens')));
    await expect(emitted([unreadable, tokens])).rejects.toThrow('what is due cannot be read: cvc');
    expect(swept).toEqual(['tokens']);
  });
});
