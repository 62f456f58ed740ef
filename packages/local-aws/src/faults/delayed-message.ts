import { z } from 'zod';
import type { AwsCall } from '../aws-service.ts';

const message = z.looseObject({ DelaySeconds: z.number().default(0) });
const single = z.looseObject({ DelaySeconds: z.number().default(0), Entries: z.array(message).optional() });

/** Longest delay of a message (SQS). */
const longestSeconds = 900;

/** A SendMessage or SendMessageBatch whose messages come later, each by a time of its own. SQS counts whole seconds. */
export function delayedMessage(call: AwsCall, drawMs: () => number): AwsCall {
  const later = <T extends { readonly DelaySeconds: number }>(sent: T): T => ({
    ...sent,
    DelaySeconds: Math.min(longestSeconds, sent.DelaySeconds + Math.round(drawMs() / 1000)),
  });
  const { Entries, DelaySeconds, ...rest } = single.parse(JSON.parse(call.body.toString('utf8')));
  const sent =
    Entries === undefined ? later({ ...rest, DelaySeconds }) : { ...rest, Entries: Entries.map(later) };
  return { ...call, body: Buffer.from(JSON.stringify(sent)) };
}
