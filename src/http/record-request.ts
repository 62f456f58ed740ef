import { credentialOf, type Caller } from '../core/access/caller.ts';
import type { AuditLog } from '../core/audit/audit-log.ts';
import { DEPLOYMENT, type AuditEntry } from '../core/audit/audit-record.ts';
import { openScope, outcomeOf, type AuditSubject, type Sightings } from '../core/audit/audit-scope.ts';
import { RefusedKeyError } from '../core/access/refused-key.ts';
import { networkOf } from '../core/access/source-networks.ts';
import type { Proxy } from '../core/stored-proxies/stored-proxy.ts';
import type { Clock } from '../core/shared/clock.ts';
import { defined } from '../core/shared/defined.ts';
import { isUuid } from '../core/shared/is-uuid.ts';
import { auditedDeps, type Classified, type Unaudited } from '../lambda/audited-deps.ts';
import type { ApiRequest } from './api-request.ts';
import type { ApiResponse } from './api-response.ts';
import { problemOf } from '../wire/problem.ts';
import type { MatchedRoute } from './route.ts';

/**
 * The source address, from the gateway or, behind the edge, from CloudFront. Each appends the
 * address that it sees to the client header (Amazon CloudFront Developer Guide, X-Forwarded-For).
 */
export function sourceAddress({ sourceIp, headers }: ApiRequest, behindEdge: boolean): string {
  if (!behindEdge) return sourceIp;
  const hops = (headers['x-forwarded-for'] ?? '').split(',').map((hop) => hop.trim());
  if (hops.at(-1) === sourceIp) hops.pop();
  const vouchedFor = hops.at(-1) ?? '';
  return /^[\da-f.:]{2,45}$/i.test(vouchedFor) ? vouchedFor : sourceIp;
}

/** How long an instance counts rejections before it records as many again, in ms. */
const GROUPED_MS = 60_000;
/** Most records of one group in this time. Each is for a network that has none yet. */
const RECORDS_MAX = 4;
/**
 * Most records of the keys of one tenant in this time. Retired keys are counted apart from others.
 */
const TENANT_RECORDS_MAX = 16;
/** Most networks that are counted, of unknown keys together and of one known key. */
const NETWORKS_MAX = { unknown: 1_000, known: 64 } as const;
/** Most keys whose rejections are counted apart. */
const KEYS_MAX = 1_000;

/** A record of rejections has these members besides their number. */
type About = Required<Pick<AuditEntry, 'op' | 'ip'>> &
  Pick<AuditEntry, 'app' | 'proxy' | 'cred' | 'resource'>;

interface RefusalDeps {
  readonly auditLog: AuditLog;
  readonly clock: Clock;
}

/** A value that is made again once a minute has passed. */
function eachMinute<T>(clock: Clock, make: () => T): () => T {
  let until = -Infinity;
  let value = make();
  return () => {
    const now = clock();
    // The second condition is true if the clock was set back.
    if (now >= until || now < until - GROUPED_MS) [until, value] = [now + GROUPED_MS, make()];
    return value;
  };
}

/** Rejections that have no record yet. */
interface Waiting {
  readonly count: number;
  readonly networks: ReadonlySet<string>;
}

/**
 * Counts rejections, and records some of them in a minute, each for a network that has no record
 * yet. The next record has the number of all before it. `mayRecord` limits several groups together.
 */
function createGroup({ auditLog, clock }: RefusalDeps, networksMax: number, mayRecord = () => true) {
  const recordedNow = eachMinute(clock, () => new Set<string>());
  let waiting = { count: 0, networks: new Set<string>() };

  function wait({ count, networks }: Waiting): void {
    waiting.count += count;
    for (const network of networks) if (waiting.networks.size < networksMax) waiting.networks.add(network);
  }

  function takeWaiting(): Waiting {
    const taken = waiting;
    waiting = { count: 0, networks: new Set() };
    return taken;
  }

  async function record(about: About, status: number): Promise<void> {
    const recorded = recordedNow();
    const network = networkOf(about.ip);
    wait({ count: 1, networks: new Set([network]) });
    if (recorded.has(network) || recorded.size >= RECORDS_MAX || !mayRecord()) return;
    recorded.add(network);
    const { count, networks } = takeWaiting();
    const entry = {
      ...about,
      outcome: outcomeOf(status),
      status,
      ...(count > 1 && { count }),
      ...(networks.size > 1 && { networks: networks.size }),
    };
    await auditLog.append(DEPLOYMENT, entry).catch(() => {
      wait({ count, networks });
    });
  }

  return { record, wait, takeWaiting };
}

/**
 * Records rejected keys in the deployment's trail, not in that of a claimed tenant. The number of
 * records depends on the time, because a caller may have any number of addresses and of former
 * keys. The rejections of a key that is or was one of an application are counted apart and name it,
 * so that no flood of unknown keys hides them, nor one of another tenant's keys. Rejected callers
 * see no data, so their responses need no record.
 */
export function createRefusals(deps: RefusalDeps & { readonly onRetiredKeyUsed: () => void }) {
  const unknown = createGroup(deps, NETWORKS_MAX.unknown);
  const known = new Map<string, ReturnType<typeof createGroup>>();
  const recordedNow = eachMinute(deps.clock, () => new Map<string, number>());
  const reportedNow = eachMinute(deps.clock, () => new Set<string>());

  /** Whether the tenant of a key has records left in this minute. */
  function mayRecord({ key, isRetired }: RefusedKeyError): boolean {
    const recorded = recordedNow();
    const name = `${key.tenantId} ${String(isRetired)}`;
    const count = recorded.get(name) ?? 0;
    recorded.set(name, count + 1);
    return count < TENANT_RECORDS_MAX;
  }

  function groupOf(error: RefusedKeyError) {
    // A key that is deleted is counted apart from what it was before.
    const name = `${error.key.keyId} ${String(error.isRetired)}`;
    const existing = known.get(name);
    if (existing !== undefined) return existing;
    const [oldest] = known.size < KEYS_MAX ? [] : known;
    if (oldest !== undefined) {
      known.delete(oldest[0]);
      unknown.wait(oldest[1].takeWaiting());
    }
    const group = createGroup(deps, NETWORKS_MAX.known, () => mayRecord(error));
    known.set(name, group);
    return group;
  }

  /** Rings the alarm once a minute for a tenant, however many records it has. */
  function report({ key, isRetired }: RefusedKeyError): void {
    const reported = reportedNow();
    if (!isRetired || reported.has(key.tenantId)) return;
    reported.add(key.tenantId);
    deps.onRetiredKeyUsed();
  }

  async function record(about: Pick<About, 'op' | 'ip'>, status: number, error: unknown): Promise<void> {
    if (!(error instanceof RefusedKeyError)) return unknown.record(about, status);
    report(error);
    const { tenantId, applicationId: app, proxyId: proxy, keyId } = error.key;
    const named = defined({ ...about, app, proxy, cred: `key:${keyId}`, resource: `tenant:${tenantId}` });
    return groupOf(error).record(named, status);
  }

  return async <T>(about: Pick<About, 'op' | 'ip'>, identify: () => Promise<T>): Promise<T> => {
    try {
      return await identify();
    } catch (error) {
      const { status } = problemOf(error).problem;
      if (status < 500) await record(about, status, error);
      throw error;
    }
  };
}

/** The error of a step, or this one if the step succeeds. */
const failureOf = (step: Promise<void>, otherwise: unknown): Promise<unknown> =>
  step.then(
    () => otherwise,
    (error: unknown) => error,
  );

/** The caller who sends a request, and the stored proxy whose key it has. */
interface Requester {
  readonly caller: Caller;
  readonly proxy?: Proxy | undefined;
}

/** The subject of a route is the `{id}` of its path, by which its record names it. */
function subjectId(
  { operation }: { readonly operation: string },
  params: Readonly<Record<string, string>>,
): string {
  const id = params['id'];
  if (id === undefined) throw new Error(`${operation} has a subject, and no {id} in its path`);
  return id;
}

/** Returns the members that all records of a request have in common. */
function subjectOf<Deps>(
  { caller, proxy }: Requester,
  { route, params, request }: MatchedRoute<Deps>,
  source: string,
): AuditSubject {
  const { subject, operation } = route;
  const hasResource = subject !== undefined && subject !== 'token';
  const id = hasResource && route.path.includes('{') ? subjectId(route, params) : '';
  const resource = hasResource && isUuid(id) ? `${subject}:${id}` : undefined;
  return {
    op: operation,
    app: caller.applicationId,
    cred: credentialOf(caller),
    ip: source,
    trace: request.traceId,
    ...(resource !== undefined && { resource }),
    ...(proxy && { proxy: proxy.stored.id, proxyVersion: proxy.stored.definitionVersion }),
  };
}

/** A response whose end is recorded. */
interface Recorded {
  readonly response: ApiResponse;
  /** The number of tokens that it shows in plaintext. */
  readonly revealed: number;
}

/** Steps that happen between the records of a request. */
interface RecordedSteps<Deps> {
  readonly run: (audited: Deps) => Promise<ApiResponse>;
  /** Names the tokens of a request whose caller was refused before any was read. */
  readonly nameTokens: (audited: Deps) => Promise<void>;
}

/**
 * Records effects of a request before they happen, and its end before the response is sent. Throws
 * the failure of the request, and `dependency_unavailable` if it cannot be recorded.
 */
export async function recordRequest<Deps extends { readonly audit: Sightings; readonly auditLog: AuditLog }>(
  deps: Unaudited<Deps> & Classified<Unaudited<Deps>>,
  { caller, proxy }: Requester,
  matched: MatchedRoute<Deps>,
  source: string,
  { run, nameTokens }: RecordedSteps<Deps>,
): Promise<Recorded> {
  const { route, params } = matched;
  const { auditLog } = deps as Pick<Deps, 'auditLog'>;
  auditLog.prepare(caller.tenantId);
  const scope = openScope(auditLog, caller.tenantId, subjectOf({ caller, proxy }, matched, source));
  if (route.subject === 'token') scope.named([subjectId(route, params)]);
  const audited = auditedDeps<Deps>(deps, scope);
  try {
    const response = await run(audited);
    const status = response.statusCode ?? 200;
    // A failure that a destination returns is no failure of the service.
    const outcome = route.passesOn === true ? 'ok' : outcomeOf(status);
    await scope.close({ status, outcome });
    return { response, revealed: outcome === 'ok' ? scope.revealed : 0 };
  } catch (failure) {
    const { code } = problemOf(failure).problem;
    const isForbidden = code === 'forbidden' || code === 'address_not_allowed';
    // The caller learns the refusal only if the tokens are in its record.
    const error = isForbidden && !scope.hasNamed ? await failureOf(nameTokens(audited), failure) : failure;
    const { status, destination_status: answered } = problemOf(error).problem;
    await scope.close({ status, outcome: answered === undefined ? outcomeOf(status) : 'failed' });
    throw error;
  }
}
