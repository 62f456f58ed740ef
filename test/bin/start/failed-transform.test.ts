import { failedCallOf, failedTransformLine } from '../../../bin/start/failed-transform.ts';

const CALL = { code: 'transform_failed', traceId: 't1', proxyId: 'p1' } as const;
const FAILURE = {
  trace_id: 't1',
  at: '2026-11-25T10:20:30.000Z',
  side: 'request',
  number: 2,
  type: 'tokenize',
  reason: 'the body has no value at its location',
  places: ['$.card.number'],
};

it('finds the failed transform of a log line, and nothing in other lines', () => {
  const line = { level: 'info', operation: 'proxy', status: 400, ...CALL };
  expect(failedCallOf(JSON.stringify(line))).toEqual(CALL);
  for (const other of ['{"code":"conflict"}', '{"code":"transform_failed"}', 'a "transform_failed" text'])
    expect(failedCallOf(other)).toBeUndefined();
});

it('prints the whole failure of the call, which the list of its proxy has', async () => {
  const paths: string[] = [];
  const read = (path: string) => {
    paths.push(path);
    return Promise.resolve({ data: [{ ...FAILURE, trace_id: 'another' }, FAILURE] });
  };
  expect(await failedTransformLine(CALL, read)).toBe(
    'proxy p1: request_transforms[2] (tokenize) failed: the body has no value at its location ($.card.number), trace id t1',
  );
  expect(paths).toEqual(['/proxies/p1/failures']);
  expect(await failedTransformLine({ ...CALL, traceId: 't2' }, read)).toBeUndefined();
});

it('prints no character that moves the cursor or changes the direction of text', async () => {
  const data = [{ ...FAILURE, reason: 'a\u001b[2Jb\nc', places: ['$.\u202ed'] }];
  expect(await failedTransformLine(CALL, () => Promise.resolve({ data }))).toContain('a[2Jbc ($.d)');
});
