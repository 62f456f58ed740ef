import {
  admits,
  ANY_ID,
  decidingCandidate,
  permissionOf,
  shownFor,
  transformOf,
  type Candidate,
  type Match,
  type Right,
  type Step,
} from '../access/access-decision.ts';
import type { Grants, Transform } from '../access/access-rule.ts';
import type { Caller } from '../access/caller.ts';
import { callbackProblem } from '../access/parse-callback.ts';
import { requirePermission } from '../access/require-permission.ts';
import { checkSessionRules } from '../access/validate-grants.ts';
import type { EgressAllowList } from '../egress/destination.ts';
import type { Container } from '../shared/container.ts';
import { invalid } from '../shared/service-error.ts';
import { FieldReporter } from '../shared/field-reporter.ts';
import { existingApplication, type GetApplicationDeps } from './get-application.ts';

/** Whose rights are asked for: those of an application, or rights that no one has yet. */
export type Subject = { readonly applicationId: string } | { readonly grants: Grants };

/** Asks what a request meets for a token in one container (docs/contract.md#explain-access). */
export interface Question {
  readonly subject: Subject;
  readonly right: Right;
  readonly container: Container;
}

/** One step explains one candidate, or a setting of the tenant. */
export interface ExplainedStep {
  readonly candidate: Candidate | 'tenant';
  readonly matched: Match;
  readonly because: string;
}

/** The answer. Without `transform` there is no access, or it depends on the id of the token. */
export interface Explanation {
  readonly allowed: Match;
  readonly transform?: Transform;
  /** The candidate that decides; absent if none does, or if that depends on the id of the token. */
  readonly decidedBy?: Candidate;
  readonly steps: readonly ExplainedStep[];
}

function reasonOf({ candidate, isGranting, matched }: Step, right: Right): string {
  const permission = permissionOf(right);
  if (!isGranting)
    return candidate === 'permissions'
      ? `${permission} is not granted at the top level.`
      : `It does not grant ${permission}.`;
  if (matched === 'unknown') return 'It covers the container for some tokens: a condition asks for their id.';
  if (!matched) return 'It does not cover the container.';
  return admits(candidate, right)
    ? 'It is the first that grants the permission and covers the container, so it decides.'
    : 'It is the first that grants the permission and covers the container, so it decides. Its `through` does not name this destination, so the request is refused.';
}

/** Explains these grants by the function that decides about requests. */
export function explainGrants(grants: Grants, right: Right, container: Container): Explanation {
  const steps: ExplainedStep[] = [];
  const permission = permissionOf(right);
  // A new token has no id when it is decided.
  const id = permission === 'token:create' ? undefined : ANY_ID;
  const decidedBy = decidingCandidate(grants, permission, id, container, (step) => {
    const { candidate, matched } = step;
    steps.push({ candidate, matched, because: reasonOf(step, right) });
  });
  if (decidedBy === 'unknown') return { allowed: decidedBy, steps };
  if (decidedBy === undefined) return { allowed: false, steps };
  return admits(decidedBy, right)
    ? { allowed: true, transform: shownFor(transformOf(decidedBy, permission), permission), decidedBy, steps }
    : { allowed: false, decidedBy, steps };
}

const TURNED_OFF: ExplainedStep = {
  candidate: 'tenant',
  matched: true,
  because: 'The setting ephemeral_proxy of the tenant turns the ephemeral proxy off for all.',
};

/** A request with an address to which the deployment sends nothing is refused before any rule. */
function checkWay(right: Right, allowList: EgressAllowList): void {
  const callback =
    typeof right === 'object' && typeof right.use === 'object' && 'reactor' in right.use
      ? right.use.callback
      : undefined;
  const problem = callback === undefined ? undefined : callbackProblem(callback, allowList);
  if (problem !== undefined) throw invalid('through.callback_url', problem);
}

export interface ExplainAccessDeps extends GetApplicationDeps {
  readonly egressAllowList: EgressAllowList;
}

function checkGrants({ rules }: Grants, allowList: EgressAllowList): void {
  const fields = new FieldReporter();
  checkSessionRules(rules, allowList, fields.report);
  fields.throwIfFailed();
}

/**
 * Explains how a request would be decided, and by which rule. Needs `application:read`. Reads no
 * token, so it shows no one that a token exists. Throws `not_found` for an unknown application, and
 * `validation_failed` for rules that no one can have.
 */
export async function explainAccess(
  deps: ExplainAccessDeps,
  caller: Caller,
  { subject, right, container }: Question,
): Promise<Explanation> {
  requirePermission(caller, 'application:read');
  if ('grants' in subject) checkGrants(subject.grants, deps.egressAllowList);
  checkWay(right, deps.egressAllowList);
  const grants =
    'grants' in subject
      ? subject.grants
      : await existingApplication(deps, caller.tenantId, subject.applicationId);
  const isTurnedOff =
    typeof right !== 'string' &&
    right.use === 'named_by_caller' &&
    caller.tenantSettings?.ephemeralProxy !== true;
  return isTurnedOff ? { allowed: false, steps: [TURNED_OFF] } : explainGrants(grants, right, container);
}
