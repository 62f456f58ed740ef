import { randomUUID } from 'node:crypto';
import { createApplicationStore } from '../../src/adapters/dynamodb/application-store.ts';
import { createCredentialStore } from '../../src/adapters/dynamodb/credential-store.ts';
import { createHotAllowanceStore } from '../../src/adapters/dynamodb/hot-allowance-store.ts';
import { createIdempotencyStore } from '../../src/adapters/dynamodb/idempotency-store.ts';
import { createInvocationCredentialStore } from '../../src/adapters/dynamodb/invocation-credential-store.ts';
import { createKeyUses } from '../../src/adapters/dynamodb/key-uses.ts';
import { createProxyStore } from '../../src/adapters/dynamodb/proxy-store.ts';
import { createReactorStore } from '../../src/adapters/dynamodb/reactor-store.ts';
import { createSessionStore } from '../../src/adapters/dynamodb/session-store.ts';
import { createDeploymentKeyStore } from '../../src/adapters/dynamodb/deployment-key-store.ts';
import { createTenantStore } from '../../src/adapters/dynamodb/tenant-store.ts';
import { createTenantBasicsStore } from '../../src/adapters/dynamodb/tenant-basics-store.ts';
import { createProvenTokenStore } from '../../src/core/tokens/proven-token-store.ts';
import { createTokenStore } from '../../src/adapters/dynamodb/token-store.ts';
import { createApplication } from '../../src/core/applications/create-application.ts';
import type { WrappingKey } from '../../src/core/operator/wrap-roots.ts';
import { createTenant } from '../../src/core/operator/create-tenant.ts';
import { PERMISSION_NAMES, type Permission } from '../../src/core/access/permission.ts';
import { createTenantKeys } from '../../src/core/crypto/tenant-keys.ts';
import { createVault } from '../../src/core/crypto/vault.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import { routes } from '../../functions/tokens/routes.ts';
import { createApiHandler } from '../../src/http/create-api-handler.ts';
import type { RequestLogLine } from '../../src/lambda/request-log.ts';
import { anEvent } from './builders/an-event.ts';
import { aDatabase } from './a-database.ts';
import { aKeyService } from './tenant-keys.ts';
import { anAudit, anAuditLog } from './fakes/an-audit.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const TOKEN_PERMISSIONS = PERMISSION_NAMES.filter((name): name is Permission => name.startsWith('token:'));

/**
 * Instances of the tokens function over one database and one key service, each with separate
 * caches, under one clock, so that minutes and days on AWS can be simulated.
 */
export async function manyInstances(now = Date.now()) {
  const database = await aDatabase();
  const keys = aKeyService();
  const lines: RequestLogLine[] = [];
  const failures: unknown[] = [];
  const state = { now };
  const clock = () => state.now;

  const { client: shared } = database.tables();

  /**
   * The dependencies of a function, over a client of its own, since a client combines reads. All
   * have the parts of one, which take a while to create.
   */
  function wired(random = machinePlatform.random) {
    const client = Object.create(shared) as typeof shared;
    const platform = { ...machinePlatform, clock, random };
    const table = (name: string) => ({ client, platform, name });
    const access = table('Access');
    const ephemeral = table('Ephemeral');
    const tenantBasicsStore = createTenantBasicsStore(access);
    const credentialStore = createCredentialStore(access);
    const tenantKeys = createTenantKeys({ keyService: keys.service, keyRingStore: tenantBasicsStore, clock });
    const vault = createVault(tenantKeys, machinePlatform.random);
    const storedTokens = createTokenStore({ ...database.tables(), client }, clock);
    return {
      applicationStore: createApplicationStore(access),
      tenantStore: createTenantStore(access),
      deploymentKeyStore: createDeploymentKeyStore(access),
      tenantBasicsStore,
      credentialStore,
      keyUses: createKeyUses(access),
      sessionStore: createSessionStore(ephemeral, credentialStore),
      invocationCredentials: createInvocationCredentialStore(ephemeral, credentialStore),
      idempotencyStore: createIdempotencyStore(ephemeral),
      hotAllowanceStore: createHotAllowanceStore(table('Reactors')),
      reactorStore: createReactorStore(table('Reactors')),
      proxyStore: createProxyStore(table('Access')),
      storedTokens,
      tokenStore: createProvenTokenStore(storedTokens, vault),
      keyService: keys.service,
      tenantKeys,
      vault,
      auditLog: anAuditLog({ clock }).log,
      ...machinePlatform,
      clock,
      cvcLifetimeMs: 3_600_000,
      docsUrl: '',
      egressAllowList: [],
      clientCompatibility: 'strict' as const,
      keyRotationMs: 90 * 24 * 3_600_000,
      headerPrefixes: ['SVC'],
      edgeSecret: [],
      onRetiredKeyUsed: () => undefined,
      log: (line: RequestLogLine) => lines.push(line),
      onFailure: (error: unknown) => failures.push(error),
    };
  }

  /** The instance is cold. It draws the copies that it reads, or reads this one of each record. */
  function anInstance(copy?: number) {
    const random = machinePlatform.random;
    const fixed = { ...random, integer: (below: number) => (copy ?? random.integer(below)) % below };
    const handle = createApiHandler(wired(fixed), routes);
    return async (
      method: string,
      path: string,
      apiKey: string,
      body?: unknown,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<Reply> => {
      const [rawPath = '', query = ''] = path.split('?');
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const event = anEvent({
        method,
        path: rawPath,
        query,
        headers: { 'SVC-API-KEY': apiKey, 'content-type': type, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { statusCode = 0, body: text = '{}' } = await handle(event);
      return { status: statusCode, body: JSON.parse(text === '' ? '{}' : text) as Reply['body'] };
    };
  }

  const { storedTokens, ...rest } = wired();
  // As functions/operator: a token that does not open stops no walk.
  const operator = { ...rest, tokenStore: storedTokens, audit: anAudit(), newId: () => randomUUID() };

  async function aTenant(wrappedBy: WrappingKey = 'kms') {
    const { tenantId } = await createTenant(operator, { name: 'x', wrappedBy });
    return tenantId;
  }

  /** The key of an application that may do everything with tokens, or of one that expires. */
  async function anApplication(tenantId: string, more: { readonly expiresAtMs?: number } = {}) {
    const manager = {
      tenantId,
      credentialId: 'manager',
      applicationId: randomUUID(),
      type: 'management',
      actsBy: 'own_key',
      permissions: ['application:create'],
      rules: [],
    } as const;
    const rule = {
      priority: 1,
      container: '/',
      transform: 'reveal',
      permissions: TOKEN_PERMISSIONS,
    } as const;
    const input = { name: 'x', type: 'private', permissions: [], rules: [rule], ...more } as const;
    const { application, key } = await createApplication(
      operator,
      manager,
      input,
      randomIdentity(machinePlatform.random),
    );
    return { application, key: key.reveal() };
  }

  return { database, keys, lines, failures, state, operator, wired, anInstance, aTenant, anApplication };
}
