import { randomBytes, randomUUID } from 'node:crypto';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { createInvocationStore } from '../../../src/adapters/dynamodb/invocation-store.ts';
import { nonceKey, sessionKey } from '../../../src/adapters/dynamodb/keys.ts';
import { dueAt } from '../../../src/adapters/dynamodb/token-item.ts';
import { tokenWrites } from '../../../src/adapters/dynamodb/token-writes.ts';
import type { DueWorkName } from '../../../src/core/sweep/sweep.ts';
import { aCvc, aStoredToken, TENANT } from '../../../test/support/builders/a-stored-token.ts';
import type { Database } from '../../../test/support/a-database.ts';
import { fill, putAll } from '../growth/fill.ts';

/** Puts records of a kind into the tables, due for at least a second. */
type Plant = (database: Database, count: number) => Promise<void>;

const AT_ONCE = 50;

function* times<T>(count: number, make: () => T): Generator<T> {
  for (let index = 0; index < count; index += 1) yield make();
}

const justNow = () => Date.now() - 1_000;
const expiration = () => ({ at: justNow(), offsetMinutes: 0 });

async function eachOf(count: number, plant: () => Promise<unknown>): Promise<void> {
  for (let left = count; left > 0; left -= AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, plant));
}

const cvcs: Plant = async (database, count) => {
  const tables = database.tables();
  const writes = tokenWrites(tables);
  const items = times(count, () => writes.cvc(aStoredToken(), aCvc(justNow())).Put?.Item ?? {});
  await putAll(tables.client, tables.ephemeralTable, items);
};

const plainTokens: Plant = (database, count) =>
  fill(
    database.tables(),
    times(count, () => aStoredToken({ expiration: expiration() })),
  );

/**
 * Each token has two terms and a cvc that is not due yet, so that the token's own removal deletes
 * it.
 */
const fullTokens: Plant = async (database, count) => {
  const tables = database.tables();
  const until = Date.now() + 3_600_000;
  const terms = () => [randomUUID(), randomUUID()];
  const tokens = Array.from({ length: count }, () =>
    aStoredToken({ type: 'card', expiration: expiration(), cvcUntil: until, terms: terms() }),
  );
  const writes = tokenWrites(tables);
  await fill(tables, tokens);
  await putAll(
    tables.client,
    tables.ephemeralTable,
    tokens.map((token) => writes.cvc(token, aCvc(until)).Put?.Item ?? {}),
  );
};

const sessions: Plant = async (database, count) => {
  const { client, name } = database.table('Ephemeral');
  let isNonce = false;
  const items = times(count, () => {
    isNonce = !isNonce;
    const hash = randomBytes(32);
    const expiresAtMs = justNow();
    const key = isNonce ? nonceKey(TENANT, hash) : sessionKey(hash);
    return { ...key, keyHash: hash, expiresAtMs, ...dueAt(randomUUID(), expiresAtMs) };
  });
  await putAll(client, name, items);
};

const applications: Plant = async (database, count) => {
  const store = createApplicationStore(database.table('Access'));
  await eachOf(count, () => {
    const application = {
      tenantId: TENANT,
      id: randomUUID(),
      name: 'expired',
      type: 'private' as const,
      permissions: [],
      rules: [],
      createdBy: randomUUID(),
      createdAt: 1,
      keys: [
        {
          id: randomUUID(),
          hash: randomBytes(32),
          hint: 'x7Qp',
          createdAt: 1,
          revision: 1,
          sourceAddresses: [],
        },
      ],
      revision: 1,
      version: 1,
    };
    return store.create({ ...application, expiresAtMs: justNow() });
  });
};

/** Delivered and no longer readable; their contents were deleted before. */
const invocations: Plant = async (database, count) => {
  const store = createInvocationStore(database.table('Reactors'), database.table('Ephemeral'));
  await eachOf(count, () => {
    const ids = { id: randomUUID(), tenantId: TENANT, reactorId: randomUUID(), credentialId: randomUUID() };
    const state = { state: 'succeeded', delivery: 'delivered', attempts: 1 } as const;
    return store.create({ ...ids, ...state, createdAt: 1, dueAt: justNow(), readableUntil: justNow() });
  });
};

/** A kind of record that can be due in numbers, and the work that removes it. */
export interface DueKind {
  readonly work: DueWorkName;
  readonly plant: Plant;
}

export const DUE_KINDS = {
  cvc: { work: 'cvc', plant: cvcs },
  'expired token': { work: 'tokens', plant: plainTokens },
  'expired card with cvc and two terms': { work: 'tokens', plant: fullTokens },
  'session or nonce that has ended': { work: 'sessions', plant: sessions },
  'expired application': { work: 'applications', plant: applications },
  'invocation at its end': { work: 'invocations', plant: invocations },
} as const satisfies Readonly<Record<string, DueKind>>;
