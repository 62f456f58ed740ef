import {
  CheckFailure,
  type ItemContext,
  type ReleaseDeps,
  type ReleaseItem,
} from '../../../tools/release-check/item.ts';
import { hasFailed, reportOf, runItems } from '../../../tools/release-check/run-items.ts';

const deployment = { serviceName: 'Release', apiUrl: 'https://x', keyHeader: 'SVC-API-KEY', variables: {} };
const place = { deployment, isLocal: false };

function aRun(run: (context: ItemContext) => Promise<{ seen: string; person?: string }>) {
  let now = 0;
  const deps = {
    clients: {},
    fetch: () => Promise.resolve(new Response('')),
    rawFetch: () => Promise.resolve({ status: 200, body: '' }),
    pause: () => new Promise(() => undefined),
    print: () => undefined,
    clock: () => (now += 1_500),
  } as unknown as ReleaseDeps;
  const item: ReleaseItem = { id: 'x', title: 'X', where: 'anywhere', run };
  const stop = new AbortController();
  return { deps, item, stop, results: runItems(deps, place, [item, item], stop.signal) };
}

it('an item passes with what it has seen, and the seconds that it took', async () => {
  const results = await aRun(() => Promise.resolve({ seen: 'all' })).results;
  expect(results[0]).toEqual({ id: 'x', title: 'X', status: 'passed', seen: 'all', seconds: 1.5 });
  expect(hasFailed(results)).toBe(false);
});

it('an item that leaves something to look at needs a person', async () => {
  const [result] = await aRun(() => Promise.resolve({ seen: 'off', person: 'a mail?' })).results;
  expect(result).toMatchObject({ status: 'needs a person', seen: 'off; a mail?' });
});

it.each([
  ['a check that did not hold', new CheckFailure('500 instead of 200'), '500 instead of 200'],
  ['a thrown error', new TypeError('no route'), 'an error: no route'],
])(
  '%s fails the item, puts its changes back in reverse order, and the next item runs',
  async (_, error, seen) => {
    const undone: number[] = [];
    const results = await aRun(async ({ afterwards }) => {
      for (const n of [1, 2]) afterwards(() => Promise.resolve(undone.push(n)));
      return await Promise.reject(error);
    }).results;
    expect(results).toMatchObject([
      { status: 'failed', seen },
      { status: 'failed', seen },
    ]);
    expect(undone).toEqual([2, 1, 2, 1]);
    expect(hasFailed(results)).toBe(true);
  },
);

it('a change that cannot be put back fails the item, and the other changes are put back', async () => {
  const undone: number[] = [];
  const [result] = await aRun(({ afterwards }) => {
    afterwards(() => Promise.resolve(undone.push(1)));
    afterwards(() => Promise.reject(new Error('no right')));
    return Promise.resolve({ seen: 'all' });
  }).results;
  expect(result).toMatchObject({ status: 'failed', seen: 'all; NOT PUT BACK: no right' });
  expect(undone).toEqual([1, 1]);
});

it('an interrupted item ends its pause, puts everything back with calls of its own, and is the last', async () => {
  const undone: string[] = [];
  const { results, stop } = aRun(async ({ pause, fetch, afterwards }) => {
    afterwards(async () => undone.push(String((await fetch('https://x')).status)));
    await pause(600_000);
    return { seen: 'never' };
  });
  await new Promise(setImmediate);
  stop.abort(new Error('interrupted'));
  expect(await results).toMatchObject([{ status: 'interrupted' }]);
  expect(undone).toEqual(['200']);
  expect(hasFailed(await results)).toBe(true);
});

it('a request after the interruption is not sent', async () => {
  const sent: string[] = [];
  const run = aRun(async ({ fetch }) => {
    await Promise.resolve();
    run.stop.abort(new Error('interrupted'));
    await fetch('https://x');
    sent.push('x');
    return { seen: 'never' };
  });
  expect(await run.results).toMatchObject([{ status: 'interrupted' }]);
  expect(sent).toEqual([]);
});

it('locally an item about AWS is not run and not passed', async () => {
  const { deps, stop } = aRun(() => Promise.resolve({ seen: '' }));
  const run = () => Promise.reject(new Error('it ran'));
  const item: ReleaseItem = { id: 'x', title: 'X', where: 'only on AWS', run };
  const results = await runItems(deps, { deployment, isLocal: true }, [item], stop.signal);
  expect(results).toMatchObject([{ status: 'only on AWS' }]);
  expect(reportOf(results)).toContain('1 only on AWS');
});

it('an item for a person needs no deployment, and the report has its steps', async () => {
  const { deps, stop } = aRun(() => Promise.resolve({ seen: '' }));
  const item: ReleaseItem = { id: 'x', title: 'X', steps: 'look' };
  const results = await runItems(deps, { deployment: undefined, isLocal: false }, [item], stop.signal);
  expect(reportOf(results)).toContain('needs a person x: X');
  expect(reportOf(results)).toContain('look');
});
