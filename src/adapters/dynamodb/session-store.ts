import * as z from 'zod/mini';
import type {
  ApplicationGrantsStore,
  Credential,
  CredentialStore,
} from '../../core/applications/application-store.ts';
import { narrowGrants } from '../../core/access/delegation.ts';
import type { SessionStore } from '../../core/access/session.ts';
import { getItem } from './batch-get.ts';
import { grantsShape } from './grants-shape.ts';
import { nonceKey, sessionKey, type ItemKey } from './keys.ts';
import { sendTransaction, transact } from './transact.ts';
import { binary, type Table } from './table-client.ts';
import { dueAt, timeToLive } from './token-item.ts';

const sessionItem = z.lazy(() =>
  z.object({
    id: z.string(),
    tenantId: z.string(),
    createdBy: z.string(),
    keyHash: binary,
    expiresAtMs: z.number(),
    authorizedBy: z.optional(z.string()),
    permissions: z._default(grantsShape().permissions, []),
    rules: z._default(grantsShape().rules, []),
  }),
);

const nonceItem = z.lazy(() =>
  z.object({
    keyHash: binary,
    expiresAtMs: z.number(),
    used: z._default(z.boolean(), false),
  }),
);

/**
 * When an item ends: in the due index for the sweep, and for DynamoDB's own expiry as the backstop.
 */
const vanishing = (id: string, at: number) => ({ ttl: timeToLive(at), ...dueAt(id, at) });

/**
 * Sessions and nonces in the Ephemeral table. A session acts for two applications, and ends with
 * either of them.
 */
export function createSessionStore(
  table: Table,
  applications: ApplicationGrantsStore,
): SessionStore & CredentialStore {
  const { client, name } = table;

  async function read(key: ItemKey) {
    const item = await getItem(table, key);
    return item === undefined ? undefined : item;
  }

  async function findNonce(tenantId: string, nonceHash: Buffer) {
    const item = await read(nonceKey(tenantId, nonceHash));
    return item === undefined ? undefined : nonceItem.parse(item);
  }

  return {
    async create({ nonceHash, ...session }) {
      const { id, tenantId, keyHash, expiresAtMs } = session;
      const items = [
        { ...sessionKey(keyHash), ...session, ...vanishing(id, expiresAtMs) },
        { ...nonceKey(tenantId, nonceHash), keyHash, expiresAtMs, ...vanishing(id, expiresAtMs) },
      ];
      const puts = items.map((item) => ({
        Put: { TableName: name, Item: item, ConditionExpression: 'attribute_not_exists(pk)' },
      }));
      await sendTransaction(client, puts);
    },

    async findNonce(tenantId, nonceHash) {
      const nonce = await findNonce(tenantId, nonceHash);
      return nonce && { expiresAtMs: nonce.expiresAtMs, isUsed: nonce.used };
    },

    async authorize(tenantId, nonceHash, grants) {
      const nonce = await findNonce(tenantId, nonceHash);
      if (nonce === undefined || nonce.used) return false;
      const { authorizedBy, permissions, rules, expiresAtMs } = grants;
      const { ttl, dueSk } = { ...dueAt('', expiresAtMs), ttl: timeToLive(expiresAtMs) };
      return transact(client, [
        {
          Update: {
            TableName: name,
            Key: nonceKey(tenantId, nonceHash),
            UpdateExpression: 'SET used = :yes',
            ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(used)',
            ExpressionAttributeValues: { ':yes': true },
          },
        },
        {
          Update: {
            TableName: name,
            Key: sessionKey(nonce.keyHash),
            UpdateExpression:
              'SET authorizedBy = :by, #permissions = :permissions, #rules = :rules, expiresAtMs = :expiresAtMs, #ttl = :ttl, dueSk = :dueSk',
            ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(authorizedBy)',
            ExpressionAttributeNames: { '#permissions': 'permissions', '#rules': 'rules', '#ttl': 'ttl' },
            ExpressionAttributeValues: {
              ':by': authorizedBy,
              ':permissions': permissions,
              ':rules': rules,
              ':expiresAtMs': expiresAtMs,
              ':ttl': ttl,
              ':dueSk': dueSk,
            },
          },
        },
      ]);
    },

    async findByKeyHash(keyHash): Promise<Credential | undefined> {
      const item = await read(sessionKey(keyHash));
      if (item === undefined) return undefined;
      const session = sessionItem.parse(item);
      const { id, tenantId, createdBy, authorizedBy = createdBy, permissions, rules, expiresAtMs } = session;
      // A deleted application authenticates nothing, and neither does an expired one.
      const behind = await applications.grants(tenantId, [createdBy, authorizedBy]);
      if (behind.length < new Set([createdBy, authorizedBy]).size) return undefined;
      const ends = [expiresAtMs, ...behind.map((application) => application.expiresAtMs ?? expiresAtMs)];
      return {
        keyHash: session.keyHash,
        caller: {
          tenantId,
          credentialId: id,
          applicationId: authorizedBy,
          type: 'session',
          actsBy: 'session',
          ...narrowGrants(
            behind.find((application) => application.id === authorizedBy),
            { permissions, rules },
          ),
        },
        expiresAtMs: Math.min(...ends),
        isUnauthorized: session.authorizedBy === undefined,
      };
    },
  };
}
