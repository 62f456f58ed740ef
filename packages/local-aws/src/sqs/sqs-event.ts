import { z } from 'zod';

const attribute = z.object({
  DataType: z.string(),
  StringValue: z.string().optional(),
  BinaryValue: z.string().optional(),
});

const message = z.object({
  MessageId: z.string(),
  ReceiptHandle: z.string(),
  Body: z.string(),
  MD5OfBody: z.string(),
  MD5OfMessageAttributes: z.string().optional(),
  Attributes: z.record(z.string(), z.string()).default({}),
  MessageAttributes: z.record(z.string(), attribute).default({}),
});

export const receivedMessages = z.object({ Messages: z.array(message).default([]) });

export type ReceivedMessage = z.infer<typeof message>;

function messageAttribute({ DataType, StringValue, BinaryValue }: z.infer<typeof attribute>): object {
  return {
    ...(StringValue !== undefined && { stringValue: StringValue }),
    ...(BinaryValue !== undefined && { binaryValue: BinaryValue }),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType,
  };
}

/**
 * The event of a batch, as Lambda passes it to a function
 * (https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html).
 */
export function sqsEvent(messages: readonly ReceivedMessage[], queueArn: string): object {
  const Records = messages.map((one) => ({
    messageId: one.MessageId,
    receiptHandle: one.ReceiptHandle,
    body: one.Body,
    attributes: one.Attributes,
    messageAttributes: Object.fromEntries(
      Object.entries(one.MessageAttributes).map(([name, value]) => [name, messageAttribute(value)]),
    ),
    ...(one.MD5OfMessageAttributes !== undefined && { md5OfMessageAttributes: one.MD5OfMessageAttributes }),
    md5OfBody: one.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  }));
  return { Records };
}

const reported = z.object({
  batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish(),
});

/**
 * The messages that were processed successfully. A function that reports failures names the failed
 * ones; an invalid response, or one that names a message outside of the batch, fails them all.
 */
export function succeededMessages(
  messages: readonly ReceivedMessage[],
  payload: string,
): readonly ReceivedMessage[] {
  const response: unknown = JSON.parse(payload);
  // No response at all is success.
  if (response === null || response === '') return messages;
  const parsed = reported.safeParse(response);
  if (!parsed.success) return [];
  const failures = new Set((parsed.data.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
  const known = new Set(messages.map(({ MessageId }) => MessageId));
  if ([...failures].some((id) => !known.has(id))) return [];
  return messages.filter(({ MessageId }) => !failures.has(MessageId));
}
