import type { AuditLog } from '../core/audit/audit-log.ts';
import {
  openScope,
  outcomeOf,
  type AuditScope,
  type AuditSubject,
  type End,
  type Sightings,
} from '../core/audit/audit-scope.ts';
import { auditedDeps, type Classified, type Unaudited } from './audited-deps.ts';

/** The trail, operation and subject under which background work is recorded. */
export interface Recorded {
  readonly trail: string;
  readonly subject: AuditSubject;
}

const FAILED: End = { status: 500, outcome: outcomeOf(500) };

/**
 * Records effects of background work before they happen. Work without an effect leaves no record.
 * Throws the failure of the work, and `dependency_unavailable` if it cannot be recorded.
 */
export async function withAudit<Deps extends { readonly audit: Sightings; readonly auditLog: AuditLog }, T>(
  deps: Unaudited<Deps> & Classified<Unaudited<Deps>>,
  { trail, subject }: Recorded,
  work: (audited: Deps, scope: AuditScope) => Promise<T>,
  endOf: (result: T) => End,
): Promise<T> {
  const scope = openScope((deps as Pick<Deps, 'auditLog'>).auditLog, trail, subject);
  const close = async (end: End) => {
    if (scope.hasBegun) await scope.close(end);
  };
  try {
    const result = await work(auditedDeps<Deps>(deps, scope), scope);
    await close(endOf(result));
    return result;
  } catch (error) {
    await close(FAILED);
    throw error;
  }
}
