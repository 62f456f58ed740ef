import { randomUUID } from 'node:crypto';
import { createCredentialStore } from '../../../src/adapters/dynamodb/credential-store.ts';
import { dueApplications, dueKeyRotations } from '../../../src/adapters/dynamodb/due-access.ts';
import { dueReactors } from '../../../src/adapters/dynamodb/due-reactors.ts';
import { createProxyStore } from '../../../src/adapters/dynamodb/proxy-store.ts';
import { createReactorStore } from '../../../src/adapters/dynamodb/reactor-store.ts';
import { createTenantBasicsStore } from '../../../src/adapters/dynamodb/tenant-basics-store.ts';
import { createTenantStore } from '../../../src/adapters/dynamodb/tenant-store.ts';
import { orderedId } from '../../../src/core/shared/ordered-id.ts';
import type { DueWork } from '../../../src/core/sweep/sweep.ts';
import { aDatabase, type Database } from '../../../test/support/a-database.ts';
import { aKey, anApplication } from '../../../test/support/builders/an-application.ts';
import { aProxy, aVersion } from '../../../test/support/builders/a-stored-proxy.ts';
import { aStoredReactor } from '../../../test/support/builders/a-stored-reactor.ts';
import { TENANT } from '../../../test/support/builders/a-stored-token.ts';
import { aTenant } from '../../../test/support/builders/a-tenant.ts';
import { costOf, type Cost } from './measure-growth.ts';

/** How many of each there are. The proxies and the reactors are of one tenant. */
export interface ObjectCounts {
  readonly tenants: number;
  readonly proxies: number;
  readonly reactors: number;
}

/** Names of operations whose cost must not depend on how many objects there are. */
export const OF_OBJECTS = [
  'tenants: authenticate',
  'tenants: sweep with nothing due',
  'proxies: get',
  'proxies: list, first page',
  'proxies: list, last page',
  'proxies: create',
  'reactors: get',
  'reactors: list, first page',
  'reactors: list, last page',
  'reactors: create',
  'reactors: sweep with nothing due',
] as const;

export type ObjectOperation = (typeof OF_OBJECTS)[number];

const CREATED_FROM = Date.UTC(2026, 0, 1);
const AT_ONCE = 20;

/** Ids that sort by their number, like those of objects that were created one after the other. */
const idOf = (index: number) => orderedId(CREATED_FROM + index, randomUUID());

async function createAll(count: number, create: (index: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => create(from + index)),
    );
}

async function found(reading: Promise<unknown>): Promise<void> {
  if ((await reading) === undefined) throw new Error('it is missing');
}

async function firstOf<T>(pages: AsyncIterable<readonly T[]>): Promise<void> {
  for await (const page of pages) {
    if (page.length === 0) throw new Error('an empty page');
    return;
  }
}

/** Finds no due record: whatever one would need is not there. */
async function nothingDue(works: readonly DueWork[]): Promise<void> {
  for (const work of works)
    for await (const due of work.due(CREATED_FROM)) if (due.length > 0) throw new Error('a record is due');
}

type Measure = (operation: () => Promise<unknown>) => Promise<Cost>;

async function ofTenants(database: Database, count: number, measured: Measure) {
  const access = database.table('Access');
  const key = aKey();
  const store = createTenantStore(access);
  const create = (id: string, keys = [aKey()]) =>
    store.create(
      aTenant({ id, rotateAt: CREATED_FROM + 1 }),
      anApplication({ id: idOf(0), tenantId: id, keys }),
    );
  await createAll(count - 1, (index) => create(idOf(index)));
  const tenantId = idOf(count);
  await create(tenantId, [key]);
  const credentials = createCredentialStore(access);
  const basics = createTenantBasicsStore(access);
  const works = [dueApplications(access, Date.now), dueKeyRotations(access, undefined as never)];
  return {
    'tenants: authenticate': await measured(async () => {
      const found = [await credentials.findByKeyHash(key.hash), await basics.basics(tenantId)];
      if (found.includes(undefined)) throw new Error('the key or its tenant is missing');
    }),
    'tenants: sweep with nothing due': await measured(() => nothingDue(works)),
  };
}

async function ofProxies(database: Database, count: number, measured: Measure) {
  const store = createProxyStore(database.table('Access'));
  const create = async (id: string) => {
    if (!(await store.create(aProxy({ id, tenantId: TENANT }), aVersion(1)))) throw new Error('not created');
  };
  const ids = Array.from({ length: count }, (_, index) => idOf(index));
  // One after the other: each changes the count of its tenant.
  for (const id of ids) await create(id);
  return {
    'proxies: get': await measured(() => found(store.find(TENANT, ids[0] ?? ''))),
    'proxies: list, first page': await measured(() => firstOf(store.list(TENANT, undefined))),
    'proxies: list, last page': await measured(() => firstOf(store.list(TENANT, ids[1]))),
    'proxies: create': await measured(() => create(idOf(count))),
  };
}

async function ofReactors(database: Database, count: number, measured: Measure) {
  const reactors = database.table('Reactors');
  const store = createReactorStore(reactors);
  const create = (id: string) => store.create(aStoredReactor({ id, tenantId: TENANT }), Infinity);
  const ids = Array.from({ length: count }, (_, index) => idOf(index));
  await createAll(count, (index) => create(ids[index] ?? ''));
  return {
    'reactors: get': await measured(() => found(store.find(TENANT, ids[0] ?? ''))),
    'reactors: list, first page': await measured(() => firstOf(store.list(TENANT, undefined))),
    'reactors: list, last page': await measured(() => firstOf(store.list(TENANT, ids[1]))),
    'reactors: create': await measured(() => create(idOf(count))),
    'reactors: sweep with nothing due': await measured(() =>
      nothingDue([dueReactors(reactors, undefined as never)]),
    ),
  };
}

/** Counts the AWS calls of operations among so many tenants, proxies and reactors. */
export async function measureObjects({
  tenants,
  proxies,
  reactors,
}: ObjectCounts): Promise<Readonly<Record<ObjectOperation, Cost>>> {
  const database = await aDatabase();
  const measured: Measure = async (operation) => {
    database.takeCalls();
    await operation();
    return costOf(database.takeCalls());
  };
  try {
    return {
      ...(await ofTenants(database, tenants, measured)),
      ...(await ofProxies(database, proxies, measured)),
      ...(await ofReactors(database, reactors, measured)),
    };
  } finally {
    await database.close();
  }
}
