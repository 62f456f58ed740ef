import { z } from 'zod';
import type { AwsCall } from '../aws-service.ts';

const message = z.looseObject({ DelaySeconds: z.number().default(0) });

/** SQS cannot delay a message for longer. */
const LONGEST_SECONDS = 900;

/** Changes a SendMessage so that the message arrives later. SQS counts whole seconds. */
export function delayedMessage(call: AwsCall, drawMs: () => number): AwsCall {
  const sent = message.parse(JSON.parse(call.body.toString('utf8')));
  const DelaySeconds = Math.min(LONGEST_SECONDS, sent.DelaySeconds + Math.round(drawMs() / 1000));
  return { ...call, body: Buffer.from(JSON.stringify({ ...sent, DelaySeconds })) };
}
