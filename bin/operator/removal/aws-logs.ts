import {
  CloudWatchLogsClient,
  DeleteLogGroupCommand,
  paginateDescribeLogGroups,
} from '@aws-sdk/client-cloudwatch-logs';
import type { LogGroupState } from './removal-account.ts';
import { type ClientSettings, unless } from './aws-call.ts';

export function logCalls(settings: ClientSettings) {
  const client = new CloudWatchLogsClient(settings);
  return {
    logGroups: async (logGroupNamePrefix: string) => {
      const groups: LogGroupState[] = [];
      for await (const page of paginateDescribeLogGroups({ client }, { logGroupNamePrefix }))
        for (const { logGroupName: name, storedBytes: bytes = 0, kmsKeyId: keyArn } of page.logGroups ?? [])
          if (name !== undefined) groups.push({ name, bytes, keyArn });
      return groups;
    },
    deleteLogGroup: async (logGroupName: string) => {
      await unless(['ResourceNotFoundException'], client.send(new DeleteLogGroupCommand({ logGroupName })));
    },
  };
}
