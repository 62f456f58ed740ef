import type { FieldErrors } from '../shared/service-error.ts';
import type { AccessRule, Grants } from './access-rule.ts';
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

/** Reports a priority that two rules share. */
export function checkPriorities(rules: readonly AccessRule[], report: Report): void {
  const seen = new Set<number>();
  rules.forEach(({ priority }, index) => {
    if (seen.has(priority))
      report(`rules[${String(index)}].priority`, 'must be unique within the application');
    seen.add(priority);
  });
}

/**
 * The errors of the grants of an application of this type, by path; empty if there are none
 * (docs/contract.md#permissions, docs/contract.md#access-rules).
 */
export function validateGrants(type: ApplicationType, grants: Grants): FieldErrors {
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
  checkPriorities(grants.rules, report);
  return errors;
}
