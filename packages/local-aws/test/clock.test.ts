import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../src/clock.ts';
import { createSqs } from '../src/sqs/create-sqs.ts';
import { aFunction, aHost } from './lambda/a-function.ts';

const advance = (seconds: unknown): string => JSON.stringify({ advance_seconds: seconds });
const HOUR_MS = 3_600_000;

describe('a clock', () => {
  it('returns the machine’s time until it is moved forward, and adds up the moves', () => {
    const clock = createClock();
    const before = Date.now();
    expect(clock.now() - before).toBeLessThan(HOUR_MS);
    expect(clock.control('', 'GET').ahead_seconds).toBe(0);
    clock.control(advance(3_600), 'PUT');
    const { now, ahead_seconds: ahead } = clock.control(advance(3_600), 'PUT');
    expect(ahead).toBe(7_200);
    expect(Date.parse(now)).toBeGreaterThanOrEqual(before + 2 * HOUR_MS);
    expect(clock.now()).toBeGreaterThanOrEqual(before + 2 * HOUR_MS);
  });

  it.each([
    advance(-1),
    advance(0),
    advance(0.5),
    advance('60'),
    advance(1e12),
    '{"advance_seconds":1,"x":2}',
    '[]',
    '',
  ])('rejects %s and does not change', (body) => {
    const clock = createClock();
    expect(() => clock.control(body, 'PUT')).toThrow('{"advance_seconds": 60}');
    expect(clock.control('', 'GET').ahead_seconds).toBe(0);
  });

  it('reports each move, and no rejected one', () => {
    const clock = createClock();
    const moves: number[] = [];
    clock.onMove((seconds) => moves.push(seconds));
    clock.control('', 'GET');
    clock.control(advance(60), 'PUT');
    expect(() => clock.control(advance(-1), 'PUT')).toThrow();
    clock.control(advance(5), 'PUT');
    expect(moves).toEqual([60, 5]);
  });

  it('is not moved beyond its range', () => {
    const clock = createClock();
    clock.control(advance(900_000_000), 'PUT');
    expect(() => clock.control(advance(900_000_000), 'PUT')).toThrow('30 years');
    expect(clock.control('', 'GET').ahead_seconds).toBe(900_000_000);
  });
});

describe('the clock of a data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'clock-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('goes on from its own time after a restart', () => {
    createClock(folder).control(advance(3_600), 'PUT');
    createClock(folder).control(advance(60), 'PUT');
    expect(createClock(folder).control('', 'GET').ahead_seconds).toBe(3_660);
    expect(createClock().control('', 'GET').ahead_seconds).toBe(0);
  });

  it('does not start with a file that is damaged', () => {
    writeFileSync(join(folder, 'clock.json'), '{"ahead_seconds":"x"}');
    expect(() => createClock(folder)).toThrow(`${join(folder, 'clock.json')} is damaged`);
  });
});

describe('a function under a clock that is moved', () => {
  const code = `export const handler = async (event, context) => ({
    now: Date.now(), made: new Date().getTime(), called: Date.parse(Date()), same: new Date(5).getTime(),
    isDate: new Date() instanceof Date && new Date().constructor === Date,
    name: Date.name, utc: Date.UTC(1970, 0), derived: new (class extends Date {})().getTime(),
    remaining: context.getRemainingTimeInMillis(), machine: globalThis[Symbol.for('machine-time')](),
  });`;

  it('reads the moved time in every way of Date, even if it is already running', async () => {
    const clock = createClock();
    const host = aHost([aFunction(code)], { clock: clock.shared });
    host.start('http://127.0.0.1:4566');
    const read = async () =>
      JSON.parse((await host.invoke('fn', '{}')).payload) as Readonly<Record<string, unknown>>;
    try {
      const before = Date.now();
      expect(Number((await read())['now']) - before).toBeLessThan(HOUR_MS);
      clock.control(advance(86_400), 'PUT');
      const { now, made, called, derived, remaining, machine, ...rest } = await read();
      for (const time of [now, made, called, derived])
        expect(Number(time) - before).toBeGreaterThanOrEqual(86_400_000 - 1_000);
      expect(Number(machine) - before).toBeLessThan(HOUR_MS);
      // A timer measures the time of an invocation.
      expect(remaining).toBeGreaterThan(0);
      expect(rest).toEqual({ same: 5, isDate: true, name: 'Date', utc: 0 });
    } finally {
      await host.close();
    }
  });
});

describe('a queue under a clock that is moved', () => {
  it('delivers delayed messages, and again those whose visibility timeout is over', async () => {
    const clock = createClock();
    const sqs = createSqs({ accountId: '000000000000', region: 'us-east-1', clock: clock.shared });
    try {
      const QueueUrl = 'http://127.0.0.1:1/000000000000/q';
      const arn = 'arn:aws:sqs:us-east-1:000000000000:q';
      await sqs.createQueue({ name: 'q', arn, url: QueueUrl, attributes: { VisibilityTimeout: '600' } });
      const receive = async () =>
        (
          (await sqs.call('ReceiveMessage', { QueueUrl })) as { Messages?: readonly { Body: string }[] }
        ).Messages?.map(({ Body }) => Body) ?? [];
      await sqs.call('SendMessage', { QueueUrl, MessageBody: 'late', DelaySeconds: 900 });
      expect(await receive()).toEqual([]);
      clock.control(advance(900), 'PUT');
      expect(await receive()).toEqual(['late']);
      expect(await receive()).toEqual([]);
      clock.control(advance(600), 'PUT');
      expect(await receive()).toEqual(['late']);
    } finally {
      await sqs.close();
    }
  });
});
