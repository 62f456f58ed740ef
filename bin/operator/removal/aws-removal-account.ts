import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { CommandFailure } from '../../command-line/failures.ts';
import type { RemovalAccount } from './removal-account.ts';
import type { ClientSettings } from './aws-call.ts';
import { stackCalls } from './aws-stacks.ts';
import { lambdaCalls } from './aws-functions.ts';
import { tableCalls } from './aws-tables.ts';
import { keyCalls } from './aws-keys.ts';
import { logCalls } from './aws-logs.ts';
import { queueCalls } from './aws-queues.ts';

/**
 * Reads the clock of AWS from a response's `Date` header. The AWS clients use it too, to correct
 * their own clocks.
 */
function clockCalls(settings: ClientSettings) {
  const client = new DynamoDBClient(settings);
  let dated: string | undefined;
  client.middlewareStack.add(
    (next) => async (input) => {
      const result = await next(input);
      const { headers } = result.response as { readonly headers: Readonly<Record<string, string>> };
      dated = headers['date'];
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'dateOfResponse' },
  );
  return {
    region: () => client.config.region(),
    now: async () => {
      await client.send(new ListTablesCommand({ Limit: 1 }));
      const now = new Date(dated ?? '');
      if (Number.isNaN(now.getTime()))
        throw new CommandFailure('the response of AWS has no time; nothing was deleted');
      return now;
    },
  };
}

/** The account that the settings lead to. */
export const awsRemovalAccount = (settings: ClientSettings): RemovalAccount => ({
  ...clockCalls(settings),
  ...stackCalls(settings),
  ...lambdaCalls(settings),
  ...tableCalls(settings),
  ...keyCalls(settings),
  ...logCalls(settings),
  ...queueCalls(settings),
});
