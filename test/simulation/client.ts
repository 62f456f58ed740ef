import { isClearFailure, outcomeOf, tokensIn, type Findings } from './findings.ts';
import { knownValue, SETTLED_AFTER_MS, type KnownValue } from './known-values.ts';
import type { Internet } from './models/internet-model.ts';
import type { Register } from './register.ts';
import type { Draws } from './seeded.ts';
import type { Answer, Service, ServiceRequest } from './service.ts';
import type { World } from './world.ts';

/** Every plaintext begins with it, and nothing else has it. */
export const PLAINTEXT = 'plaintext-';

/** An id that a caller chooses. */
export const newName = (of: string): string => `name-${of}`;
export const isName = (id: string): boolean => id.startsWith('name-');

/** The tenant in which clients act, and what they share. */
export interface Target {
  readonly tenantId: string;
  readonly managementKey: string;
  /** Manages the other tenant, whose settings change. */
  readonly otherManagementKey: string;
  readonly otherTenantId: string;
  /** A private application that sees everything. */
  readonly privateKey: string;
  readonly publicKey: string;
  /** Belongs to another tenant. */
  readonly strangerKey: string;
  /** Returns its arguments as `raw`. */
  readonly reactorId: string;
  readonly webhookSecret: string;
  /** The keys and the secret, none of which may be stored or logged as it is. */
  readonly secrets: readonly string[];
  /** Finds the id of an application by its key. */
  readonly applicationIds: Map<string, string>;
  /** A token in which each client changes a member of its own. */
  readonly sharedId: string;
  /** Data that every client wants to exist once. */
  readonly duplicates: readonly string[];
  /** Ids that every client wants for its tokens. */
  readonly names: readonly string[];
}

export type Existence = 'yes' | 'no' | 'maybe';

/** The state of one token as far as its client, which alone changes it, can know. */
export interface KnownToken {
  /** All of its data begins with this text. */
  readonly mark: string;
  id?: string;
  exists: Existence;
  /** When a requested deletion has taken effect, or never will; Infinity without one. */
  settledAt: number;
  readonly data: KnownValue<string>;
  revision: number;
  /** Has metadata, by which it is found. */
  readonly isIndexed: boolean;
  /** Is one token however often its data is sent. */
  readonly isDeduplicated: boolean;
  /** Has more data than a list shows. */
  readonly isApart: boolean;
  /** In ms since the epoch; Infinity for none. */
  readonly expiresAt: number;
  /** All tokens of a request exist or none. */
  readonly group?: string;
}

/** An application that one client makes and changes. */
export interface KnownApplication {
  readonly name: string;
  readonly id: string;
  key: string | undefined;
  readonly formerKeys: string[];
  readonly permissions: KnownValue<string>;
  exists: Existence;
}

/** An invocation that a client sends under an idempotency key. */
export interface KnownJob {
  readonly name: string;
  /** The token that is filled in. */
  readonly token: KnownToken;
  /** The id of an asynchronous invocation that was accepted. */
  id?: string;
  /** Nothing explains a failure, unless its token is gone. */
  readonly isSure: boolean;
  /** It names no address: nothing is ever sent. */
  readonly isUnsent: boolean;
  /** Its address refuses deliveries, so that they are parked, until they are sent again. */
  readonly closedPath?: string;
  /** Whether it was sent again. */
  isResent?: boolean;
}

/** Stored proxies send to this host. */
export const PROXIED = 'proxied.example';

/** A key of a stored proxy. */
export interface KnownProxyKey {
  /** The id of the first key is not in the answer that shows the key. */
  readonly id: string | undefined;
  readonly text: string;
  /** The time at which its deletion was acknowledged, in ms since the epoch. */
  deletedAt: number | undefined;
  /** Whether its deletion was requested. */
  isDeleting: boolean;
}

/** A stored proxy that one client makes and changes. */
export interface KnownProxy {
  /** All of its marks begin with this text. */
  readonly name: string;
  readonly id: string;
  exists: Existence;
  /** The time at which its deletion was acknowledged, in ms since the epoch. */
  deletedAt?: number;
  revision: number;
  readonly marks: Register<string>;
  readonly secrets: Register<string>;
  readonly keys: KnownProxyKey[];
  /** The marks of the versions that answers have shown, by their numbers. */
  readonly versions: Map<number, string>;
}

/** A call through a stored proxy. */
export interface ProxyCall {
  /** The destination finds it in the path. */
  readonly id: string;
  readonly proxy: KnownProxy;
  readonly key: KnownProxyKey;
  readonly startedAt: number;
  /** Whether it was answered as done. */
  isDone: boolean;
}

export interface KnownSettings {
  readonly deduplicate_tokens: Register<boolean>;
  readonly ephemeral_proxy: Register<boolean>;
}

/** The stranger sends to this host alone. */
export const STRANGE = 'strange.example';

/** State that several clients share and judge together. */
export interface SharedKnowledge {
  /** Ids in answers for each of the duplicates. */
  readonly duplicateIds: Map<string, Set<string>>;
  /** How often a token was created under each of the names. */
  readonly named: Map<string, number>;
  /** The value that each client may have left in its member of the shared token. */
  readonly members: Map<string, KnownValue<number>>;
  readonly jobs: Map<string, KnownJob>;
  /** The values that the code of reactors got, for each run of a job. */
  readonly runs: Map<string, readonly unknown[]>;
  /** Calls through stored proxies, by their ids. */
  readonly proxyCalls: Map<string, ProxyCall>;
  /** Names of all stored proxies whose creation was requested. */
  readonly proxyNames: Set<string>;
  /** All clients change these settings of the other tenant. */
  readonly settings: KnownSettings;
  /** Whether an operator has begun to replace the root of the tenant. */
  isRootReplaced: boolean;
}

export interface ClientOptions {
  readonly world: World;
  readonly service: Service;
  readonly internet: Internet;
  readonly target: Target;
  readonly findings: Findings;
  readonly shared: SharedKnowledge;
  readonly mayDie: boolean;
  /** Whether calls of the service can fail, or instances die. */
  readonly areCallsFaulty: boolean;
  /** How far a clock of the service may be from the world's, in ms. */
  readonly skewMs: number;
}

/** One caller that makes one request after the other. */
export interface Client extends ClientOptions {
  readonly name: string;
  readonly tokens: KnownToken[];
  readonly applications: KnownApplication[];
  readonly proxies: KnownProxy[];
  /** The current step draws from this. */
  draws: Draws;
  readonly problem: (judge: string, text: string) => void;
  /**
   * Resolves to an answer with one of the statuses, and to undefined for a failure that is
   * allowed or an answer that was lost.
   */
  readonly send: (
    label: string,
    good: readonly number[],
    request: ServiceRequest,
  ) => Promise<Answer | undefined>;
  readonly begin: (
    more?: Partial<Pick<KnownToken, 'isIndexed' | 'isDeduplicated' | 'isApart' | 'expiresAt' | 'group'>>,
  ) => KnownToken;
  /** A token that may exist and whose id is known. */
  readonly aToken: () => (KnownToken & { id: string }) | undefined;
}

const FILLED_IN = /\{\{ ([\w-]{3,}) \}\}/g;
/** The path of a token. Only its deletion answers 204. */
const DELETED = /^\/tokens\/([^/?]+)$/;

export function createClient(name: string, options: ClientOptions): Client {
  const { world, service, target, findings, mayDie, areCallsFaulty } = options;
  const tokens: KnownToken[] = [];
  let traces = 0;

  async function send(label: string, good: readonly number[], request: ServiceRequest) {
    const trace = request.headers?.['svc-trace-id'] ?? `${name}-${String((traces += 1))}`;
    const answer = await service.request(name, {
      ...request,
      headers: { ...request.headers, 'svc-trace-id': trace },
    });
    const counted = `${label} ${answer === undefined ? 'unanswered' : String(answer.status)}`;
    findings.counts.set(counted, (findings.counts.get(counted) ?? 0) + 1);
    if (answer === undefined) return undefined;
    const { status, body } = answer;
    const filled = [...JSON.stringify(request.body ?? '').matchAll(FILLED_IN)].map(([, id = '']) => id);
    const outcome = outcomeOf(answer);
    // The ids that an asynchronous invocation fills in are recorded when it runs.
    const ids =
      outcome === 'ok' && status !== 202
        ? [...new Set([...tokensIn(body), ...filled.filter((id) => id !== 'data')])]
        : [];
    // Rejected keys are recorded in the trail of the deployment.
    const isRejected = status === 401 || body?.code === 'address_not_allowed';
    const isForeign = isRejected || [target.strangerKey, target.otherManagementKey].includes(request.key);
    const [, deleted] = (status === 204 && DELETED.exec(request.path)) || [];
    const applicationId = target.applicationIds.get(request.key);
    findings.answered.push({ label, trace, status, outcome, ids, deleted, applicationId, isForeign });
    for (const member of ['key', 'session_key', 'nonce'])
      if (typeof body?.[member] === 'string') findings.secrets.add(body[member]);
    if (good.includes(status)) return answer;
    const { method, headers } = request;
    // Two requests may have one key, or change one resource.
    const mayConflict =
      headers?.['svc-idempotency-key'] !== undefined || ['PATCH', 'PUT', 'DELETE'].includes(method);
    // Without faults nothing explains a failure.
    if (!areCallsFaulty || !isClearFailure(answer, { mayDie, mayConflict }))
      problem(
        'answers',
        `${label}: ${request.method} ${request.path} gave ${String(status)} ${JSON.stringify(body)}`,
      );
    return undefined;
  }

  function problem(judge: string, text: string): void {
    findings.problems.push({ judge, text: `${name}: ${text}` });
    world.happened(name, `BROKEN (${judge}): ${text}`);
  }

  const client: Client = {
    ...options,
    name,
    tokens,
    applications: [],
    proxies: [],
    draws: world.draws(name),
    problem,
    send,
    begin: ({
      isIndexed = false,
      isDeduplicated = false,
      isApart = false,
      expiresAt = Infinity,
      group,
    } = {}) => {
      const mark = `${PLAINTEXT}${name}-${String(tokens.length)}`;
      const token: KnownToken = {
        mark,
        exists: 'maybe',
        settledAt: Infinity,
        revision: 0,
        isIndexed,
        isDeduplicated,
        isApart,
        expiresAt,
        data: knownValue(`${mark}#0`, world.now),
        ...(group !== undefined && { group }),
      };
      tokens.push(token);
      return token;
    },
    aToken: () => {
      const own = tokens.filter(
        (token): token is KnownToken & { id: string } =>
          token.id !== undefined && token.exists !== 'no' && !token.isApart,
      );
      return own.length === 0 ? undefined : client.draws.pick(own);
    },
  };
  return client;
}

/** Whether a token must be there, must not be, or neither is certain. */
export function presence({ world, skewMs }: Pick<Client, 'world' | 'skewMs'>, token: KnownToken): Existence {
  const now = world.now();
  if (token.exists === 'no' || now > token.expiresAt + skewMs) return 'no';
  if (token.exists === 'maybe') return 'maybe';
  // An answer is on its way for some ms after the service has looked at its clock.
  return now < token.expiresAt - skewMs ? 'yes' : 'maybe';
}

/** A deletion was requested: it may happen until {@link SETTLED_AFTER_MS} after a failure. */
export function mayBeDeleted(token: KnownToken): void {
  token.exists = 'maybe';
  token.settledAt = Infinity;
}

export function deletionFailed(client: Client, token: KnownToken): void {
  token.settledAt = client.world.now() + SETTLED_AFTER_MS;
}
