import { Metrics } from '@aws-lambda-powertools/metrics';
import { DUE_WORKS, type DueWork } from '../../../core/sweep/sweep.ts';
import { runSweep } from '../../../functions/sweeper/run-sweep.ts';

interface Emitted {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [member: string]: unknown;
}

const work = (name: DueWork['name'], act?: () => Promise<void>): DueWork => ({
  name,
  async *due() {
    if (act) yield await Promise.resolve([{ dueAt: 40_000, act }]);
  },
});

/** What a run emits: each metric with its dimensions and value, as CloudWatch reads them. */
async function emitted(works: readonly DueWork[]) {
  const lines: string[] = [];
  // Otherwise it writes past whatever the test puts in the console's place.
  Object.assign(process.env, { POWERTOOLS_DEV: 'true', POWERTOOLS_METRICS_DISABLED: 'false' });
  const log = jest.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const error = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  try {
    const metrics = new Metrics({ namespace: 'Cloakroom', serviceName: 'sweeper' });
    const [parkedDeliveries, coldReactors] = [() => Promise.resolve(3), () => Promise.resolve(2)];
    await runSweep({ clock: () => 100_000, works, parkedDeliveries, coldReactors, metrics }, 58_000);
  } finally {
    log.mockRestore();
    error.mockRestore();
  }
  return lines
    .map((line) => JSON.parse(line) as Emitted)
    .flatMap((line) =>
      line._aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics: all }) =>
        all.map(({ Name }) => {
          const names = Dimensions.flat();
          const dimensions = Object.fromEntries(names.map((name) => [name, line[name]]));
          return { namespace: Namespace, metric: Name, dimensions, value: line[Name] };
        }),
      ),
    );
}

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
