import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { ApplicationGrantsStore } from '../../core/applications/application-store.ts';
import type { CredentialStore } from '../../core/access/credential-store.ts';
import type { InvocationCredentialStore } from '../../core/reactors/invocation-credential.ts';
import { getItem } from './batch-get.ts';
import { invocationCredentialKey } from './keys.ts';
import { binary, send, type Table } from './table-client.ts';
import { dueAt, timeToLive } from './token-item.ts';

const credentialItem = z.lazy(() =>
  z.object({
    keyHash: binary,
    tenantId: z.string(),
    applicationId: z.string(),
    expiresAtMs: z.number(),
  }),
);

/**
 * Credentials of invocations in the Ephemeral table. Each leads to an application, whose grants are
 * read for every request.
 */
export function createInvocationCredentialStore(
  table: Table,
  applications: ApplicationGrantsStore,
): InvocationCredentialStore & CredentialStore {
  const { client, platform, name } = table;
  return {
    async create(credential) {
      const { keyHash, expiresAtMs } = credential;
      const item = {
        ...invocationCredentialKey(keyHash),
        ...credential,
        ttl: timeToLive(expiresAtMs),
        ...dueAt(keyHash.toString('base64url'), expiresAtMs),
      };
      const command = new PutCommand({ TableName: name, Item: item });
      await send(platform, () => client.send(command));
    },

    async remove(keyHash) {
      const command = new DeleteCommand({
        TableName: name,
        Key: invocationCredentialKey(keyHash),
      });
      await send(platform, () => client.send(command));
    },

    async findByKeyHash(keyHash) {
      const item = await getItem(table, invocationCredentialKey(keyHash));
      if (item === undefined) return undefined;
      const { tenantId, applicationId, expiresAtMs, keyHash: stored } = credentialItem.parse(item);
      const [application] = await applications.grants(tenantId, [applicationId]);
      if (application === undefined) return undefined;
      const { type, permissions, rules } = application;
      return {
        keyHash: stored,
        expiresAtMs: Math.min(expiresAtMs, application.expiresAtMs ?? expiresAtMs),
        caller: {
          tenantId,
          applicationId,
          // The credential has an id of its own, so that its idempotency keys are separate from
          // those of the application.
          credentialId: `invocation:${stored.toString('base64url')}`,
          type,
          permissions,
          rules,
          actsBy: 'invocation',
        },
      };
    },
  };
}
