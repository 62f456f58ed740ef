import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { createClient, USUAL } from '../../../src/adapters/aws/client-settings.ts';

const reset = () => Object.assign(new Error('reset'), { code: 'ECONNRESET', name: 'TimeoutError' });

/** A client whose attempts have a fate by their number, from 1 on. */
const clientOf = (clock: () => number, attempt: (nth: number) => Promise<object>) => {
  let attempts = 0;
  return createClient(
    DynamoDBClient,
    {
      clock,
      reach: () => ({
        region: 'us-east-1',
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
        requestHandler: {
          handle() {
            attempts += 1;
            return attempt(attempts);
          },
        } as never,
      }),
    },
    USUAL,
  );
};

/** Counts the attempts of a call that always fails, each of which takes some time. */
async function attemptsOf(attemptMs: number): Promise<number> {
  let now = 0;
  let attempts = 0;
  const client = clientOf(
    () => now,
    (nth) => {
      attempts = nth;
      now += attemptMs;
      return Promise.reject(reset());
    },
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

it('calls that fail once succeed, however many there are', async () => {
  const response = { statusCode: 200, headers: {}, body: Buffer.from('{"TableNames":[]}') };
  const client = clientOf(
    () => 0,
    (nth) => (nth % 2 === 1 ? Promise.reject(reset()) : Promise.resolve({ response })),
  );
  // Without what successes give back, the SDK would allow a hundred repetitions.
  for (let calls = 0; calls < 150; calls += 1)
    await expect(client.send(new ListTablesCommand({}))).resolves.toMatchObject({ TableNames: [] });
});

it('a call that is refused as too late takes nothing from what other calls may repeat', async () => {
  let now = 0;
  const client = clientOf(
    () => now,
    () => {
      now += 3_600_000;
      return Promise.reject(reset());
    },
  );
  const strategy = (await client.config.retryStrategy()) as unknown as { getCapacity: () => number };
  const before = strategy.getCapacity();
  for (let calls = 0; calls < 5; calls += 1)
    await expect(client.send(new ListTablesCommand({}))).rejects.toThrow('reset');
  expect(strategy.getCapacity()).toBe(before);
});
