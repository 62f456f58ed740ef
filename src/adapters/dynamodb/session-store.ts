import * as z from 'zod/mini';
import type { ApplicationGrantsStore } from '../../core/applications/application-store.ts';
import type { Credential, CredentialStore } from '../../core/access/credential-store.ts';
import { narrowGrants } from '../../core/access/delegation.ts';
import type { Grantor } from '../../core/access/caller.ts';
import type { SessionStore } from '../../core/access/session.ts';
import { getItem } from './batch-get.ts';
import { grantsShape } from './grants-shape.ts';
import { nonceKey, sessionKey } from './keys.ts';
import { sendTransaction, transact } from './transact.ts';
import { binary, type Table, type TransactWriteItem } from './table-client.ts';
import { dueAt, timeToLive } from './token-item.ts';

/** The application that made a session, and the id of its key. */
const madeBy = () => ({ createdBy: z.string(), makingKey: z.string() });

const sessionItem = z.lazy(() =>
  z.object({
    id: z.string(),
    tenantId: z.string(),
    ...madeBy(),
    keyHash: binary,
    expiresAtMs: z.number(),
    authorizedBy: z.optional(z.string()),
    authorizingKey: z.optional(z.string()),
    permissions: z._default(grantsShape().permissions, []),
    rules: z._default(grantsShape().rules, []),
  }),
);

const nonceItem = z.lazy(() =>
  z.object({
    id: z.string(),
    ...madeBy(),
    keyHash: binary,
    expiresAtMs: z.number(),
    used: z._default(z.boolean(), false),
  }),
);

/**
 * Puts the end of an item into the due index for the sweep, and into DynamoDB's own expiry as the
 * backstop.
 */
const vanishing = (id: string, at: number) => ({ ttl: timeToLive(at), ...dueAt(id, at) });

/**
 * The grants of the applications if each still has the key by which it acted, and the first end of
 * applications and keys; `undefined` if not.
 */
async function stillBehind(
  applications: ApplicationGrantsStore,
  tenantId: string,
  grantors: readonly Grantor[],
) {
  const found = await applications.grants(
    tenantId,
    grantors.map(({ applicationId }) => applicationId),
  );
  const keys = grantors.map(({ applicationId, keyId }) =>
    found.find(({ id }) => id === applicationId)?.keys.find(({ id }) => id === keyId),
  );
  if (!keys.every((key) => key !== undefined)) return undefined;
  return {
    found,
    endsAtMs: Math.min(...[...found, ...keys].map(({ expiresAtMs = Infinity }) => expiresAtMs)),
  };
}

/** Uses up a nonce, and gives its session the grants. */
function authorization(
  name: string,
  { tenantId, nonceHash, keyHash }: Parameters<SessionStore['authorize']>[0],
  grants: Parameters<SessionStore['authorize']>[1],
): TransactWriteItem[] {
  const { authorizedBy, permissions, rules, expiresAtMs } = grants;
  const { ttl, dueSk } = { ...dueAt('', expiresAtMs), ttl: timeToLive(expiresAtMs) };
  return [
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
        Key: sessionKey(keyHash),
        UpdateExpression:
          'SET authorizedBy = :by, authorizingKey = :key, #permissions = :permissions, #rules = :rules, expiresAtMs = :expiresAtMs, #ttl = :ttl, dueSk = :dueSk',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(authorizedBy)',
        ExpressionAttributeNames: { '#permissions': 'permissions', '#rules': 'rules', '#ttl': 'ttl' },
        ExpressionAttributeValues: {
          ':by': authorizedBy.applicationId,
          ':key': authorizedBy.keyId,
          ':permissions': permissions,
          ':rules': rules,
          ':expiresAtMs': expiresAtMs,
          ':ttl': ttl,
          ':dueSk': dueSk,
        },
      },
    },
  ];
}

/**
 * Sessions and nonces in the Ephemeral table. A session acts for two applications, and ends with
 * either of them and with the key of each (docs/decisions/0045-end-a-session-with-its-keys.md).
 */
export function createSessionStore(
  table: Table,
  applications: ApplicationGrantsStore,
): SessionStore & CredentialStore {
  const { name } = table;

  return {
    async create({ id, tenantId, createdBy, keyHash, nonceHash, expiresAtMs }) {
      const { applicationId, keyId: makingKey } = createdBy;
      const both = { id, createdBy: applicationId, makingKey, keyHash, expiresAtMs };
      const items = [
        { ...sessionKey(keyHash), tenantId, ...both, ...vanishing(id, expiresAtMs) },
        { ...nonceKey(tenantId, nonceHash), ...both, ...vanishing(id, expiresAtMs) },
      ];
      const puts = items.map((item) => ({
        Put: { TableName: name, Item: item, ConditionExpression: 'attribute_not_exists(pk)' },
      }));
      await sendTransaction(table, puts);
    },

    async findNonce(tenantId, nonceHash) {
      const item = await getItem(table, nonceKey(tenantId, nonceHash));
      if (item === undefined) return undefined;
      const { id, createdBy, makingKey, keyHash, expiresAtMs, used } = nonceItem.parse(item);
      const behind = await stillBehind(applications, tenantId, [
        { applicationId: createdBy, keyId: makingKey },
      ]);
      if (behind === undefined) return undefined;
      const ends = Math.min(expiresAtMs, behind.endsAtMs);
      return { tenantId, nonceHash, sessionId: id, keyHash, expiresAtMs: ends, isUsed: used };
    },

    authorize(nonce, grants) {
      return transact(table, authorization(name, nonce, grants));
    },

    async findByKeyHash(keyHash): Promise<Credential | undefined> {
      const item = await getItem(table, sessionKey(keyHash));
      if (item === undefined) return undefined;
      const session = sessionItem.parse(item);
      const { id, tenantId, createdBy, makingKey, permissions, rules, expiresAtMs } = session;
      const { authorizedBy = createdBy, authorizingKey = makingKey } = session;
      // The applications are read for their grants anyway, and their copies name the current keys.
      const sessionKeys = [
        { applicationId: createdBy, keyId: makingKey },
        { applicationId: authorizedBy, keyId: authorizingKey },
      ];
      const behind = await stillBehind(applications, tenantId, sessionKeys);
      if (behind === undefined) return undefined;
      return {
        keyHash: session.keyHash,
        caller: {
          tenantId,
          credentialId: id,
          applicationId: authorizedBy,
          type: 'session',
          actsBy: 'session',
          sessionKeys,
          ...(session.authorizedBy === undefined && { isUnauthorized: true }),
          ...narrowGrants(
            behind.found.find((application) => application.id === authorizedBy),
            { permissions, rules },
          ),
        },
        expiresAtMs: Math.min(expiresAtMs, behind.endsAtMs),
      };
    },
  };
}
