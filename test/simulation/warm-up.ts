import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';

/**
 * The SDK reads its configuration files with the first call of a process, which takes real time.
 * The world of a run would go on meanwhile.
 */
export async function warmUp(): Promise<void> {
  const client = new DynamoDBClient({
    region: 'eu-west-1',
    endpoint: 'http://simulation',
    maxAttempts: 1,
    credentials: { accessKeyId: 'simulation', secretAccessKey: 'simulation' },
    requestHandler: { handle: () => Promise.reject(new Error('warm-up')), destroy: () => undefined },
  });
  await client.send(new ListTablesCommand()).catch(() => undefined);
}
