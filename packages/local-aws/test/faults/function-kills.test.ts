import { createFaults } from '../../src/faults/create-faults.ts';
import type { FunctionHost } from '../../src/lambda/function-host.ts';
import { aFunction, aHost } from '../lambda/a-function.ts';

let host: FunctionHost | undefined;

afterEach(() => host?.close());

function start(code: string, ...texts: readonly string[]): FunctionHost {
  const faults = createFaults(1);
  faults.replace(texts);
  host = aHost([aFunction(code)], { kills: faults.kills });
  host.start('http://127.0.0.1:4566');
  return host;
}

const quick = 'export const handler = async () => 1;';

it('a killed invocation fails like one whose instance was killed, and reports nothing else', async () => {
  const { failed, payload } = await start(quick, 'function:kill:1').invoke('fn', '{}', 'r-1');
  expect(failed).toBe(true);
  expect(JSON.parse(payload)).toEqual({
    errorType: 'Runtime.ExitError',
    errorMessage: 'RequestId: r-1 Error: Runtime exited with error: signal: killed',
  });
});

it('the work of a killed invocation stops immediately', async () => {
  const code = 'export const handler = () => new Promise(() => undefined);';
  expect((await start(code, 'function/fn:kill:1').invoke('fn', '{}')).failed).toBe(true);
});

it('the next invocation has a new instance', async () => {
  const faults = createFaults(1);
  faults.replace(['function:kill:1']);
  const code = 'let runs = 0; export const handler = async () => (runs += 1);';
  host = aHost([aFunction(code)], { kills: faults.kills });
  host.start('http://127.0.0.1:4566');
  await host.invoke('fn', '{}');
  faults.replace([]);
  expect(await host.invoke('fn', '{}')).toEqual({ failed: false, payload: '1' });
  expect(await host.invoke('fn', '{}')).toEqual({ failed: false, payload: '2' });
});

it('functions with another name survive', async () => {
  expect(await start(quick, 'function/Worker:kill:1').invoke('fn', '{}')).toEqual({
    failed: false,
    payload: '1',
  });
});

it('kills happen within the usual duration of a run', () => {
  const faults = createFaults(1);
  faults.replace(['function:kill:0.5']);
  faults.kills.ended('fn', 1000);
  const moments = Array.from({ length: 1000 }, () => faults.kills.deathAfter('fn')).filter(
    (at) => at !== undefined,
  );
  expect(moments.length).toBeGreaterThan(400);
  expect(moments.length).toBeLessThan(600);
  expect(Math.min(...moments)).toBeLessThan(100);
  expect(Math.max(...moments)).toBeGreaterThan(900);
  expect(Math.max(...moments)).toBeLessThan(1000);
});
