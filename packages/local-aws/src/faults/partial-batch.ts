import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type { AwsCall, AwsResponse } from '../aws-service.ts';

const keys = z.looseObject({ Keys: z.array(z.unknown()) });
const read = z.looseObject({ RequestItems: z.record(z.string(), keys) });
const write = z.looseObject({ RequestItems: z.record(z.string(), z.array(z.unknown())) });

/** A batch of which a part is carried out, and what is told of the rest. */
export interface PartialBatch {
  readonly call: AwsCall;
  /** The answer of the call with what was left out. */
  answer(response: AwsResponse): AwsResponse;
}

interface Divided<T> {
  readonly kept: readonly T[];
  readonly left: readonly T[];
}

/** The first always goes through: a call that does nothing at all is a throttled one. */
function divide<T>(items: readonly T[], isFirst: boolean, isLeftOut: () => boolean): Divided<T> {
  const flags = items.map((_item, index) => !(isFirst && index === 0) && isLeftOut());
  return {
    kept: items.filter((_item, index) => flags[index] !== true),
    left: items.filter((_item, index) => flags[index] === true),
  };
}

function partial(call: AwsCall, kept: object, left: object, member: string): PartialBatch {
  return {
    call: { ...call, body: Buffer.from(JSON.stringify(kept)) },
    answer: (response) => {
      if (response.status !== 200) return response;
      const answered = JSON.parse(response.body.toString()) as object;
      const body = JSON.stringify({ ...answered, [member]: left });
      return { ...response, body, headers: { ...response.headers, 'x-amz-crc32': String(crc32(body)) } };
    },
  };
}

/**
 * Leaves out some items of a BatchGetItem or BatchWriteItem, as DynamoDB does when a part of a
 * table is busy.
 */
export function partialBatch(call: AwsCall, action: string, isLeftOut: () => boolean): PartialBatch {
  const body: unknown = JSON.parse(call.body.toString('utf8'));
  if (action === 'BatchGetItem') {
    const { RequestItems, ...rest } = read.parse(body);
    const tables = Object.entries(RequestItems).map(
      ([table, request], index) => [table, request, divide(request.Keys, index === 0, isLeftOut)] as const,
    );
    const of = (part: 'kept' | 'left') =>
      Object.fromEntries(
        tables
          .filter(([, , divided]) => divided[part].length > 0)
          .map(([table, request, divided]) => [table, { ...request, Keys: divided[part] }]),
      );
    return partial(call, { ...rest, RequestItems: of('kept') }, of('left'), 'UnprocessedKeys');
  }
  const { RequestItems, ...rest } = write.parse(body);
  const tables = Object.entries(RequestItems).map(
    ([table, requests], index) => [table, divide(requests, index === 0, isLeftOut)] as const,
  );
  const of = (part: 'kept' | 'left') =>
    Object.fromEntries(
      tables
        .filter(([, divided]) => divided[part].length > 0)
        .map(([table, divided]) => [table, divided[part]]),
    );
  return partial(call, { ...rest, RequestItems: of('kept') }, of('left'), 'UnprocessedItems');
}
