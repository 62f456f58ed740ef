import type {
  ApplicationGrantsStore,
  ApplicationStore,
  CredentialStore,
} from '../applications/application-store.ts';
import type { Application } from '../applications/application.ts';
import type { SessionStore } from '../access/session.ts';
import type { Grants } from '../access/access-rule.ts';
import { widenedPermissions } from '../access/delegation.ts';
import type { KeyService } from '../crypto/key-service.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Vault } from '../crypto/vault.ts';
import type { EgressClient } from '../egress/egress-client.ts';
import type { InvocationCredentialStore } from '../reactors/invocation-credential.ts';
import type { InvocationQueue, InvocationStore } from '../reactors/invocation-store.ts';
import type { ReactorFunctions } from '../reactors/reactor-functions.ts';
import type { ReactorRunner } from '../reactors/reactor-runner.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import type { IdempotencyStore } from '../shared/idempotency-store.ts';
import type { Tenant, TenantBasicsStore, TenantStore } from '../tenants/tenant.ts';
import type { DeploymentKeyStore } from '../tenants/wrap-roots.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import type { Change } from './audit-record.ts';
import type { IndexRequests } from './index-store.ts';
import type { AuditScope, Effect, NamedToken, Sightings } from './audit-scope.ts';

/** All ports through which functions act, by the names of their dependencies. */
interface Ports {
  readonly applicationStore: ApplicationStore;
  readonly applicationGrantsStore: ApplicationGrantsStore;
  readonly credentialStore: CredentialStore;
  readonly deliveryQueue: InvocationQueue;
  readonly deploymentKeyStore: DeploymentKeyStore;
  readonly egress: EgressClient;
  readonly idempotencyStore: IdempotencyStore;
  readonly invocationCredentials: InvocationCredentialStore & CredentialStore;
  readonly invocationQueue: InvocationQueue;
  readonly indexRequests: IndexRequests;
  readonly invocationStore: InvocationStore;
  readonly keyService: KeyService;
  readonly reactorFunctions: ReactorFunctions;
  readonly reactorRunner: ReactorRunner;
  readonly reactorStore: ReactorStore;
  readonly sessionStore: SessionStore & CredentialStore;
  readonly tenantBasicsStore: TenantBasicsStore;
  readonly tenantKeys: TenantKeys;
  readonly tenantStore: TenantStore;
  readonly storedTokens: Pick<TokenStore, 'find'>;
  readonly tokenStore: TokenStore;
  readonly vault: Vault;
}

/** Dependencies that do not leave the process, or reach nothing that a request changes. */
type Plain =
  | 'auditLog'
  | 'checkCursor'
  | 'clientCompatibility'
  | 'clock'
  | 'coldReactors'
  | 'cvcLifetimeMs'
  | 'edgeSecret'
  | 'egressAllowList'
  | 'headerPrefixes'
  | 'indexPages'
  | 'indexReader'
  | 'recordsAt'
  | 'keyRotationMs'
  | 'log'
  | 'newId'
  | 'onAuditChecked'
  | 'oldestDue'
  | 'onCold'
  | 'onFailure'
  | 'onReleased'
  | 'onTrailProtection'
  | 'parkedDeliveries'
  | 'parseTokenInput'
  | 'presentFailure'
  | 'presentResult'
  | 'publicUrl'
  | 'referredIds'
  | 'sealHead'
  | 'sealPublicKey'
  | 'sealReader'
  | 'trailPages'
  | 'trailProtection'
  | 'trailReader'
  | 'waiting';

/** Dependencies before they serve a request; `audit` is added for each request. */
export type Unaudited<Deps> = Omit<Deps, 'audit'>;

/** Does not compile for a dependency that is neither in `Ports` nor in `Plain`. */
export type Classified<Deps> = {
  readonly [Name in Exclude<keyof Deps, keyof Ports | Plain | 'audit'>]: never;
};

/** The meaning of a call of a port for the audit trail. */

/** The call changes nothing, or only internal state of the service. */
const NONE = 'none';
/** The call reads tokens; the returned ones are reported as found. */
const FINDS = 'finds';
type Kind<Call> = Call extends (...args: infer Args) => unknown
  ? typeof NONE | typeof FINDS | ((...args: Args) => Effect)
  : never;

const sameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const NO_GRANTS = { permissions: [], rules: [] };

/** Names of the permissions of which a change gives more, and of which it leaves less. */
function changedGrants(previous: Grants, next: Grants): Pick<Change, 'granted' | 'withdrawn'> {
  const granted = widenedPermissions(previous, next);
  const withdrawn = widenedPermissions(next, previous);
  return { ...(granted.length > 0 && { granted }), ...(withdrawn.length > 0 && { withdrawn }) };
}

/** Members of an application that a change affects, by their names in the API. */
const applicationMembers = (previous: Partial<Application>, next: Application): readonly string[] =>
  (
    [
      ['name', 'name'],
      ['type', 'type'],
      ['permissions', 'permissions'],
      ['rules', 'rules'],
      ['expiresAtMs', 'expires_at'],
    ] as const
  ).flatMap(([member, name]) => (sameJson(previous[member], next[member]) ? [] : [name]));

const ofApplication = ({ id }: Pick<Application, 'id'>, change?: Change): Effect => ({
  resource: `application:${id}`,
  ...(change !== undefined && { change }),
});

const changedApplication = (previous: Application, next: Application, more: readonly string[] = []): Effect =>
  ofApplication(next, {
    members: [...applicationMembers(previous, next), ...more],
    ...changedGrants(previous, next),
  });

const ofTenant = (id: string, members: readonly string[]): Effect => ({
  resource: `tenant:${id}`,
  change: { members },
});

/** Members of a tenant that a change affects. For keys, a record states only that they changed. */
function tenantMembers(previous: Tenant, next: Tenant): readonly string[] {
  const settings = Object.keys(next.settings).filter(
    (name) =>
      !sameJson(
        previous.settings[name as keyof Tenant['settings']],
        next.settings[name as keyof Tenant['settings']],
      ),
  );
  const ring = ({ roots, keyVersion }: Tenant) => [roots, keyVersion];
  return [
    ...(previous.name === next.name ? [] : ['name']),
    ...settings.map((name) => `settings.${name}`),
    ...(sameJson(ring(previous), ring(next)) ? [] : ['keys']),
    ...(sameJson(previous.webhookSecret, next.webhookSecret) ? [] : ['webhook_secret']),
    ...(sameJson(previous.reseal, next.reseal) ? [] : ['reseal']),
  ];
}

const ofReactor = (id: string, more: Effect = {}): Effect => ({ resource: `reactor:${id}`, ...more });

/**
 * The kind of each call; a missing one does not compile. Idempotency records, steps of an accepted
 * invocation and its messages are no effects: their consequences are recorded where they happen.
 */
export const EFFECTS: {
  readonly [Name in keyof Ports]: { readonly [Call in keyof Ports[Name]]: Kind<Ports[Name][Call]> };
} = {
  applicationStore: {
    create: (application) =>
      ofApplication(application, {
        members: ['key', ...applicationMembers({}, application)],
        ...changedGrants(NO_GRANTS, application),
      }),
    update: changedApplication,
    replaceKey: (previous, next) => changedApplication(previous, next, ['key']),
    delete: (application) =>
      ofApplication(application, { members: ['key'], ...changedGrants(application, NO_GRANTS) }),
    find: NONE,
    findMany: NONE,
    list: NONE,
  },
  applicationGrantsStore: { grants: NONE },
  credentialStore: { findByKeyHash: NONE },
  deliveryQueue: { send: NONE },
  deploymentKeyStore: { current: NONE, replace: () => ({ change: { members: ['deployment_key'] } }) },
  egress: { send: ({ destination }) => ({ host: destination.url.host, leaves: true }) },
  idempotencyStore: { claim: NONE, markRun: NONE, keep: NONE, release: NONE },
  indexRequests: { ask: () => ({ change: { members: ['index'] } }) },
  invocationCredentials: { create: () => ({}), remove: NONE, findByKeyHash: NONE },
  invocationQueue: { send: NONE },
  invocationStore: {
    create: ({ id, reactorId }) => ofReactor(reactorId, { invocation: id }),
    putContent: ({ id }) => ({ invocation: id }),
    remove: ({ id }) => ({ invocation: id }),
    update: NONE,
    find: NONE,
    content: NONE,
    undelivered: NONE,
  },
  keyService: { generateKey: NONE, wrapKey: NONE, unwrapKey: NONE },
  reactorFunctions: {
    create: (id) => ofReactor(id),
    publish: (id) => ofReactor(id),
    pointLive: (id) => ofReactor(id),
    removeOtherVersions: (id) => ofReactor(id),
    remove: (id) => ofReactor(id),
    keepHot: (id) => ofReactor(id),
    isCurrent: NONE,
  },
  reactorRunner: { run: ({ reactorId }) => ofReactor(reactorId, { leaves: true }) },
  reactorStore: {
    create: ({ id, applicationId }) =>
      ofReactor(id, {
        change: {
          members: ['name', 'code', 'configuration', ...(applicationId === undefined ? [] : ['application'])],
        },
      }),
    // The code that knows the changed members reports them (change-reactor.ts).
    update: ({ id }) => ofReactor(id),
    delete: ({ id }) => ofReactor(id),
    find: NONE,
    findMany: NONE,
    list: NONE,
  },
  sessionStore: {
    create: ({ id }) => ({ resource: `session:${id}` }),
    authorize: ({ sessionId }, grants) => ({
      resource: `session:${sessionId}`,
      change: { members: ['permissions', 'rules'], ...changedGrants(NO_GRANTS, grants) },
    }),
    findNonce: NONE,
    findByKeyHash: NONE,
  },
  tenantBasicsStore: { basics: NONE },
  tenantKeys: {
    current: NONE,
    version: NONE,
    all: NONE,
    searched: NONE,
    settled: NONE,
    newest: NONE,
    holds: NONE,
    learn: NONE,
  },
  tenantStore: {
    create: ({ id }) => ofTenant(id, ['name', 'keys', 'webhook_secret']),
    update: (previous, next) => ofTenant(next.id, tenantMembers(previous, next)),
    remove: (id) => ofTenant(id, []),
    list: NONE,
    find: NONE,
  },
  storedTokens: { find: FINDS },
  tokenStore: {
    create: (writes) => ({ tokens: writes.map(({ token }) => token), form: 'create' }),
    // If it is now marked as shared, the caller received it as a duplicate.
    update: (previous, { token }) => ({
      tokens: [{ id: token.id, containers: [...new Set([...previous.containers, ...token.containers])] }],
      form: previous.isShared === token.isShared ? 'update' : 'identity',
    }),
    deleteIfStandalone: (_tenantId, id) => ({ tokens: [{ id }], form: 'delete' }),
    deleteVersion: (token) => ({ tokens: [token], form: 'delete' }),
    deleteTombstones: () => ({ tokens: [], form: 'delete' }),
    find: FINDS,
    findMany: FINDS,
    findHeads: FINDS,
    findCvcs: NONE,
    findMatches: NONE,
    readData: NONE,
    candidates: NONE,
  },
  vault: { seal: NONE, open: NONE, mac: NONE, verify: NONE },
};

type Call = (...args: readonly unknown[]) => unknown;
type Port = Readonly<Record<string, Call>>;

/** A call of a port, made for the scope of a request. */
type Audited = (scope: AuditScope) => Call;

/** The calls of a port: those that need no scope, and those that each request needs its own of. */
interface Wrapped {
  readonly plain: Port;
  readonly audited: readonly (readonly [name: string, call: Audited])[];
}

/** How a call is audited; `undefined` if it needs no record. */
function auditedCall(call: Call, kind: unknown): Audited | undefined {
  if (kind === NONE) return undefined;
  if (kind === FINDS)
    return (scope) =>
      async (...args) => {
        const found = (await call(...args)) as NamedToken | readonly NamedToken[] | undefined;
        scope.found([found ?? []].flat());
        return found;
      };
  const effectOf = kind as (...args: readonly unknown[]) => Effect;
  return (scope) =>
    async (...args) => {
      await scope.ahead(effectOf(...args));
      return call(...args);
    };
}

function wrap(port: Port, kinds: Readonly<Record<string, unknown>>): Wrapped {
  const plain: Record<string, Call> = {};
  const audited: [string, Audited][] = [];
  for (const [name, kind] of Object.entries(kinds)) {
    if (!(name in port)) continue;
    const call: Call = (...args) => (port[name] as Call).apply(port, [...args]);
    const withScope = auditedCall(call, kind);
    if (withScope === undefined) plain[name] = call;
    else audited.push([name, withScope]);
  }
  return { plain, audited };
}

/** By name of the dependency, since one object may be two of them. Each is wrapped once. */
const PORTS = Object.entries(EFFECTS).map(([name, kinds]) => ({
  ...{ name, kinds },
  wrapped: new WeakMap<Port, Wrapped>(),
}));

/** A port for one request, whose effects are recorded before they happen. */
function portFor(scope: AuditScope, { plain, audited }: Wrapped): Port {
  if (audited.length === 0) return plain;
  const port = { ...plain };
  for (const [name, call] of audited) port[name] = call(scope);
  return port;
}

/**
 * The dependencies for one request: every effect of a port is recorded before it happens, and
 * `audit` receives the tokens that are shown.
 */
export function auditedDeps<Deps extends object>(
  deps: Deps & Classified<Deps>,
  scope: AuditScope,
): Deps & { readonly audit: Sightings } {
  const audited: Record<string, unknown> = { ...deps, audit: scope };
  for (const { name, kinds, wrapped } of PORTS) {
    const port = audited[name] as Port | undefined;
    if (port === undefined) continue;
    const known = wrapped.get(port) ?? wrap(port, kinds);
    wrapped.set(port, known);
    audited[name] = portFor(scope, known);
  }
  return audited as Deps & { readonly audit: Sightings };
}
