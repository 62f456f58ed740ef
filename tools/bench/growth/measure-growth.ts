import { randomBytes, randomUUID } from 'node:crypto';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { createCredentialStore } from '../../../src/adapters/dynamodb/credential-store.ts';
import { dueCvcs, dueTokens } from '../../../src/adapters/dynamodb/due-tokens.ts';
import { createTokenStore } from '../../../src/adapters/dynamodb/token-store.ts';
import { COUNT_MAX, sliceAfter, sliceNumbered } from '../../../src/core/lists/pagination.ts';
import { newPosition } from '../../../src/core/shared/position.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import type { StoredToken } from '../../../src/core/tokens/token.ts';
import type { TokenCandidate, UnprovenTokenStore } from '../../../src/core/tokens/token-store.ts';
import { aCvc, aStoredToken, TENANT } from '../../../test/support/builders/a-stored-token.ts';
import { aDatabase, type DatabaseCall } from '../../../test/support/a-database.ts';
import { fill, idInShard } from './fill.ts';
import { LIST_SHARDS, type TokenTables } from '../../../src/adapters/dynamodb/token-tables.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

/** The cost of an operation among so many tokens. */
export interface Cost {
  readonly calls: number;
  readonly units: number;
}

const PAGE = 20;
/**
 * Tokens before a deep page: the cursor is as deep as the list goes, and more than a page still
 * follows.
 */
const BEYOND = 200;
/** One in `COMMON_EVERY` tokens has the common term. `RARE` tokens have the rare one. */
const COMMON_EVERY = 4;
const RARE = 5;
const DUE = 10;
const CREATED_FROM = Date.UTC(2026, 0, 1);

/** Names of operations whose cost must not depend on the number of tokens. */
export const CONSTANT = [
  'list, first page by cursor',
  'list, a page near the end',
  'metadata filter',
  'search a rare term',
  'search a common term',
  'search both terms',
  'create with deduplication',
  'authenticate',
  'sweep 10 expired tokens and 10 cvcs',
] as const;

/** Names of operations whose cost grows. */
export const GROWING = ['list, first page by number', 'reference: Scan with a filter'] as const;

export type GrowthOperation = (typeof CONSTANT)[number] | (typeof GROWING)[number];

export function costOf(calls: readonly DatabaseCall[]): Cost {
  const units = calls.reduce((sum, { consumedCapacity = 0 }) => sum + consumedCapacity, 0);
  return { calls: calls.length, units };
}

/** Tokens, the oldest first, spread evenly over the shards of the list. */
function* tokensOf(size: number): Generator<StoredToken> {
  for (let index = 0; index < size; index += 1) {
    const createdAt = CREATED_FROM + index;
    const terms = [
      ...(index % COMMON_EVERY === 0 ? ['common'] : []),
      ...(index % Math.floor(size / RARE) === 0 ? ['rare'] : []),
    ];
    yield aStoredToken({ id: idInShard(index % LIST_SHARDS, LIST_SHARDS), createdAt, terms });
  }
}

async function createOnce(store: UnprovenTokenStore): Promise<void> {
  const token = aStoredToken({ holdsLock: true, terms: [] });
  for await (const found of store.findMatches(token)) if (found.length > 0) throw new Error('a match');
  await store.create([{ token }]);
}

async function sweepAll(tables: TokenTables): Promise<void> {
  for (const work of [dueCvcs(tables, Date.now), dueTokens(tables, Date.now)]) {
    const onFailure = (error: unknown) => {
      throw error;
    };
    const { done } = await sweep(work, { clock: Date.now, deadline: Date.now() + 600_000, onFailure });
    if (done !== DUE) throw new Error(`${String(done)} were swept`);
  }
}

async function scan(tables: TokenTables): Promise<void> {
  const wanted = {
    TableName: tables.tokensTable,
    FilterExpression: 'fingerprint = :wanted',
    ExpressionAttributeValues: { ':wanted': 'none' },
  };
  for await (const _ of paginateScan({ client: tables.client }, wanted));
}

/** Makes a key that works everywhere. */
const aKey = (hash: Buffer) => ({
  id: randomUUID(),
  hash,
  hint: 'x7Qp',
  createdAt: CREATED_FROM,
  revision: 1,
  sourceAddresses: [],
});

/**
 * The AWS calls of lists, searches, sweeps, deduplication and authentication among `size` tokens of
 * one tenant.
 */
export async function measureGrowth(size: number): Promise<Readonly<Record<GrowthOperation, Cost>>> {
  const database = await aDatabase(LIST_SHARDS);
  const tables = database.tables();
  const store = createTokenStore(tables, Date.now);
  try {
    await fill(tables, tokensOf(size));

    async function measured(operation: () => Promise<unknown>): Promise<Cost> {
      database.takeCalls();
      await operation();
      return costOf(database.takeCalls());
    }

    /** A page as the use case reads it: candidates, then their tokens. */
    const read = async (entries: readonly TokenCandidate[]) => {
      if (entries.length === 0) throw new Error('there was nothing to find');
      await store.findMany(
        TENANT,
        entries.map(({ id }) => id),
      );
    };
    const walk = (terms: readonly string[], expected: number, after?: string) =>
      store.candidates(TENANT, { terms, expected, ...(after !== undefined && { after }) });
    const page = (terms: readonly string[], olderThan?: number) => async () => {
      const after =
        olderThan === undefined ? undefined : newPosition(machinePlatform.random, CREATED_FROM + olderThan);
      await read((await sliceAfter(walk(terms, PAGE + 1, after), () => true, PAGE)).entries);
    };
    const numbered = async () => {
      const request = { page: 1, size: PAGE };
      await read((await sliceNumbered(walk([], COUNT_MAX), () => true, request)).entries);
    };

    const keyHash = randomBytes(32);
    const application = {
      tenantId: TENANT,
      id: randomUUID(),
      name: 'measured',
      type: 'private' as const,
      permissions: [],
      rules: [],
      createdBy: randomUUID(),
      createdAt: CREATED_FROM,
      keys: [aKey(keyHash)],
      revision: 1,
      version: 1,
    };
    await createApplicationStore(database.table('Access')).create(application);
    const credentials = createCredentialStore(database.table('Access'));

    const now = Date.now();
    const expired = Array.from({ length: DUE }, () =>
      aStoredToken({ expiration: { at: now - 1, offsetMinutes: 0 } }),
    );
    const cards = Array.from({ length: DUE }, () => aStoredToken({ type: 'card', cvcUntil: now - 1 }));
    await store.create(expired.map((token) => ({ token })));
    await store.create(cards.map((token) => ({ token, cvc: aCvc(now - 1) })));
    return {
      'sweep 10 expired tokens and 10 cvcs': await measured(() => sweepAll(tables)),
      'list, first page by cursor': await measured(page([], size)),
      'list, a page near the end': await measured(page([], BEYOND)),
      'metadata filter': await measured(page(['rare'], size)),
      'search a rare term': await measured(page(['rare'])),
      'search a common term': await measured(page(['common'])),
      'search both terms': await measured(page(['common', 'rare'])),
      'create with deduplication': await measured(() => createOnce(store)),
      authenticate: await measured(() => credentials.findByKeyHash(keyHash)),
      'list, first page by number': await measured(numbered),
      'reference: Scan with a filter': await measured(() => scan(tables)),
    };
  } finally {
    await database.close();
  }
}
