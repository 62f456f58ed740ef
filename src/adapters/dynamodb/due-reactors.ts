import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { repairReactor } from '../../core/reactors/repair-reactor.ts';
import type { RepairFunctionDeps } from '../../core/reactors/change-function.ts';
import { sweepInvocation, type SweepInvocationDeps } from '../../core/reactors/sweep-invocation.ts';
import type { DueWork } from '../../core/sweep/sweep.ts';
import { dueEntries } from './due-index.ts';
import {
  DUE_PARTITIONS,
  INDEXES,
  PARKED_PARTITION,
  parseInvocationKey,
  parseReactorKey,
  RETRIED_PARTITION,
} from './keys.ts';
import { send, type Table } from './table-client.ts';

/** Repairs reactors whose function change was interrupted, or that have unused versions. */
export function dueReactors(reactors: Table, deps: RepairFunctionDeps): DueWork {
  return {
    name: 'reactors',
    async *due(now) {
      for await (const entries of dueEntries(reactors, now)) {
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

const INVOCATION_PARTITIONS = [...DUE_PARTITIONS, RETRIED_PARTITION, PARKED_PARTITION];

/**
 * Processes invocations that need the sweep: lost messages, dead workers and senders, due
 * deliveries, and those past their end.
 */
export function dueInvocations(reactors: Table, deps: SweepInvocationDeps): DueWork {
  return {
    name: 'invocations',
    async *due(now) {
      for await (const entries of dueEntries(reactors, now, INVOCATION_PARTITIONS)) {
        yield entries.flatMap(({ key, dueAt }) => {
          const found = parseInvocationKey(key);
          return found === undefined ? [] : [{ dueAt, act: () => sweepInvocation(deps, found) }];
        });
      }
    },
  };
}

/** Counts parked deliveries, up to one page. The alarm needs no larger number. */
export async function countParked({ client, platform, name }: Table): Promise<number> {
  const command = new QueryCommand({
    TableName: name,
    IndexName: INDEXES.due,
    KeyConditionExpression: 'duePk = :partition',
    ExpressionAttributeValues: { ':partition': PARKED_PARTITION },
    Select: 'COUNT',
  });
  return (await send(platform, () => client.send(command))).Count ?? 0;
}
