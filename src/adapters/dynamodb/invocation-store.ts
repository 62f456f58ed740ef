import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { positionOf, type Invocation } from '../../core/reactors/invocation.ts';
import type {
  InvocationContent,
  InvocationId,
  InvocationStore,
} from '../../core/reactors/invocation-store.ts';
import { isUuid } from '../../core/shared/is-uuid.ts';
import { dueEntries, END_OF_TIME } from './due-index.ts';
import { batchGet, getItem } from './batch-get.ts';
import {
  INDEXES,
  invocationContentKey,
  invocationKey,
  PARKED_PARTITION,
  parkedPartition,
  RETRIED_PARTITION,
  type ItemKey,
} from './keys.ts';
import { partKeys, putParts, readParts } from './value-parts.ts';
import { conditionalPut } from './conditional-write.ts';
import { send, type Item, type Table } from './table-client.ts';
import { dueAt, timeToLive } from './token-item.ts';

const invocationItem = z.lazy(() =>
  z.object({
    id: z.string(),
    tenantId: z.string(),
    reactorId: z.string(),
    credentialId: z.string(),
    keys: z.exactOptional(z.array(z.object({ applicationId: z.string(), keyId: z.string() }))),
    state: z.enum(['queued', 'running', 'succeeded', 'failed']),
    createdAt: z.number(),
    runner: z.exactOptional(z.string()),
    sender: z.exactOptional(z.string()),
    runUntil: z.exactOptional(z.number()),
    wasInterrupted: z.exactOptional(z.literal(true)),
    delivery: z.enum(['none', 'unwanted', 'pending', 'delivered', 'parked', 'forbidden']),
    attempts: z.number(),
    lastStatus: z.exactOptional(z.number()),
    lastReason: z.exactOptional(z.string()),
    resentBy: z.exactOptional(z.string()),
    dueAt: z.number(),
    readableUntil: z.number(),
    resultUntil: z.exactOptional(z.number()),
  }),
);

const keyItem = z.lazy(() => z.object({ pk: z.string(), sk: z.string() }));

const contentItem = z.lazy(() => z.object({ partCount: z.number() }));

/** How long after its last due time DynamoDB deletes an invocation if no sweep runs, in ms. */
const BACKSTOP_MS = 30 * 24 * 60 * 60 * 1000;

/** The states of deliveries that the list of their reactor has. */
const LISTED: ReadonlySet<Invocation['delivery']> = new Set(['parked', 'forbidden']);

/**
 * Deliveries after a failed attempt have partitions of their own in the index, so that one query
 * lists them for an operator.
 */
function partitionOf({ delivery, attempts, sender }: Invocation): string | undefined {
  if (delivery === 'parked') return PARKED_PARTITION;
  const failed = sender === undefined ? attempts : attempts - 1;
  return delivery === 'pending' && failed > 0 ? RETRIED_PARTITION : undefined;
}

/** The attributes that put a parked or forbidden delivery into the list of its reactor. */
function parkedIn(invocation: Invocation): Item {
  if (!LISTED.has(invocation.delivery)) return {};
  const { tenantId, reactorId } = invocation;
  return { groupPk: parkedPartition(tenantId, reactorId), groupSk: positionOf(invocation) };
}

function itemOf(invocation: Invocation): Item {
  const duePk = partitionOf(invocation);
  return {
    ...invocationKey(invocation.tenantId, invocation.id),
    ...invocation,
    ttl: timeToLive(invocation.createdAt + BACKSTOP_MS),
    ...dueAt(invocation.id, invocation.dueAt),
    ...(duePk !== undefined && { duePk }),
    ...parkedIn(invocation),
  };
}

/** Parses the item of an invocation. Throws if it is another kind of item. */
export const readInvocationItem = (item: Item): Invocation => invocationItem.parse(item);

/** The members that decide which writer may write next. */
const GUARDS = ['state', 'delivery', 'attempts', 'runner', 'sender', 'dueAt'] as const;

function guard(previous: Invocation) {
  const present = GUARDS.filter((name) => previous[name] !== undefined);
  const absent = GUARDS.filter((name) => previous[name] === undefined);
  return {
    expression: [
      ...present.map((name) => `#${name} = :${name}`),
      ...absent.map((name) => `attribute_not_exists(#${name})`),
    ].join(' AND '),
    names: Object.fromEntries(GUARDS.map((name) => [`#${name}`, name])),
    values: Object.fromEntries(present.map((name) => [`:${name}`, previous[name]])),
  };
}

/** Every position sorts after this text. DynamoDB takes no empty one. */
const BEFORE_ALL = ' ';

/** Reads the parked deliveries of a reactor a page at a time, the oldest first. */
async function* parkedOf(
  reactors: Table,
  { tenantId, reactorId }: Pick<Invocation, 'tenantId' | 'reactorId'>,
  after: string | undefined,
  size: number,
): AsyncGenerator<readonly Invocation[]> {
  const { client, platform, name } = reactors;
  let start: Item | undefined;
  do {
    const command: QueryCommand = new QueryCommand({
      TableName: name,
      IndexName: INDEXES.group,
      KeyConditionExpression: 'groupPk = :partition AND groupSk > :after',
      ExpressionAttributeValues: {
        ':partition': parkedPartition(tenantId, reactorId),
        ':after': after ?? BEFORE_ALL,
      },
      Limit: size,
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    const page = await send(platform, () => client.send(command));
    start = page.LastEvaluatedKey;
    const keys = (page.Items ?? []).map((item) => keyItem.parse(item));
    const invocations = (await batchGet(reactors, keys)).map(readInvocationItem);
    // The index lags, so the items decide.
    yield invocations
      .filter(({ delivery }) => LISTED.has(delivery))
      .toSorted((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1));
  } while (start !== undefined);
}

/**
 * Invocations are in the Reactors table. Their encrypted content is in parts in the Ephemeral
 * table.
 */
export function createInvocationStore(reactors: Table, ephemeral: Table): InvocationStore {
  async function putInvocation(
    next: Invocation,
    condition: Parameters<typeof conditionalPut>[2],
  ): Promise<boolean> {
    const textOf = (invocation: Invocation) =>
      JSON.stringify(invocation, Object.keys(invocationItem._zod.innerType.shape));
    const isSame = (found: Invocation) => textOf(found) === textOf(next);
    return (
      (await conditionalPut(reactors, itemOf(next), condition, { read: readInvocationItem, isSame })) ===
      'written'
    );
  }

  async function removeItem({ client, platform, name }: Table, key: ItemKey): Promise<void> {
    const command = new DeleteCommand({ TableName: name, Key: key });
    await send(platform, () => client.send(command));
  }

  async function removeContent({ tenantId, id }: InvocationId, content: InvocationContent): Promise<void> {
    const key = invocationContentKey(tenantId, id, content);
    const item = await getItem(ephemeral, key);
    if (item === undefined) return;
    const { partCount } = contentItem.parse(item);
    await Promise.all(partKeys(key, partCount).map((part) => removeItem(ephemeral, part)));
    // The item is removed last, so that an interrupted removal finds its parts again.
    await removeItem(ephemeral, key);
  }

  return {
    create: (invocation) => putInvocation(invocation, { expression: 'attribute_not_exists(pk)' }),

    async find({ tenantId, id }) {
      if (!isUuid(id)) return undefined;
      const item = await getItem(reactors, invocationKey(tenantId, id));
      return item && readInvocationItem(item);
    },

    update: (previous, next) => putInvocation(next, guard(previous)),

    async remove(id) {
      await removeContent(id, 'payload');
      await removeContent(id, 'result');
      await removeItem(reactors, invocationKey(id.tenantId, id.id));
    },

    async putContent({ tenantId, id }, content, encrypted, end) {
      const key = invocationContentKey(tenantId, id, content);
      const partCount = await putParts(ephemeral, key, encrypted, end);
      const item = { ...key, partCount, ttl: timeToLive(end.until) };
      const { client, platform, name } = ephemeral;
      await send(platform, () => client.send(new PutCommand({ TableName: name, Item: item })));
    },

    async content({ tenantId, id }, content) {
      const key = invocationContentKey(tenantId, id, content);
      const item = await getItem(ephemeral, key);
      return item && readParts(ephemeral, key, contentItem.parse(item).partCount);
    },

    async *undelivered(state) {
      const partition = state === 'parked' ? PARKED_PARTITION : RETRIED_PARTITION;
      for await (const entries of dueEntries(reactors, END_OF_TIME, [partition])) {
        const items = await batchGet(
          reactors,
          entries.map(({ key }) => key),
        );
        yield items
          .map(readInvocationItem)
          .filter(({ delivery }) => delivery === state)
          .toSorted((a, b) => a.dueAt - b.dueAt);
      }
    },

    parked: (of, after, size) => parkedOf(reactors, of, after, size),

    resend: (parked, pending) => putInvocation(pending, guard(parked)),
  };
}
