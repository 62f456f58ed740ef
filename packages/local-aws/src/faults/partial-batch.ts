import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type { AwsCall, AwsResponse } from '../aws-service.ts';
import { parseStatement } from '../dynamodb/partiql.ts';

const keys = z.looseObject({ Keys: z.array(z.unknown()) });
const read = z.looseObject({ RequestItems: z.record(z.string(), keys) });
const write = z.looseObject({ RequestItems: z.record(z.string(), z.array(z.unknown())) });
const execute = z.looseObject({ Statements: z.array(z.looseObject({ Statement: z.string() })) });
const executed = z.looseObject({ Responses: z.array(z.unknown()) });

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

function partial(call: AwsCall, kept: object, told: (answered: object) => object): PartialBatch {
  return {
    call: { ...call, body: Buffer.from(JSON.stringify(kept)) },
    answer: (response) => {
      if (response.status !== 200) return response;
      const body = JSON.stringify(told(JSON.parse(response.body.toString()) as object));
      return { ...response, body, headers: { ...response.headers, 'x-amz-crc32': String(crc32(body)) } };
    },
  };
}

/** What is left out is told in a member of its own. */
function apart(call: AwsCall, kept: object, left: object, member: string): PartialBatch {
  return partial(call, kept, (answered) => ({ ...answered, [member]: left }));
}

/** A statement that is left out has its failure in its own place. */
function partialStatements(call: AwsCall, body: unknown, isLeftOut: () => boolean): PartialBatch {
  const { Statements, ...rest } = execute.parse(body);
  const { kept, left } = divide(Statements, true, isLeftOut);
  return partial(call, { ...rest, Statements: kept }, (answered) => {
    const responses = executed.parse(answered).Responses[Symbol.iterator]();
    const Responses = Statements.map((statement) =>
      left.includes(statement) ? throttledStatement(statement.Statement) : responses.next().value,
    );
    return { ...answered, Responses };
  });
}

function throttledStatement(text: string): object {
  return {
    Error: { Code: 'ThrottlingError', Message: 'Throughput exceeds the current capacity.' },
    TableName: parseStatement(text).tableName,
  };
}

export const PARTIAL_ACTIONS: readonly string[] = ['BatchExecuteStatement', 'BatchGetItem', 'BatchWriteItem'];

/**
 * Leaves out some parts of one of {@link PARTIAL_ACTIONS}, as DynamoDB does when a part of a table
 * is busy.
 */
export function partialBatch(call: AwsCall, action: string, isLeftOut: () => boolean): PartialBatch {
  const body: unknown = JSON.parse(call.body.toString('utf8'));
  if (action === 'BatchExecuteStatement') return partialStatements(call, body, isLeftOut);
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
    return apart(call, { ...rest, RequestItems: of('kept') }, of('left'), 'UnprocessedKeys');
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
  return apart(call, { ...rest, RequestItems: of('kept') }, of('left'), 'UnprocessedItems');
}
