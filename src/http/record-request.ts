import { credentialOf, type Caller } from '../core/access/caller.ts';
import type { AuditLog } from '../core/audit/audit-log.ts';
import { DEPLOYMENT, type AuditEntry } from '../core/audit/audit-record.ts';
import { openScope, outcomeOf, type Sightings } from '../core/audit/audit-scope.ts';
import type { Clock } from '../core/shared/clock.ts';
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

/**
 * The network of an address: a whole IPv4 address, or the first 64 bits of IPv6, since one host may
 * use the rest freely. A text that is not an address is its own network.
 */
export function networkOf(address: string): string {
  const ipv4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (ipv4 !== undefined || !address.includes(':')) return ipv4 ?? address;
  const [front = [], back] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - (back?.length ?? 8)) }, () => '0');
  const groups = [...front, ...zeros, ...(back ?? [])].slice(0, 4);
  return `${groups.map((group) => parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** How long an instance counts rejections before it records as many again, in ms. */
const GROUPED_MS = 60_000;
/** Most records of an instance in this time. Each is for a network that has none yet. */
const RECORDS_MAX = 4;
/** Most networks that are counted. */
const NETWORKS_MAX = 1_000;

/** Rejections that are counted and not recorded yet. */
interface Waiting {
  count: number;
  readonly networks: Set<string>;
}

/**
 * Records unknown callers in the deployment's trail, not in that of a claimed tenant. The number of
 * records depends on the time alone, because a caller may have any number of addresses. Unknown
 * callers see no data, so their responses need no record.
 */
export function createRefusals({ auditLog, clock }: { readonly auditLog: AuditLog; readonly clock: Clock }) {
  let [until, recorded] = [-Infinity, new Set<string>()];
  let waiting: Waiting = { count: 0, networks: new Set() };

  function wait(count: number, networks: Iterable<string>): void {
    waiting.count += count;
    for (const network of networks) if (waiting.networks.size < NETWORKS_MAX) waiting.networks.add(network);
  }

  async function record(about: Required<Pick<AuditEntry, 'op' | 'ip'>>, status: number): Promise<void> {
    const now = clock();
    // The second condition is true if the clock was set back.
    if (now >= until || now < until - GROUPED_MS) [until, recorded] = [now + GROUPED_MS, new Set()];
    const network = networkOf(about.ip);
    wait(1, [network]);
    if (recorded.has(network) || recorded.size >= RECORDS_MAX) return;
    recorded.add(network);
    const { count, networks } = waiting;
    waiting = { count: 0, networks: new Set() };
    const counts = {
      ...(count > 1 && { count }),
      ...(networks.size > 1 && { networks: networks.size }),
    };
    const entry = { ...about, outcome: outcomeOf(status), status, ...counts };
    await auditLog.append(DEPLOYMENT, entry).catch(() => {
      wait(count, networks);
    });
  }

  return async <T>(
    about: Required<Pick<AuditEntry, 'op' | 'ip'>>,
    identify: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await identify();
    } catch (error) {
      const { status } = problemOf(error).problem;
      if (status < 500) await record(about, status);
      throw error;
    }
  };
}

/**
 * Records effects of a request before they happen, and its end before the response is sent. Throws
 * the failure of the request, and `dependency_unavailable` if it cannot be recorded.
 */
export async function recordRequest<Deps extends { readonly audit: Sightings; readonly auditLog: AuditLog }>(
  deps: Unaudited<Deps> & Classified<Unaudited<Deps>>,
  caller: Caller,
  { route, params, request }: MatchedRoute<Deps>,
  source: string,
  run: (audited: Deps) => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { subject, operation } = route;
  const { id = '' } = params;
  const resource =
    subject !== undefined && subject !== 'token' && isUuid(id) ? `${subject}:${id}` : undefined;
  const entry = {
    op: operation,
    app: caller.applicationId,
    cred: credentialOf(caller),
    ip: source,
    trace: request.traceId,
    ...(resource !== undefined && { resource }),
  };
  const { auditLog } = deps as Pick<Deps, 'auditLog'>;
  auditLog.prepare(caller.tenantId);
  const scope = openScope(auditLog, caller.tenantId, entry);
  if (subject === 'token') scope.named([id]);
  try {
    const response = await run(auditedDeps<Deps>(deps, scope));
    const status = response.statusCode ?? 200;
    // A failure that a destination returns is no failure of the service.
    await scope.close({ status, outcome: route.passesOn === true ? 'ok' : outcomeOf(status) });
    return response;
  } catch (error) {
    const { status } = problemOf(error).problem;
    await scope.close({ status, outcome: outcomeOf(status) });
    throw error;
  }
}
