import type { EgressAllowList } from '../egress/destination.ts';
import type { FieldErrors } from '../shared/service-error.ts';
import { RULE_LIMITS, type AccessRule, type Grants } from './access-rule.ts';
import { callbackProblem } from './parse-callback.ts';
import { holdersOf, isLegalFor, type ApplicationType, type Permission } from './permission.ts';

type Report = (path: string, message: string) => void;

function checkPermissions(
  permissions: readonly Permission[],
  type: ApplicationType,
  path: string,
  report: Report,
): void {
  permissions.forEach((permission, index) => {
    if (!isLegalFor(permission, type))
      report(
        `${path}[${String(index)}]`,
        `is not allowed for ${type} applications; ${holdersOf(permission)} applications can hold it`,
      );
  });
}

function checkRule(rule: AccessRule, type: ApplicationType, path: string, report: Report): void {
  if (rule.permissions.length === 0) report(`${path}.permissions`, 'must not be empty');
  checkPermissions(rule.permissions, type, `${path}.permissions`, report);
  if (rule.conditions !== undefined) report(`${path}.conditions`, `are only allowed for sessions`);
  if (rule.container === undefined) report(`${path}.container`, `is required`);
}

/** The reason why a rule may not have its destinations; `undefined` if it may. */
function throughProblem({ permissions, through }: AccessRule): string | undefined {
  if (through === undefined) return undefined;
  if (!permissions.includes('token:use')) return 'is only allowed for rules that grant token:use';
  const { proxies, reactors, callbacks = [] } = through;
  if (proxies.length + reactors.length === 0) return 'must name a proxy or a reactor';
  if (callbacks.length > 0 && reactors.length === 0)
    return 'must name the reactors whose results go to its callbacks';
  return proxies.length + reactors.length + callbacks.length > RULE_LIMITS.through
    ? `must be at most ${String(RULE_LIMITS.through)} ids and callbacks in all`
    : undefined;
}

/** Reports a priority that two rules share, and destinations that a rule may not have. */
function checkRules(rules: readonly AccessRule[], allowList: EgressAllowList, report: Report): void {
  const seen = new Set<number>();
  rules.forEach((rule, index) => {
    const path = `rules[${String(index)}]`;
    if (seen.has(rule.priority)) report(`${path}.priority`, 'must be unique within the application');
    seen.add(rule.priority);
    const problem = throughProblem(rule);
    if (problem !== undefined) report(`${path}.through`, problem);
    rule.through?.callbacks?.forEach((address, at) => {
      const refused = callbackProblem(address, allowList);
      if (refused !== undefined) report(`${path}.through.callbacks[${String(at)}]`, refused);
    });
  });
}

/**
 * Reports too many conditions: each is compared with the rules of the authorizing application at
 * every request of the session.
 */
export function checkConditionCounts(rules: readonly AccessRule[], report: Report): void {
  let all = 0;
  rules.forEach(({ conditions = [] }, index) => {
    all += conditions.length;
    if (conditions.length > RULE_LIMITS.conditions)
      report(`rules[${String(index)}].conditions`, `must be at most ${String(RULE_LIMITS.conditions)}`);
  });
  if (all > RULE_LIMITS.conditionsInAll)
    report('rules', `must have at most ${String(RULE_LIMITS.conditionsInAll)} conditions in all`);
}

/**
 * Reports what is wrong with rules that may have conditions, as those of sessions. The allow list
 * decides about the addresses of `callbacks`.
 */
export function checkSessionRules(
  rules: readonly AccessRule[],
  allowList: EgressAllowList,
  report: Report,
): void {
  rules.forEach((rule, index) => {
    const path = `rules[${String(index)}]`;
    const hasContainer = rule.container !== undefined;
    const hasConditions = (rule.conditions ?? []).length > 0;
    if (hasContainer === hasConditions)
      report(`${path}.conditions`, 'conditions or container is required, and not both');
    if (rule.permissions.length === 0) report(`${path}.permissions`, 'must not be empty');
  });
  checkConditionCounts(rules, report);
  checkRules(rules, allowList, report);
}

/**
 * The errors of the grants of an application of this type, by path; empty if there are none. The
 * allow list decides about the addresses of `callbacks`
 * (docs/contract.md#permissions, docs/contract.md#access-rules).
 */
export function validateGrants(
  type: ApplicationType,
  grants: Grants,
  allowList: EgressAllowList,
): FieldErrors {
  const errors: Record<string, string[]> = {};
  const report: Report = (path, message) => {
    (errors[path] ??= []).push(message);
  };
  if (grants.permissions.length === 0 && grants.rules.length === 0)
    report('permissions', 'permissions or rules must not be empty');
  checkPermissions(grants.permissions, type, 'permissions', report);
  if (type === 'management' && grants.rules.length > 0)
    report('rules', 'are only allowed for private and public applications');
  else
    grants.rules.forEach((rule, index) => {
      checkRule(rule, type, `rules[${String(index)}]`, report);
    });
  checkRules(grants.rules, allowList, report);
  return errors;
}
