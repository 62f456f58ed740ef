import { randomBytes, randomUUID } from 'node:crypto';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { createCredentialStore } from '../../../src/adapters/dynamodb/credential-store.ts';
import { createIdempotencyStore } from '../../../src/adapters/dynamodb/idempotency-store.ts';
import { createInvocationStore } from '../../../src/adapters/dynamodb/invocation-store.ts';
import { createReactorStore } from '../../../src/adapters/dynamodb/reactor-store.ts';
import { createSessionStore } from '../../../src/adapters/dynamodb/session-store.ts';
import { createTenantBasicsStore } from '../../../src/adapters/dynamodb/tenant-basics-store.ts';
import { createTenantStore } from '../../../src/adapters/dynamodb/tenant-store.ts';
import { createTokenStore } from '../../../src/adapters/dynamodb/token-store.ts';
import type { Application } from '../../../src/core/applications/application.ts';
import type { Tenant } from '../../../src/core/tenants/tenant.ts';
import type { Invocation } from '../../../src/core/reactors/invocation.ts';
import type { StoredReactor } from '../../../src/core/reactors/reactor.ts';
import type { StoredToken } from '../../../src/core/tokens/token.ts';
import { aDatabase, type Database, type Fate } from '../../support/a-database.ts';
import { aKey, anApplication } from '../../support/builders/an-application.ts';
import { aStoredToken, changed, terms, TENANT } from '../../support/builders/a-stored-token.ts';

let database: Database;
beforeAll(async () => {
  database = await aDatabase();
});
afterAll(() => database.close());

const BODY = Buffer.alloc(32, 1);
const MINUTE = 60_000;
/** A claim that is made at this time has a lease of a minute. */
const at = (now: number) => ({ now, leaseUntil: now + MINUTE });
const tokens = (fate?: Fate, clock = Date.now) => createTokenStore(database.tables(fate), clock);
const applications = (fate?: Fate) => createApplicationStore(database.table('Access', fate));
const sessions = (fate?: Fate) =>
  createSessionStore(
    database.table('Ephemeral', fate),
    createCredentialStore(database.table('Access', fate)),
  );
const basicsOf = (id: string) => createTenantBasicsStore(database.table('Access')).basics(id);
const tenants = (fate?: Fate) => createTenantStore(database.table('Access', fate));
const reactors = (fate?: Fate) => createReactorStore(database.table('Reactors', fate));
const idempotency = (fate?: Fate) => createIdempotencyStore(database.table('Ephemeral', fate));
const invocations = (fate?: Fate) =>
  createInvocationStore(database.table('Reactors', fate), database.table('Ephemeral', fate));

/**
 * Creates a token like its use case, which reads again after `changed` and recognises its own
 * write.
 */
async function create(token: StoredToken, fate?: Fate): Promise<unknown> {
  const outcome = await tokens(fate).create([{ token }]);
  if (outcome === 'changed') return create(token, fate);
  const isOwn =
    outcome !== 'written' &&
    'idTakenBy' in outcome &&
    outcome.idTakenBy.writeId?.equals(token.writeId) === true;
  return isOwn ? 'written' : outcome;
}

async function aWrittenToken(more?: Partial<StoredToken>): Promise<StoredToken> {
  const token = aStoredToken(more);
  await create(token);
  return token;
}

async function aWrittenApplication(): Promise<Application> {
  const application = anApplication({ tenantId: TENANT });
  await applications().create(application);
  return application;
}

const aTenant = (): Tenant => ({
  id: randomUUID(),
  name: 'x',
  settings: { deduplicateTokens: false, ephemeralProxy: true },
  roots: [{ wrapped: randomBytes(32), since: 1, addedAt: 1, startedAt: 1 }],
  keyVersion: 1,
  webhookSecret: randomBytes(32),
  createdAt: 1,
  rotateAt: 2,
  revision: 1,
  version: 1,
});

async function aWrittenTenant(): Promise<Tenant> {
  const tenant = aTenant();
  await tenants().create(tenant, anApplication({ tenantId: tenant.id }));
  return tenant;
}

const aSession = () => ({
  id: randomUUID(),
  tenantId: TENANT,
  createdBy: { applicationId: randomUUID(), keyId: randomUUID() },
  keyHash: randomBytes(32),
  nonceHash: randomBytes(32),
  expiresAtMs: Date.now() + MINUTE,
});

const aReactor = (): StoredReactor => ({
  id: randomUUID(),
  tenantId: TENANT,
  name: 'x',
  createdBy: randomUUID(),
  createdAt: 1,
  image: 'node16',
  codeHash: 'hash',
  encryptedCode: randomBytes(20),
  encryptedConfiguration: randomBytes(20),
  state: 'creating',
  revision: 1,
  version: 1,
});

async function aWrittenReactor(): Promise<StoredReactor> {
  const reactor = aReactor();
  await reactors().create(reactor, 100);
  return reactor;
}

const anInvocation = (): Invocation => ({
  id: randomUUID(),
  tenantId: TENANT,
  reactorId: randomUUID(),
  credentialId: randomUUID(),
  state: 'queued',
  createdAt: 1,
  delivery: 'none',
  attempts: 0,
  dueAt: 2,
  readableUntil: 3,
});

const NOW = 1_700_000_000_000;
const aScope = () => ({ tenantId: TENANT, request: randomUUID() });
const stateOf = async (claim: Promise<{ state: string }>) => (await claim).state;

/** More than fits a transaction. */
const MANY = terms(120);

/**
 * A write of a store: its title, the operation whose response is lost, its result, and how it is
 * prepared and run.
 */
type Row = readonly [
  title: string,
  operation: string,
  expected: unknown,
  prepare: () => Promise<(fate: Fate) => Promise<unknown>>,
];

const rows: readonly Row[] = [
  [
    'creating a plain token',
    'PutItem',
    'written',
    () => {
      const token = aStoredToken();
      return Promise.resolve((fate) => create(token, fate));
    },
  ],
  [
    'creating a token with index entries',
    'TransactWriteItems',
    'written',
    () => {
      const token = aStoredToken({ terms: terms(3) });
      return Promise.resolve((fate) => create(token, fate));
    },
  ],
  [
    'creating a token in steps',
    'TransactWriteItems',
    'written',
    () => {
      const token = aStoredToken({ terms: MANY });
      return Promise.resolve((fate) => create(token, fate));
    },
  ],
  [
    'changing a plain token',
    'PutItem',
    'written',
    async () => {
      const token = await aWrittenToken();
      const next = changed(token);
      return (fate) => tokens(fate).update(token, { token: next });
    },
  ],
  [
    'changing a token with index entries',
    'TransactWriteItems',
    'written',
    async () => {
      const token = await aWrittenToken();
      const next = changed(token, { terms: terms(3) });
      return (fate) => tokens(fate).update(token, { token: next });
    },
  ],
  ...['UpdateItem', 'PutItem'].map((operation): Row => [
    'changing a token in steps',
    operation,
    'written',
    async () => {
      const token = await aWrittenToken();
      const next = changed(token, { terms: MANY });
      return (fate) => tokens(fate).update(token, { token: next });
    },
  ]),
  [
    'deleting a plain token',
    'UpdateItem',
    'deleted',
    async () => {
      const { tenantId, id } = await aWrittenToken();
      return (fate) => tokens(fate).deleteIfStandalone(tenantId, id, Date.now());
    },
  ],
  [
    'deleting a plain token as it was read',
    'PutItem',
    true,
    async () => {
      const token = await aWrittenToken();
      return (fate) => tokens(fate).deleteVersion(token);
    },
  ],
  [
    'deleting a token with index entries',
    'TransactWriteItems',
    true,
    async () => {
      const token = await aWrittenToken({ terms: terms(3) });
      return (fate) => tokens(fate).deleteVersion(token);
    },
  ],
  [
    'deleting a token in steps',
    'UpdateItem',
    true,
    async () => {
      const token = await aWrittenToken({ terms: MANY });
      return (fate) => tokens(fate).deleteVersion(token);
    },
  ],
  [
    'repairing a token that a dead writer left',
    'UpdateItem',
    ['changed', 'written'],
    async () => {
      const token = await aWrittenToken();
      const dying: Fate = (operation) => (operation === 'TransactWriteItems' ? 'die' : undefined);
      const dead = tokens(dying).update(token, { token: changed(token, { terms: MANY }) });
      await dead.catch(() => undefined);
      const later = () => Date.now() + 2 * MINUTE;
      const update = (fate?: Fate) => tokens(fate, later).update(token, { token: changed(token) });
      return async (fate) => [await update(fate), await update()];
    },
  ],
  [
    'creating an application',
    'TransactWriteItems',
    true,
    () => {
      const application = anApplication({ tenantId: TENANT });
      return Promise.resolve((fate) => applications(fate).create(application));
    },
  ],
  [
    'changing an application',
    'TransactWriteItems',
    true,
    async () => {
      const application = await aWrittenApplication();
      return (fate) => applications(fate).update(application, { ...application, version: 2 });
    },
  ],
  [
    'replacing the key of an application',
    'TransactWriteItems',
    true,
    async () => {
      const application = await aWrittenApplication();
      const next = { ...application, keys: [aKey()], version: 2 };
      return (fate) => applications(fate).update(application, next);
    },
  ],
  [
    'deleting an application',
    'TransactWriteItems',
    true,
    async () => {
      const application = await aWrittenApplication();
      return (fate) => applications(fate).delete(application);
    },
  ],
  [
    'creating a session',
    'TransactWriteItems',
    undefined,
    () => {
      const session = aSession();
      return Promise.resolve((fate) => sessions(fate).create(session));
    },
  ],
  [
    'authorizing a session',
    'TransactWriteItems',
    true,
    async () => {
      const session = aSession();
      await sessions().create(session);
      const grants = {
        permissions: [],
        rules: [],
        authorizedBy: { applicationId: randomUUID(), keyId: randomUUID() },
        expiresAtMs: session.expiresAtMs,
      };
      const nonce = { ...session, sessionId: session.id, isUsed: false };
      return (fate) => sessions(fate).authorize(nonce, grants);
    },
  ],
  [
    'creating a tenant',
    'TransactWriteItems',
    undefined,
    () => {
      const tenant = aTenant();
      const application = anApplication({ tenantId: tenant.id });
      return Promise.resolve((fate) => tenants(fate).create(tenant, application));
    },
  ],
  [
    'changing a tenant',
    'TransactWriteItems',
    [true, 'y', 2],
    async () => {
      const tenant = await aWrittenTenant();
      return async (fate) => {
        const isChanged = await tenants(fate).update(tenant, { ...tenant, name: 'y', version: 2 });
        const found = await tenants().find(tenant.id);
        return [isChanged, found?.name, found?.version];
      };
    },
  ],
  [
    'removing a tenant',
    'TransactWriteItems',
    undefined,
    async () => {
      const { id } = await aWrittenTenant();
      return async (fate) => {
        await tenants(fate).remove(id);
        return (await tenants().find(id)) ?? (await basicsOf(id));
      };
    },
  ],
  [
    'creating a reactor',
    'TransactWriteItems',
    'created',
    () => {
      const reactor = aReactor();
      return Promise.resolve((fate) => reactors(fate).create(reactor, 100));
    },
  ],
  [
    'changing a reactor',
    'PutItem',
    true,
    async () => {
      const reactor = await aWrittenReactor();
      return (fate) => reactors(fate).update({ ...reactor, version: 2 });
    },
  ],
  [
    'deleting a reactor',
    'TransactWriteItems',
    true,
    async () => {
      const reactor = await aWrittenReactor();
      return (fate) => reactors(fate).delete(reactor);
    },
  ],
  [
    'creating an invocation',
    'PutItem',
    true,
    () => {
      const invocation = anInvocation();
      return Promise.resolve((fate) => invocations(fate).create(invocation));
    },
  ],
  [
    'changing an invocation',
    'PutItem',
    true,
    async () => {
      const invocation = anInvocation();
      await invocations().create(invocation);
      const next: Invocation = { ...invocation, state: 'running', runner: randomUUID() };
      return (fate) => invocations(fate).update(invocation, next);
    },
  ],
  [
    'claiming an idempotency key',
    'PutItem',
    'claimed',
    () => {
      const scope = aScope();
      return Promise.resolve((fate) => stateOf(idempotency(fate).claim(scope, BODY, at(NOW))));
    },
  ],
  [
    'taking over an idempotency key',
    'UpdateItem',
    'claimed',
    async () => {
      const scope = aScope();
      await idempotency().claim(scope, BODY, at(NOW));
      return (fate) => stateOf(idempotency(fate).claim(scope, BODY, at(NOW + 2 * MINUTE)));
    },
  ],
  [
    'storing the response of an idempotency key',
    'UpdateItem',
    'stored',
    async () => {
      const scope = aScope();
      const claim = await idempotency().claim(scope, BODY, at(NOW));
      const attempt = claim.state === 'claimed' ? claim.attempt : '';
      return async (fate) => {
        await idempotency(fate).keep(scope, attempt, Buffer.from('x'), { now: NOW });
        return stateOf(idempotency().claim(scope, BODY, at(NOW)));
      };
    },
  ],
  [
    'marking a run under an idempotency key',
    'UpdateItem',
    true,
    async () => {
      const scope = aScope();
      const claim = await idempotency().claim(scope, BODY, at(NOW));
      const attempt = claim.state === 'claimed' ? claim.attempt : '';
      return (fate) => idempotency(fate).beginRun(scope, attempt);
    },
  ],
  [
    'releasing an idempotency key',
    'UpdateItem',
    'claimed',
    async () => {
      const scope = aScope();
      const claim = await idempotency().claim(scope, BODY, at(NOW));
      const attempt = claim.state === 'claimed' ? claim.attempt : '';
      return async (fate) => {
        await idempotency(fate).release(scope, attempt, false);
        return stateOf(idempotency().claim(scope, BODY, at(NOW)));
      };
    },
  ],
];

/** The calls of one operation meet these fates, one after the other; all others pass. */
function meeting(operation: string, ...outcomes: readonly ('lose' | 'conflict')[]) {
  const left = [...outcomes];
  const fate: Fate = (name) => (name === operation ? left.shift() : undefined);
  return { fate, left };
}

describe('a repeated write recognises what its first attempt wrote', () => {
  it.each(rows)(
    'a repeated write recognises what its first attempt wrote after a lost response: %s (%s)',
    async (_title, operation, expected, prepare) => {
      const write = await prepare();
      const { fate, left } = meeting(operation, 'lose');
      expect(await write(fate)).toEqual(expected);
      expect(left).toEqual([]);
    },
  );

  it.each(rows)(
    'a repeated write recognises what its first attempt wrote after a lost response and a conflict: %s (%s)',
    async (_, operation, expected, prepare) => {
      const write = await prepare();
      const { fate, left } = meeting(operation, 'lose', 'conflict');
      expect(await write(fate)).toEqual(expected);
      expect(left).toEqual([]);
    },
  );
});

describe('a write that certainly did not happen before', () => {
  it('reports a token as unknown that another caller deleted while the write met a conflict', async () => {
    const token = await aWrittenToken();
    await tokens().deleteVersion(token);
    const { fate } = meeting('UpdateItem', 'conflict');
    const outcome = await tokens(fate).deleteIfStandalone(TENANT, token.id, Date.now());
    expect(outcome).toEqual({ remaining: undefined });
  });

  it('reports a token as changed that another caller deleted as it was read', async () => {
    const token = await aWrittenToken();
    await tokens().deleteVersion(token);
    const { fate } = meeting('PutItem', 'conflict');
    expect(await tokens(fate).deleteVersion(token)).toBe(false);
  });

  it('reports a reactor as not changed that has another operation of the same moment', async () => {
    const reactor = await aWrittenReactor();
    const next = (id: string) => ({ ...reactor, version: 2, operation: { id, until: 1 } });
    let attempts = 0;
    const written = await reactors(async (name) => {
      if (name !== 'PutItem') return undefined;
      attempts += 1;
      if (attempts === 1) return 'lose';
      await reactors().delete(next('mine'));
      await reactors().create(next('of another'), 100);
      return undefined;
    }).update(next('mine'));
    expect([written, attempts]).toEqual([false, 2]);
  });

  it('reports a tenant as not changed after another change', async () => {
    const tenant = await aWrittenTenant();
    await tenants().update(tenant, { ...tenant, name: 'z', version: 2 });
    const { fate } = meeting('TransactWriteItems', 'conflict');
    expect(await tenants(fate).update(tenant, { ...tenant, name: 'y', version: 2 })).toBe(false);
  });
});
