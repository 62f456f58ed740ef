import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLineSplitter, createLogFiles } from '../src/account-logs.ts';

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'logs-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

const text = (name: string) => readFileSync(join(directory, name), 'utf8');

it('a start appends to the last file, whatever its size', () => {
  writeFileSync(join(directory, 'fn.log'), 'why it crashed\n'.repeat(10));
  const logs = createLogFiles(directory, 100);
  logs.write('fn', 'started\n');
  logs.close();
  expect(text('fn.log.1')).toContain('why it crashed');
  expect(text('fn.log')).toBe('started\n');
});

it('a file that grows while the service runs is bounded, and contains the latest lines', () => {
  const logs = createLogFiles(directory, 1_000);
  for (let line = 0; line < 1_000; line += 1) logs.write('fn', `line ${String(line)}\n`);
  logs.close();
  expect(readdirSync(directory).toSorted()).toEqual(['fn.log', 'fn.log.1']);
  const before = text('fn.log.1');
  const latest = text('fn.log');
  expect(before.length).toBeLessThan(1_020);
  expect(latest.length).toBeLessThan(1_020);
  const lines = (before + latest).trim().split('\n');
  expect(lines.at(-1)).toBe('line 999');
  const numbers = lines.map((line) => Number(line.slice(5)));
  expect(numbers).toEqual(numbers.map((_, index) => 999 - numbers.length + 1 + index));
});

it('two services that write concurrently preserve the latest lines of both', () => {
  const one = createLogFiles(directory, 1_000);
  const other = createLogFiles(directory, 1_000);
  for (let line = 0; line < 200; line += 1)
    for (const [name, logs] of Object.entries({ one, other })) logs.write('fn', `${name} ${String(line)}\n`);
  one.close();
  other.close();
  const lines = (text('fn.log.1') + text('fn.log')).trim().split('\n');
  expect(lines.length).toBeGreaterThan(100);
  const all = Array.from({ length: 200 }, (_, line) => [
    `one ${String(line)}`,
    `other ${String(line)}`,
  ]).flat();
  expect(new Set(lines)).toEqual(new Set(all.slice(-lines.length)));
});

it('a line of the local account has its time', () => {
  const logs = createLogFiles(directory);
  logs.line('gateway', 'GET /x: no answer');
  logs.close();
  expect(text('gateway.log')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z GET \/x: no answer\n$/);
});

it('an unfinished line is not continued by later output', () => {
  jest.useFakeTimers();
  const lines: string[] = [];
  const split = createLineSplitter((name, line) => lines.push(`${name}: ${line}`));
  split('fn', 'one li');
  split('fn', 'ne\nno end');
  expect(lines).toEqual(['fn: one line']);
  jest.advanceTimersByTime(1_000);
  split('fn', 'another\n');
  expect(lines).toEqual(['fn: one line', 'fn: no end', 'fn: another']);
  jest.useRealTimers();
});
