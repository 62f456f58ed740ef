import { responsesOf } from './comparison/responses.ts';
import { corpus } from './comparison/corpus/corpus.ts';
import { compareResponses, type Comparison } from './comparison/differences.ts';
import { localDynamoDb } from './comparison/local-dynamodb.ts';
import { corpusHash, readRecording } from './comparison/recording.ts';

describe('the responses of an independent implementation', () => {
  const recording = readRecording();
  let comparison: Comparison;

  beforeAll(async () => {
    const ours = await responsesOf(await localDynamoDb(), corpus);
    const steps = corpus.map(({ name }) => name);
    comparison = compareResponses(steps, ours, new Map(Object.entries(recording.answers)));
  });

  it('are recorded for the current requests of the corpus', () => {
    // If not: comparison/compare.ts --record
    expect(recording.corpusHash).toBe(corpusHash);
  });

  it('an independent implementation responds like the local DynamoDB, except for the known differences', () => {
    expect(comparison.differences.filter(({ reason }) => reason === undefined)).toEqual([]);
  });

  it('still differ from it where a difference is known', () => {
    expect(comparison.gone).toEqual([]);
  });
});
