import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { recordContents, requireContents } from '../src/data-contents.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'contents-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function write(name: string): void {
  mkdirSync(dirname(join(directory, name)), { recursive: true });
  writeFileSync(join(directory, name), 'something');
}

it('a folder in which no start has succeeded is complete', () => {
  requireContents(directory);
});

it.each(['dynamodb/dynamodb/CURRENT', 'kms/kms-keys.json', 'sqs/fauxqs.db'])(
  'a folder that has lost %s is damaged',
  async (name) => {
    write(name);
    await recordContents(directory);
    requireContents(directory);
    rmSync(join(directory, name));
    expect(() => {
      requireContents(directory);
    }).toThrow(
      `${directory} is damaged: ${name} is missing or empty; restore the data folder from a copy, or use another one`,
    );
  },
);

it('an app without keys needs none until it has one', async () => {
  write('dynamodb/dynamodb/CURRENT');
  await recordContents(directory);
  requireContents(directory);
  write('kms/kms-keys.json');
  await recordContents(directory);
  rmSync(join(directory, 'kms'), { recursive: true });
  expect(() => {
    requireContents(directory);
  }).toThrow('kms/kms-keys.json is missing or empty');
});

it('an emptied file counts as missing', async () => {
  write('sqs/fauxqs.db');
  await recordContents(directory);
  writeFileSync(join(directory, 'sqs/fauxqs.db'), '');
  expect(() => {
    requireContents(directory);
  }).toThrow('sqs/fauxqs.db is missing or empty');
});

it('a damaged list is named', () => {
  writeFileSync(join(directory, 'contents.json'), '{');
  expect(() => {
    requireContents(directory);
  }).toThrow(`${directory}/contents.json is damaged`);
});
