import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type { AwsCall, AwsResponse } from '../aws-service.ts';
import { parseStatement } from '../dynamodb/parse-statement.ts';

const keys = z.looseObject({ Keys: z.array(z.unknown()) });
const read = z.looseObject({ RequestItems: z.record(z.string(), keys) });
const write = z.looseObject({ RequestItems: z.record(z.string(), z.array(z.unknown())) });
const execute = z.looseObject({ Statements: z.array(z.looseObject({ Statement: z.string() })) });
const executed = z.looseObject({ Responses: z.array(z.unknown()) });

/** A batch of which only a part is carried out. */
interface PartialBatch {
  /** Undefined if nothing is left to do. */
  readonly call: AwsCall | undefined;
  /** The response of the call with the omitted part. */
  merge(response: AwsResponse): AwsResponse;
}

/** Whether a part is omitted. `isFirst`: a call without it would do nothing at all. */
export type IsLeftOut = (isFirst: boolean) => boolean;

interface Divided<T> {
  readonly accepted: readonly T[];
  readonly left: readonly T[];
}

function divide<T>(items: readonly T[], isFirst: boolean, isLeftOut: IsLeftOut): Divided<T> {
  const flags = items.map((_item, index) => isLeftOut(isFirst && index === 0));
  return {
    accepted: items.filter((_item, index) => flags[index] !== true),
    left: items.filter((_item, index) => flags[index] === true),
  };
}

function partial(call: AwsCall, accepted: object, present: (answered: object) => object): PartialBatch {
  return {
    call: { ...call, body: Buffer.from(JSON.stringify(accepted)) },
    merge: (response) => {
      if (response.status !== 200) return response;
      const body = JSON.stringify(present(JSON.parse(response.body.toString()) as object));
      return { ...response, body, headers: { ...response.headers, 'x-amz-crc32': String(crc32(body)) } };
    },
  };
}

/** A separate member contains the omitted part. */
function apart(call: AwsCall, accepted: object, left: object, member: string): PartialBatch {
  return partial(call, accepted, (answered) => ({ ...answered, [member]: left }));
}

/** An omitted statement has its failure at its own position. */
function partialStatements(call: AwsCall, body: unknown, isLeftOut: IsLeftOut): PartialBatch {
  const { Statements, ...rest } = execute.parse(body);
  const { accepted, left } = divide(Statements, true, isLeftOut);
  const part = partial(call, { ...rest, Statements: accepted }, (answered) => {
    const responses = executed.parse(answered).Responses[Symbol.iterator]();
    const Responses = Statements.map((statement) =>
      left.includes(statement) ? throttledStatement(statement.Statement) : responses.next().value,
    );
    return { ...answered, Responses };
  });
  return accepted.length === 0 ? { ...part, call: undefined } : part;
}

/** A malformed statement names no table. */
function tableOf(text: string): { readonly TableName?: string } {
  try {
    return { TableName: parseStatement(text).tableName };
  } catch {
    return {};
  }
}

function throttledStatement(text: string): object {
  return {
    Error: { Code: 'ThrottlingError', Message: 'Throughput exceeds the current capacity.' },
    ...tableOf(text),
  };
}

export const PARTIAL_ACTIONS: readonly string[] = ['BatchExecuteStatement', 'BatchGetItem', 'BatchWriteItem'];

function divided(call: AwsCall, action: string, isLeftOut: IsLeftOut): PartialBatch {
  const body: unknown = JSON.parse(call.body.toString('utf8'));
  if (action === 'BatchExecuteStatement') return partialStatements(call, body, isLeftOut);
  if (action === 'BatchGetItem') {
    const { RequestItems, ...rest } = read.parse(body);
    const tables = Object.entries(RequestItems).map(
      ([table, request], index) => [table, request, divide(request.Keys, index === 0, isLeftOut)] as const,
    );
    const of = (part: 'accepted' | 'left') =>
      Object.fromEntries(
        tables
          .filter(([, , divided]) => divided[part].length > 0)
          .map(([table, request, divided]) => [table, { ...request, Keys: divided[part] }]),
      );
    return apart(call, { ...rest, RequestItems: of('accepted') }, of('left'), 'UnprocessedKeys');
  }
  const { RequestItems, ...rest } = write.parse(body);
  const tables = Object.entries(RequestItems).map(
    ([table, requests], index) => [table, divide(requests, index === 0, isLeftOut)] as const,
  );
  const of = (part: 'accepted' | 'left') =>
    Object.fromEntries(
      tables
        .filter(([, divided]) => divided[part].length > 0)
        .map(([table, divided]) => [table, divided[part]]),
    );
  return apart(call, { ...rest, RequestItems: of('accepted') }, of('left'), 'UnprocessedItems');
}

/** A call that carries out nothing gets this response. */
const NOTHING: AwsResponse = {
  status: 200,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: '{"Responses":[]}',
};

/**
 * Omits some parts of one of {@link PARTIAL_ACTIONS}, like DynamoDB when a part of a table is busy.
 * A BatchExecuteStatement can lose all of its statements; the other actions must keep the first
 * part, since DynamoDB throttles the call that does nothing.
 */
export async function partialBatch(
  call: AwsCall,
  action: string,
  isLeftOut: IsLeftOut,
  perform: (call: AwsCall) => Promise<AwsResponse>,
): Promise<AwsResponse> {
  const part = divided(call, action, isLeftOut);
  return part.merge(part.call === undefined ? NOTHING : await perform(part.call));
}
