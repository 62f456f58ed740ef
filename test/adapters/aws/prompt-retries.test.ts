import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { createClient, USUAL } from '../../../src/adapters/aws/client-settings.ts';

/** Counts the attempts of a call that always fails, each of which takes some time. */
async function attemptsOf(attemptMs: number): Promise<number> {
  let now = 0;
  let attempts = 0;
  const client = createClient(
    DynamoDBClient,
    {
      clock: () => now,
      reach: () => ({
        region: 'us-east-1',
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
        requestHandler: {
          handle() {
            attempts += 1;
            now += attemptMs;
            return Promise.reject(
              Object.assign(new Error('reset'), { code: 'ECONNRESET', name: 'TimeoutError' }),
            );
          },
        } as never,
      }),
    },
    USUAL,
  );
  await expect(client.send(new ListTablesCommand({}))).rejects.toThrow('reset');
  return attempts;
}

describe('a call that fails', () => {
  it.each([
    ['at once', 10, 3],
    ['after the longest wait for each response', USUAL.responseWithinMs, 3],
    ['after its instance was frozen for an hour', 3_600_000, 1],
  ])('%s', async (_when, attemptMs, attempts) => {
    expect(await attemptsOf(attemptMs)).toBe(attempts);
  });
});
