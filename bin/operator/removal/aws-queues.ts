import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type ClientSettings, unless } from './aws-call.ts';

export function queueCalls(settings: ClientSettings) {
  const client = new SQSClient(settings);
  return {
    messages: async (QueueUrl: string) => {
      const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
      const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] });
      const found = await unless(['QueueDoesNotExist'], client.send(command));
      return names.reduce((sum, name) => sum + Number(found?.Attributes?.[name] ?? 0), 0);
    },
  };
}
