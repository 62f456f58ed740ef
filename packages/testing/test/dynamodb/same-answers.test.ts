// The engine in memory against the DynamoDB of the local account, which is the reference.
import { cases, fc } from '../../../test-kit/src/properties.ts';
import { MemoryDynamoDb } from '../../src/dynamodb/memory-dynamodb.ts';
import { aReference } from './a-reference.ts';
import { answersOf, type Call } from './calls.ts';
import { CASES } from './cases/all-cases.ts';
import { BEFORE_REFUSALS, OPEN_REFUSALS, REFUSALS } from './cases/refusals.ts';
import { list, put, query, walk } from './cases/a-case.ts';
import { calls as generatedCalls } from './generated-calls.ts';

interface Page {
  readonly Items: readonly { readonly pk: string }[];
}

async function bothAnswers(calls: readonly Call[]) {
  const reference = await aReference();
  try {
    return {
      expected: await answersOf(reference, calls),
      actual: await answersOf(new MemoryDynamoDb(), calls),
    };
  } finally {
    await reference.close();
  }
}

describe('the DynamoDB in memory', () => {
  it.each(CASES.map(({ title, calls }) => [title, calls] as const))('%s', async (_title, calls) => {
    const { expected, actual } = await bothAnswers(calls);
    for (const [at, call] of calls.entries())
      expect({ call, answer: actual[at] }).toEqual({ call, answer: expected[at] });
  });

  it.each(REFUSALS.map(({ title, call }) => [title, call] as const))(
    'refuses with the error of DynamoDB %s',
    async (_title, call) => {
      const { expected, actual } = await bothAnswers([...BEFORE_REFUSALS, call, query()]);
      expect(actual).toEqual(expected);
      expect(expected.at(-2)).toHaveProperty('error');
    },
  );

  it.each(OPEN_REFUSALS.map(({ title, call }) => [title, call] as const))(
    'refuses %s',
    async (_title, call) => {
      const { expected, actual } = await bothAnswers([...BEFORE_REFUSALS, call, query()]);
      expect(actual.at(-1)).toEqual(expected.at(-1));
      for (const answer of [expected.at(-2), actual.at(-2)]) expect(answer).toHaveProperty('error');
    },
  );

  it('answers any sequence of calls as DynamoDB does', async () => {
    await fc.assert(
      fc.asyncProperty(generatedCalls, async (calls) => {
        const { expected, actual } = await bothAnswers(calls);
        expect(actual).toEqual(expected);
      }),
      { numRuns: cases(12) },
    );
  });

  // DynamoDB does not say which of two entries with one sort key comes first.
  it.each([{}, { ScanIndexForward: false }])(
    'returns each entry of an index once by pages, with %j',
    async (more) => {
      const stored = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((pk) =>
        put({ pk, sk: 'x', listPk: 'p', listSk: pk < 'f' ? '1' : '2' }),
      );
      const pages = [1, 2, 3, 7, 8].map((Limit) => walk(list({ ...more, Limit })));
      const { expected, actual } = await bothAnswers([...stored, ...pages]);
      const placesOf = (answer: unknown) =>
        (answer as readonly Page[]).map(({ Items }) => Items.map(({ pk }) => pk));
      for (const [at] of pages.entries()) {
        const [wanted, found] = [expected, actual].map((all) => placesOf(all[stored.length + at]));
        expect(found?.map(({ length }) => length)).toEqual(wanted?.map(({ length }) => length));
        expect(found?.flat().toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
        expect(wanted?.flat().toSorted()).toEqual(found?.flat().toSorted());
      }
    },
  );
});
