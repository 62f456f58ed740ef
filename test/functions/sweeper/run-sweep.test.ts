import { Metrics } from '@aws-lambda-powertools/metrics';
import { DUE_WORKS, type DueWork } from '../../../core/sweep/sweep.ts';
import { emittedMetrics } from '../../support/emitted-metrics.ts';

const work = (name: DueWork['name'], act?: () => Promise<void>): DueWork => ({
  name,
  async *due() {
    if (act) yield await Promise.resolve([{ dueAt: 40_000, act }]);
  },
});

const emitted = (works: readonly DueWork[]) =>
  emittedMetrics(works, () => new Metrics({ namespace: 'Cloakroom', serviceName: 'sweeper' }));

describe('a run of the sweep', () => {
  it('tells of each kind of work how late it is, under the names that the alarms look at', async () => {
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

  it('tells how many deliveries wait and how many reactors are cold, of no kind of work', async () => {
    const found = await emitted([work('cvc')]);
    expect(found.filter(({ metric }) => metric === 'ColdReactors')).toEqual([
      { namespace: 'Cloakroom', metric: 'ColdReactors', dimensions: { service: 'sweeper' }, value: 2 },
    ]);
    expect(found.filter(({ metric }) => metric === 'ParkedDeliveries')).toEqual([
      { namespace: 'Cloakroom', metric: 'ParkedDeliveries', dimensions: { service: 'sweeper' }, value: 3 },
    ]);
  });

  it('counts what failed, and goes on with the next kind', async () => {
    const found = await emitted([
      work('cvc', () => Promise.reject(new Error('x'))),
      work('tokens', () => Promise.resolve()),
    ]);
    const values = (metric: string) =>
      found.filter((each) => each.metric === metric).map(({ value }) => value);
    expect([values('SweepFailures'), values('Swept')]).toEqual([
      [1, 0],
      [0, 1],
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
