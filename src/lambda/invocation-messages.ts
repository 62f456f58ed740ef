import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import type { InvocationId } from '../core/reactors/invocation-store.ts';
import { parseJson } from '../core/shared/parse-json.ts';
import { partialBatch } from './partial-batch.ts';
import { causesOf, type LogFields, type WriteLog } from './request-log.ts';

const message = z.lazy(() => z.object({ tenant_id: z.string(), invocation_id: z.string() }));

/** The log has these of a handled message in addition to its ids. */
export interface HandledMessage {
  readonly level: 'info' | 'warn';
  readonly fields: LogFields;
}

/**
 * The handler of a queue of invocations. SQS delivers a failed message again after its visibility
 * timeout. The state of the invocation decides what happens (docs/decisions/0009).
 */
export function invocationMessages(
  writeLog: WriteLog,
  operation: string,
  handle: (id: InvocationId) => Promise<HandledMessage | undefined>,
): (event: SQSEvent) => Promise<SQSBatchResponse> {
  async function handleRecord({ body }: SQSRecord): Promise<void> {
    const started = performance.now();
    const finish = (level: Parameters<WriteLog>[0], more: LogFields) => {
      writeLog(level, { operation, milliseconds: Math.round(performance.now() - started), ...more });
    };
    try {
      const { tenant_id: tenantId, invocation_id: id } = message.parse(parseJson(body));
      const handled = await handle({ tenantId, id });
      finish(handled?.level ?? 'info', { tenantId, invocationId: id, ...handled?.fields });
    } catch (error) {
      finish('error', { cause: causesOf(error) });
      throw error;
    }
  }

  const chain = middy<SQSEvent>({ timeoutEarlyInMillis: 0 })
    .use(partialBatch())
    .handler(({ Records }: SQSEvent) => Promise.allSettled(Records.map(handleRecord)));
  // No step reads Lambda's context, so an empty one is enough.
  return (event) => chain(event, {} as Context);
}
