// Whether the cases notice an engine in memory that differs from DynamoDB.
import { IS_THOROUGH } from '../../../test-kit/src/thoroughness.ts';
import { MemoryDynamoDb } from '../../src/dynamodb/memory-dynamodb.ts';
import { aReference } from './a-reference.ts';
import { answersOf, type Engine } from './calls.ts';
import { query, type Case } from './cases/a-case.ts';
import { CASES } from './cases/all-cases.ts';
import { BEFORE_REFUSALS, REFUSALS } from './cases/refusals.ts';
import { loadMutated } from './load-mutated.ts';
import { MUTATIONS } from './mutations.ts';

const EVERY: readonly Case[] = [
  ...CASES,
  ...REFUSALS.map(({ title, call }) => ({ title, calls: [...BEFORE_REFUSALS, call, query()] })),
];
/** Which case is the first that notices a mutation, only the thorough run finds. */
const ALL = EVERY.filter(({ title }) => IS_THOROUGH || MUTATIONS.some(({ caughtBy }) => caughtBy === title));

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

/** The first of some cases to which an engine answers in another way than the reference does. */
async function firstDifference(make: new () => Engine, some = ALL): Promise<string | undefined> {
  for (const { title, calls } of some)
    if (JSON.stringify(await answersOf(new make(), calls)) !== expected.get(title)) return title;
  return undefined;
}

it.each(MUTATIONS.map(({ name, caughtBy }) => [name, caughtBy] as const))(
  'the cases notice an engine that %s',
  async (name, caughtBy) => {
    const some = IS_THOROUGH ? ALL : ALL.filter(({ title }) => title === caughtBy);
    expect(await firstDifference(engines.get(name) ?? MemoryDynamoDb, some)).toBe(caughtBy);
  },
);

it('the cases find no difference in the engine itself', async () => {
  expect(await firstDifference(MemoryDynamoDb)).toBeUndefined();
});

it('each way to differ, and each case, has a name of its own', () => {
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
  expect(new Set(EVERY.map(({ title }) => title)).size).toBe(EVERY.length);
});
