import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ScanCommand,
  type AttributeValue,
  type ScanCommandInput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { concurrently } from './concurrently.ts';
import type { RestoreDeps } from './restore-deps.ts';

/** An item in DynamoDB's own format, so that a copy of it is exact. */
export type RawItem = Readonly<Record<string, AttributeValue>>;

/** Segments that one scan reads at the same time. */
const SEGMENTS = 16;
/** Writes that are sent at the same time. */
export const WRITERS = 64;

const BATCH_WRITES = 25;
const BATCH_READS = 100;

/** Reads a table or an index with parallel scans. `onItem` must not wait. */
export async function scanAll(
  { dynamodb }: RestoreDeps,
  input: ScanCommandInput,
  onItem: (item: RawItem) => void,
): Promise<void> {
  const segments = Array.from({ length: SEGMENTS }, (_, segment) => segment);
  await concurrently(segments, SEGMENTS, async (Segment) => {
    let ExclusiveStartKey: ScanCommandInput['ExclusiveStartKey'];
    do {
      const page = await dynamodb.send(
        new ScanCommand({ ...input, Segment, TotalSegments: SEGMENTS, ExclusiveStartKey }),
      );
      for (const item of page.Items ?? []) onItem(item);
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
  });
}

function* chunks<T>(elements: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = [];
  for (const element of elements) {
    chunk.push(element);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/**
 * DynamoDB may leave out elements of a batch. It is repeated so often, after 50 ms, 100 ms, ... 10
 * s.
 */
const ATTEMPTS = 20;

async function backOff({ pause }: RestoreDeps, attempt: number): Promise<void> {
  if (attempt >= ATTEMPTS) throw new Error('DynamoDB is throttling: run the step again');
  await pause(Math.min(10_000, 50 * 2 ** attempt));
}

/** Puts and deletes items in batches. The keys must be different. */
export async function writeAll(
  deps: RestoreDeps,
  table: string,
  writes: Iterable<WriteRequest>,
): Promise<void> {
  await concurrently(chunks(writes, BATCH_WRITES), WRITERS, async (batch) => {
    let left = batch;
    for (let attempt = 0; left.length > 0; attempt += 1) {
      if (attempt > 0) await backOff(deps, attempt);
      const { UnprocessedItems: unprocessed } = await deps.dynamodb.send(
        new BatchWriteItemCommand({ RequestItems: { [table]: left } }),
      );
      left = unprocessed?.[table] ?? [];
    }
  });
}

/** The items with these keys, in no order; missing ones are left out. */
export async function readAll(
  deps: RestoreDeps,
  table: string,
  keys: Iterable<RawItem>,
): Promise<readonly RawItem[]> {
  const found: RawItem[] = [];
  await concurrently(chunks(keys, BATCH_READS), WRITERS, async (batch) => {
    let left = batch;
    for (let attempt = 0; left.length > 0; attempt += 1) {
      if (attempt > 0) await backOff(deps, attempt);
      const { Responses: responses, UnprocessedKeys: unprocessed } = await deps.dynamodb.send(
        new BatchGetItemCommand({ RequestItems: { [table]: { Keys: left, ConsistentRead: true } } }),
      );
      found.push(...(responses?.[table] ?? []));
      left = unprocessed?.[table]?.Keys ?? [];
    }
  });
  return found;
}
