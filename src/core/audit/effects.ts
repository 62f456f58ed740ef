import type {
  ApplicationGrantsStore,
  ApplicationStore,
  CredentialStore,
} from '../applications/application-store.ts';
import type { Application } from '../applications/application.ts';
import type { SessionStore } from '../access/session.ts';
import type { Grants } from '../access/access-rule.ts';
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
import type { TokenStore } from '../tokens/token-store.ts';
import type { Change } from './audit-record.ts';
import type { AuditScope, Effect, NamedToken, Sightings } from './audit-scope.ts';

/** Everything that functions reach out by, under the names of their dependencies. */
interface Ports {
  readonly applicationStore: ApplicationStore;
  readonly applicationGrantsStore: ApplicationGrantsStore;
  readonly credentialStore: CredentialStore;
  readonly deliveryQueue: InvocationQueue;
  readonly egress: EgressClient;
  readonly idempotencyStore: IdempotencyStore;
  readonly invocationCredentials: InvocationCredentialStore & CredentialStore;
  readonly invocationQueue: InvocationQueue;
  readonly invocationStore: InvocationStore;
  readonly keyService: KeyService;
  readonly reactorFunctions: ReactorFunctions;
  readonly reactorRunner: ReactorRunner;
  readonly reactorStore: ReactorStore;
  readonly sessionStore: SessionStore & CredentialStore;
  readonly tenantBasicsStore: TenantBasicsStore;
  readonly tenantKeys: TenantKeys;
  readonly tenantStore: TenantStore;
  readonly tokenStore: TokenStore;
  readonly vault: Vault;
}

/** Dependencies that reach nothing outside the process, or nothing that a request changes. */
type Plain =
  | 'auditLog'
  | 'clientCompatibility'
  | 'clock'
  | 'coldReactors'
  | 'cvcLifetimeMs'
  | 'edgeSecret'
  | 'egressAllowList'
  | 'headerPrefixes'
  | 'keyRotationMs'
  | 'log'
  | 'newId'
  | 'onAuditChecked'
  | 'oldestDue'
  | 'onCold'
  | 'onFailure'
  | 'onGivenBack'
  | 'parkedDeliveries'
  | 'parseTokenInput'
  | 'presentFailure'
  | 'presentResult'
  | 'publicUrl'
  | 'sealHead'
  | 'sealPublicKey'
  | 'sealReader'
  | 'tokenIndex'
  | 'trailPages'
  | 'trailReader'
  | 'waiting';

/** Dependencies before they serve a request: what they lack is given to each. */
export type Unaudited<Deps> = Omit<Deps, 'audit'>;

/** Refuses, by type, a dependency of which it is not written here whether it does something. */
export type Classified<Deps> = {
  readonly [Name in Exclude<keyof Deps, keyof Ports | Plain | 'audit'>]: never;
};

/* What a call of a port is to a record. */

/** It changes nothing, or nothing but what the service keeps for itself. */
const NONE = 'none';
/** It reads tokens; those that are there are found. */
const FINDS = 'finds';
type Kind<Call> = Call extends (...args: infer Args) => unknown
  ? typeof NONE | typeof FINDS | ((...args: Args) => Effect)
  : never;

const sameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const grantsOf = ({ permissions, rules }: Grants): readonly string[] => [
  ...new Set([...permissions, ...rules.flatMap((rule) => rule.permissions)]),
];

const NO_GRANTS = { permissions: [], rules: [] };

/** Names of the permissions that a change grants anywhere, or takes away everywhere. */
function changedGrants(previous: Grants, next: Grants): Pick<Change, 'granted' | 'withdrawn'> {
  const [before, after] = [grantsOf(previous), grantsOf(next)];
  const granted = after.filter((name) => !before.includes(name));
  const withdrawn = before.filter((name) => !after.includes(name));
  return { ...(granted.length > 0 && { granted }), ...(withdrawn.length > 0 && { withdrawn }) };
}

/** Members of an application that a change changes, by their names in the interface. */
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

/** What of a tenant a change changes. Keys have no values here: that they changed is all. */
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
 * What each call of each port is: an effect, of which a record says before it happens, or none. A
 * port or a call that is missing here does not compile. Not effects are the records of idempotency
 * keys, the steps of an invocation that was accepted, and messages about it: what they lead to is
 * recorded where it happens.
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
  egress: { send: ({ destination }) => ({ host: destination.url.host, leaves: true }) },
  idempotencyStore: { claim: NONE, markRun: NONE, keep: NONE, release: NONE },
  invocationCredentials: { create: () => ({}), remove: NONE, findByKeyHash: NONE },
  invocationQueue: { send: NONE },
  invocationStore: {
    create: ({ id, reactorId }) => ofReactor(reactorId, { invocation: id }),
    putContent: ({ id }) => ({ invocation: id }),
    remove: ({ id }) => ({ invocation: id }),
    update: NONE,
    find: NONE,
    content: NONE,
    parked: NONE,
  },
  keyService: { generateKey: NONE, unwrapKey: NONE },
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
    // What it changes is said where it is known (change-reactor.ts).
    update: ({ id }) => ofReactor(id),
    delete: ({ id }) => ofReactor(id),
    find: NONE,
    findMany: NONE,
    list: NONE,
  },
  sessionStore: {
    create: ({ id }) => ({ resource: `session:${id}` }),
    authorize: (_tenantId, _nonceHash, grants) => ({
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
  tokenStore: {
    create: (writes) => ({ tokens: writes.map(({ token }) => token), form: 'create' }),
    // It is marked as shared: the caller was given it as a duplicate.
    update: (previous, { token }) => ({
      tokens: [{ id: token.id, containers: [...new Set([...previous.containers, ...token.containers])] }],
      form: previous.isShared === token.isShared ? 'update' : 'identity',
    }),
    deleteAlone: (_tenantId, id) => ({ tokens: [{ id }], form: 'delete' }),
    deleteWhole: (token) => ({ tokens: [token], form: 'delete' }),
    find: FINDS,
    findMany: FINDS,
    findHeads: FINDS,
    findCvcs: NONE,
    findMatches: NONE,
    readData: NONE,
    candidates: NONE,
  },
  vault: { seal: NONE, open: NONE },
};

type Call = (...args: readonly unknown[]) => unknown;

/** A port whose effects are recorded before they happen. */
function auditedPort(
  port: Readonly<Record<string, Call>>,
  kinds: Readonly<Record<string, unknown>>,
  scope: AuditScope,
) {
  const calls = Object.entries(kinds).flatMap(([name, kind]): [string, Call][] => {
    const call = port[name];
    if (call === undefined) return [];
    const plain: Call = (...args) => call.apply(port, [...args]);
    if (kind === NONE) return [[name, plain]];
    if (kind === FINDS)
      return [
        [
          name,
          async (...args) => {
            const found = (await plain(...args)) as NamedToken | readonly NamedToken[] | undefined;
            scope.found([found ?? []].flat());
            return found;
          },
        ],
      ];
    const effectOf = kind as (...args: readonly unknown[]) => Effect;
    return [
      [
        name,
        async (...args) => {
          await scope.ahead(effectOf(...args));
          return plain(...args);
        },
      ],
    ];
  });
  return Object.fromEntries(calls);
}

/**
 * The dependencies as one request may use them: every effect of a port is recorded ahead of it, and
 * what is shown is said to `audit`.
 */
export function auditedDeps<Deps extends object>(
  deps: Deps & Classified<Deps>,
  scope: AuditScope,
): Deps & { readonly audit: Sightings } {
  const ports = Object.entries(EFFECTS).flatMap(([name, kinds]) => {
    const port = (deps as Readonly<Record<string, unknown>>)[name];
    return port === undefined
      ? []
      : [[name, auditedPort(port as Readonly<Record<string, Call>>, kinds, scope)] as const];
  });
  return { ...(deps as Deps), ...Object.fromEntries(ports), audit: scope };
}
