import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Item } from '../../src/dynamodb/item.ts';
import { randomOfFile } from '../../../test-kit/src/thoroughness.ts';
import { aDynamoDb, type TestDynamoDb } from './a-dynamodb.ts';

const random = randomOfFile();

const KILLS = 6;
const LEAST_ROUNDS = 20;

/**
 * Starts a writer, kills it without warning some moment after a random number of rounds (a time
 * would be too short on a busy machine), and returns the names of the acknowledged ones.
 */
async function killedWriter(directory: string, kill: number): Promise<readonly string[]> {
  const script = path.join(import.meta.dirname, 'crash-writer.ts');
  const child = spawn(process.execPath, [script, directory, '10', `k${String(kill)}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const rounds = LEAST_ROUNDS + Math.floor(random() * 100);
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
      if (output.split('\n').length > rounds + 1) resolve();
    });
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  await Promise.race([ready, closed]);
  await sleep(random() * 20);
  child.kill('SIGKILL');
  await closed;
  // The kill cut off the text after the last line end.
  return output.split('\n').slice(1, -1);
}

async function everything({ send }: TestDynamoDb, input: object): Promise<readonly Item[]> {
  const items: Item[] = [];
  let start: Item | undefined;
  do {
    const page = await send('Scan', { ...input, ...(start !== undefined && { ExclusiveStartKey: start }) });
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}

const nameOf = (item: Item): string => item['pk']?.S ?? item['id']?.S ?? '';
const namesOf = (items: readonly Item[]): readonly string[] => items.map(nameOf).toSorted();

function lanes(names: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const grouped = Map.groupBy(names, (name) => name.slice(0, name.lastIndexOf('-')));
  return new Map(
    [...grouped].map(([lane, all]) => [lane, all.map((name) => Number(name.split('-').at(-1)))]),
  );
}

it('killing the process at any moment loses no acknowledged write and leaves no half transaction', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'crash-'));
  try {
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) acknowledged.push(...(await killedWriter(directory, kill)));
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS * LEAST_ROUNDS);

    const database = await aDynamoDb(directory);
    const plain = await everything(database, { TableName: 'Plain' });
    const things = await everything(database, { TableName: 'Things' });
    const stored = new Set(namesOf(plain));
    expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);

    // A lane of rounds leaves exactly its last two things, the last one in `new` and the previous
    // one in `old`: any other state would be an incomplete transaction.
    const expected = [...lanes([...stored])].flatMap(([lane, rounds]) => {
      const last = Math.max(...rounds);
      return [`${lane}-${String(last - 1)} old`, `${lane}-${String(last)} new`];
    });
    const found = things.map((item) => `${nameOf(item)} ${item['group']?.S ?? ''}`);
    expect(found.toSorted()).toEqual(expected.toSorted());

    for (const IndexName of ['by-rank', 'by-group', 'whole']) {
      const entries = await everything(database, { TableName: 'Things', IndexName });
      expect(entries.map((entry) => `${nameOf(entry)} ${entry['group']?.S ?? ''}`).toSorted()).toEqual(
        found.toSorted(),
      );
    }
    await database.service.close();
  } finally {
    await rm(directory, { recursive: true });
  }
});

it('a second process on the same directory is rejected', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'lock-'));
  const first = await aDynamoDb(directory);
  try {
    await expect(aDynamoDb(directory)).rejects.toThrow(/dynamodb is in use by another process$/);
  } finally {
    await first.service.close();
    await rm(directory, { recursive: true });
  }
});
