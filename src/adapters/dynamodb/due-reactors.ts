import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { repairReactor } from '../../core/reactors/repair-reactor.ts';
import type { RepairFunctionDeps } from '../../core/reactors/change-function.ts';
import { sweepInvocation, type SweepInvocationDeps } from '../../core/reactors/sweep-invocation.ts';
import type { DueWork } from '../../core/sweep/sweep.ts';
import { dueEntries } from './due-index.ts';
import {
  COLD_PARTITION,
  DUE_PARTITIONS,
  INDEXES,
  PARKED_PARTITION,
  parseInvocationKey,
  parseReactorKey,
} from './keys.ts';
import { send, type Table } from './table-client.ts';

/**
 * Reactors whose function was left in the middle of a change, has versions that nothing refers to,
 * or is cold against the deployment's wish.
 */
export function dueReactors(reactors: Table, deps: RepairFunctionDeps): DueWork {
  return {
    name: 'reactors',
    async *due(now) {
      for await (const entries of dueEntries(reactors, now, [...DUE_PARTITIONS, COLD_PARTITION])) {
        yield entries.flatMap(({ key, dueAt }) => {
          const found = parseReactorKey(key);
          return found === undefined
            ? []
            : [{ dueAt, act: () => repairReactor(deps, found.tenantId, found.id) }];
        });
      }
    },
  };
}

/**
 * Invocations that somebody must look at: lost messages, dead workers and senders, deliveries that
 * are due, and what is too old.
 */
export function dueInvocations(reactors: Table, deps: SweepInvocationDeps): DueWork {
  return {
    name: 'invocations',
    async *due(now) {
      for await (const entries of dueEntries(reactors, now, [...DUE_PARTITIONS, PARKED_PARTITION])) {
        yield entries.flatMap(({ key, dueAt }) => {
          const found = parseInvocationKey(key);
          return found === undefined ? [] : [{ dueAt, act: () => sweepInvocation(deps, found) }];
        });
      }
    },
  };
}

/** How many deliveries are parked. */
export const countParked = (reactors: Table) => countIn(reactors, PARKED_PARTITION);

/** How many reactors the account's quota has left cold. */
export const countCold = (reactors: Table) => countIn(reactors, COLD_PARTITION);

/**
 * Counts by a page of a partition that holds nothing else; a pile larger than one page is large
 * enough.
 */
async function countIn({ client, name }: Table, partition: string): Promise<number> {
  const command = new QueryCommand({
    TableName: name,
    IndexName: INDEXES.due,
    KeyConditionExpression: 'duePk = :partition',
    ExpressionAttributeValues: { ':partition': partition },
    Select: 'COUNT',
  });
  return (await send(() => client.send(command))).Count ?? 0;
}
