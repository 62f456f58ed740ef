import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../core/shared/clock.ts';
import { rotateIfDue, type RotateDataKeyDeps } from '../../core/tenants/rotate-data-key.ts';
import type { DueWork } from '../../core/sweep/sweep.ts';
import { readApplicationItem } from './application-item.ts';
import { createApplicationStore } from './application-store.ts';
import { dueEntries } from './due-index.ts';
import { getItem } from './get-all.ts';
import { isTenantKey, type ItemKey } from './keys.ts';
import type { Table } from './table-client.ts';
import { writeIf } from './write-if.ts';

/** Applications that have expired, with their keys. */
export function dueApplications(access: Table, clock: Clock): DueWork {
  const store = createApplicationStore(access);

  async function act(key: ItemKey): Promise<void> {
    const item = await getItem(access, key);
    if (item === undefined) return;
    const { application } = readApplicationItem(item);
    if (application.expiresAtMs !== undefined && application.expiresAtMs <= clock())
      await store.delete(application);
  }

  return {
    name: 'applications',
    async *due(now) {
      for await (const entries of dueEntries(access, now))
        yield entries
          .filter(({ key }) => !isTenantKey(key))
          .map(({ key, dueAt }) => ({ dueAt, act: () => act(key) }));
    },
  };
}

/** Tenants whose data key has sealed for long enough. */
export function dueKeyRotations(access: Table, deps: RotateDataKeyDeps): DueWork {
  return {
    name: 'keys',
    async *due(now) {
      for await (const entries of dueEntries(access, now))
        yield entries
          .filter(({ key }) => isTenantKey(key))
          .map(({ key, dueAt }) => ({ dueAt, act: () => rotateIfDue(deps, key.pk) }));
    },
  };
}

/** What stands in the due index of the Ephemeral table and is deleted once it has ended. */
const ENDING = new Set(['session', 'nonce', 'invocation-key']);

/**
 * Sessions and credentials of invocations that have ended, and nonces that nobody may use any more.
 */
export function dueSessions(ephemeral: Table, clock: Clock): DueWork {
  async function act(key: ItemKey): Promise<void> {
    const command = new DeleteCommand({
      TableName: ephemeral.name,
      Key: key,
      // An authorization may have given the session more time meanwhile.
      ConditionExpression: 'expiresAtMs <= :now',
      ExpressionAttributeValues: { ':now': clock() },
    });
    await writeIf(ephemeral.client, command);
  }

  return {
    name: 'sessions',
    async *due(now) {
      for await (const entries of dueEntries(ephemeral, now)) {
        const sessions = entries.filter(({ key }) => ENDING.has(key.sk));
        yield sessions.map(({ key, dueAt }) => ({ dueAt, act: () => act(key) }));
      }
    },
  };
}
