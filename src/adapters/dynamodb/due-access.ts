import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../core/shared/clock.ts';
import { rotateIfDue, type RotateDataKeyDeps } from '../../core/operator/rotate-data-key.ts';
import type { DueWork } from '../../core/sweep/sweep.ts';
import { readApplicationItem } from './application-item.ts';
import { createApplicationStore } from './application-store.ts';
import { dueEntries } from './due-index.ts';
import { getItem } from './batch-get.ts';
import { isTenantKey, type ItemKey } from './keys.ts';
import type { Table } from './table-client.ts';
import { conditionalWrite } from './conditional-write.ts';

/** Deletes applications that have expired, with their keys. */
export function dueApplications(access: Table, clock: Clock): DueWork {
  const store = createApplicationStore(access);

  async function act(key: ItemKey): Promise<void> {
    const item = await getItem(access, key);
    if (item === undefined) return;
    const application = readApplicationItem(item);
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

/** Rotates the data keys of tenants that are due. */
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

/** Kinds of records in the due index of the Ephemeral table that are deleted after their end. */
const ENDING = new Set(['session', 'nonce', 'invocation-key']);

/**
 * Deletes sessions and invocation credentials that have ended, and nonces that are no longer valid.
 */
export function dueSessions(ephemeral: Table, clock: Clock): DueWork {
  async function act(key: ItemKey): Promise<void> {
    const command = new DeleteCommand({
      TableName: ephemeral.name,
      Key: key,
      // An authorization may have extended the session in the meantime.
      ConditionExpression: 'expiresAtMs <= :now',
      ExpressionAttributeValues: { ':now': clock() },
    });
    await conditionalWrite(ephemeral, command);
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
