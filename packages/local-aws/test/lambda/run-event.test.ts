import { runEvent } from '../../src/lambda/run-event.ts';
import { aStateTime } from './a-lambda.ts';

/** Runs an event whose first runs fail, and returns the seconds at which it ran. */
async function ranAt(failures: number): Promise<readonly number[]> {
  const time = aStateTime();
  const start = time.now();
  const at: number[] = [];
  let running: Promise<unknown> = Promise.resolve();
  const run = () => {
    at.push((time.now() - start) / 1000);
    return Promise.resolve({ failed: at.length <= failures, payload: '' });
  };
  const inBackground = (one: Promise<unknown>) => {
    running = one;
  };
  runEvent({ time, inBackground }, run);
  for (let minute = 0; minute < 10; minute += 1) {
    await running;
    time.pass(60_001);
  }
  return at.map(Math.floor);
}

it.each([
  [0, [0]],
  [1, [0, 60]],
  [9, [0, 60, 180]],
])('an event that fails %i times runs after so many seconds: %j', async (failures, seconds) => {
  expect(await ranAt(failures)).toEqual(seconds);
});
