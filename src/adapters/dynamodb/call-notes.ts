import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { StoredReactor } from '../../core/reactors/reactor.ts';
import { dueOf } from '../../core/reactors/repair-reactor.ts';
import { sortableTime } from '../../core/shared/position.ts';
import { conditionalWrite } from './conditional-write.ts';
import { reactorKey, WAITING_PARTITION } from './keys.ts';
import type { Item, Table } from './table-client.ts';

/**
 * The place of a reactor in the queue for running instances. It ends with their number if that is
 * its own, so that reading the queue shows how many each waits for.
 */
export const waitingSince = (ms: number, warmConcurrency: number | undefined) => ({
  duePk: WAITING_PARTITION,
  dueSk: `${sortableTime(ms)}${warmConcurrency === undefined ? '' : `#${String(warmConcurrency)}`}`,
});

/** Reads the number from such a place. */
export function warmConcurrencyIn(dueSk: string): number | undefined {
  const number = /#(\d+)$/.exec(dueSk)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** The attributes that a call changes, and the conditions under which it does. */
function noteOf(reactor: StoredReactor, day: string, now: number) {
  const isFirst = 'attribute_exists(pk) AND (attribute_not_exists(calledOn) OR calledOn < :calledOn)';
  const isNoWaiter = reactor.heat !== undefined || reactor.warmConcurrency === 0;
  if (isNoWaiter) return { set: { calledOn: day }, conditions: [isFirst] };
  const waits = { calledOn: day, heat: { state: 'waiting', since: now } };
  const conditions = [isFirst, 'attribute_not_exists(heat)'];
  // A reactor with something due enters the queue afterwards.
  if (dueOf(reactor) !== undefined) return { set: waits, conditions };
  const set = { ...waits, ...waitingSince(now, reactor.warmConcurrency) };
  return { set, conditions: [...conditions, 'attribute_not_exists(duePk)'] };
}

/**
 * Notes a call of a reactor in four attributes of its record, which are all that the right of a
 * function to do so names (`lib/grants.ts`). A record that has changed meanwhile is noted by the
 * next call.
 */
export async function noteCall(table: Table, reactor: StoredReactor, day: string): Promise<void> {
  const { set, conditions } = noteOf(reactor, day, table.platform.clock());
  const members: Item = set;
  const command = new UpdateCommand({
    TableName: table.name,
    Key: reactorKey(reactor.tenantId, reactor.id),
    UpdateExpression: `SET ${Object.keys(members)
      .map((member) => `${member} = :${member}`)
      .join(', ')}`,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries(members).map(([member, value]) => [`:${member}`, value]),
    ),
  });
  await conditionalWrite(table, command);
}
