import type { Caller } from '../core/applications/application.ts';
import type { AuditLog } from '../core/audit/audit-log.ts';
import { DEPLOYMENT, type AuditEntry } from '../core/audit/audit-record.ts';
import { credentialOf, openScope, outcomeOf, type Sightings } from '../core/audit/audit-scope.ts';
import { auditedDeps, type Classified, type Unaudited } from '../core/audit/effects.ts';
import type { Clock } from '../core/shared/clock.ts';
import { isUuid } from '../core/shared/is-uuid.ts';
import type { ApiRequest } from './api-request.ts';
import type { ApiResponse } from './api-response.ts';
import { problemOf } from './problem.ts';
import type { MatchedRoute } from './route.ts';

/**
 * The source address, from the gateway or, behind the edge, from CloudFront: each appends the
 * address that it sees to the client header (Amazon CloudFront Developer Guide, X-Forwarded-For).
 */
export function sourceAddress({ sourceIp, headers }: ApiRequest, behindEdge: boolean): string {
  if (!behindEdge) return sourceIp;
  const hops = (headers['x-forwarded-for'] ?? '').split(',').map((hop) => hop.trim());
  if (hops.at(-1) === sourceIp) hops.pop();
  const vouchedFor = hops.at(-1) ?? '';
  return /^[\da-f.:]{2,45}$/i.test(vouchedFor) ? vouchedFor : sourceIp;
}

/** How long the service counts the rejections of one source before it records the next, in ms. */
const GROUPED_MS = 10_000;
/** Most remembered sources. */
const SOURCES_MAX = 1_000;

interface Refusals {
  readonly until: number;
  /** Not recorded yet. */
  count: number;
}

/**
 * Records unknown callers in the deployment's trail, not in that of a claimed tenant; a flood
 * leaves few records. They see no data, so they need no record for a response.
 */
export function createRefusals({ auditLog, clock }: { readonly auditLog: AuditLog; readonly clock: Clock }) {
  const sources = new Map<string, Refusals>();

  async function record(about: Required<Pick<AuditEntry, 'op' | 'ip'>>, status: number): Promise<void> {
    const now = clock();
    const known = sources.get(about.ip);
    if (known !== undefined && known.until > now) {
      known.count += 1;
      return;
    }
    const [oldest] = sources.size < SOURCES_MAX ? [] : sources.keys();
    if (oldest !== undefined) sources.delete(oldest);
    sources.set(about.ip, { until: now + GROUPED_MS, count: 0 });
    const count = (known?.count ?? 0) + 1;
    const entry = { ...about, outcome: outcomeOf(status), status, ...(count > 1 && { count }) };
    await auditLog.append(DEPLOYMENT, entry).catch(() => undefined);
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
  const scope = openScope(auditLog, caller.tenantId, entry);
  if (subject === 'token') scope.named([id]);
  try {
    const response = await run(auditedDeps<Unaudited<Deps>>(deps, scope) as unknown as Deps);
    const status = response.statusCode ?? 200;
    // The response of a destination is no failure of the service.
    await scope.close({ status, outcome: route.passesOn === true ? 'ok' : outcomeOf(status) });
    return response;
  } catch (error) {
    const { status } = problemOf(error).problem;
    await scope.close({ status, outcome: outcomeOf(status) });
    throw error;
  }
}
