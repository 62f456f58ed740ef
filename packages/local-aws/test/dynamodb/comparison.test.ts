import { answersOf } from './comparison/answers.ts';
import { corpus } from './comparison/corpus/corpus.ts';
import { compareAnswers, type Comparison } from './comparison/differences.ts';
import { localDynamoDb } from './comparison/local-dynamodb.ts';
import { corpusHash, readRecording } from './comparison/recording.ts';

describe('the answers of an independent implementation', () => {
  const recording = readRecording();
  let comparison: Comparison;

  beforeAll(async () => {
    const ours = await answersOf(await localDynamoDb(), corpus);
    const steps = corpus.map(({ name }) => name);
    comparison = compareAnswers(steps, ours, new Map(Object.entries(recording.answers)));
  });

  it('are recorded for the requests of the corpus as they are', () => {
    // If not: comparison/compare.ts --record
    expect(recording.corpusHash).toBe(corpusHash);
  });

  it('are those of our DynamoDB, but for the known differences', () => {
    expect(comparison.differences.filter(({ reason }) => reason === undefined)).toEqual([]);
  });

  it('still differ from ours where a difference is known', () => {
    expect(comparison.gone).toEqual([]);
  });
});
