// Whether the cases notice an engine in memory that differs from DynamoDB.
import { MemoryDynamoDb } from '../../src/dynamodb/memory-dynamodb.ts';
import { aReference } from './a-reference.ts';
import { answersOf, type Engine } from './calls.ts';
import { query, type Case } from './cases/a-case.ts';
import { CASES } from './cases/all-cases.ts';
import { BEFORE_REFUSALS, REFUSALS } from './cases/refusals.ts';
import { loadMutated } from './load-mutated.ts';
import { MUTATIONS } from './mutations.ts';

const ALL: readonly Case[] = [
  ...CASES,
  ...REFUSALS.map(({ title, call }) => ({ title, calls: [...BEFORE_REFUSALS, call, query()] })),
];

const expected = new Map<string, string>();
let engines: Awaited<ReturnType<typeof loadMutated>>;
beforeAll(async () => {
  for (const { title, calls } of ALL) {
    const reference = await aReference();
    expected.set(title, JSON.stringify(await answersOf(reference, calls)));
    await reference.close();
  }
  engines = await loadMutated(MUTATIONS);
});

/** The first case to which an engine answers in another way than the reference does. */
async function firstDifference(make: new () => Engine): Promise<string | undefined> {
  for (const { title, calls } of ALL)
    if (JSON.stringify(await answersOf(new make(), calls)) !== expected.get(title)) return title;
  return undefined;
}

it.each(MUTATIONS.map(({ name, caughtBy }) => [name, caughtBy] as const))(
  'the cases notice an engine that %s',
  async (name, caughtBy) => {
    expect(await firstDifference(engines.get(name) ?? MemoryDynamoDb)).toBe(caughtBy);
  },
);

it('the cases find no difference in the engine itself', async () => {
  expect(await firstDifference(MemoryDynamoDb)).toBeUndefined();
});

it('each way to differ, and each case, has a name of its own', () => {
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
  expect(expected.size).toBe(ALL.length);
});
