import type { AwsAccess, PolicyDocument, PolicyStatement } from '../aws-service.ts';
import { conditionsHold, type ConditionKeys } from './conditions.ts';
import { matchesArn, matchesWildcardIgnoringCase } from './wildcard.ts';

type OneOrMany = string | readonly string[];

function some(patterns: OneOrMany, matches: (pattern: string) => boolean): boolean {
  return typeof patterns === 'string' ? matches(patterns) : patterns.some(matches);
}

function coversAction({ Action, NotAction }: PolicyStatement, action: string): boolean {
  const matches = (pattern: string): boolean => matchesWildcardIgnoringCase(pattern, action);
  if (Action !== undefined) return some(Action, matches);
  return NotAction !== undefined && !some(NotAction, matches);
}

function resourceMatches(pattern: string, resource: string): boolean {
  if (pattern.includes('${')) throw new Error(`IAM policy variables do not work locally: ${pattern}`);
  return matchesArn(pattern, resource);
}

function coversResource({ Resource, NotResource }: PolicyStatement, resource: string): boolean {
  const matches = (pattern: string): boolean => resourceMatches(pattern, resource);
  if (Resource !== undefined) return some(Resource, matches);
  return NotResource !== undefined && !some(NotResource, matches);
}

/** Whether a statement applies to the access, by its action, resource and conditions. */
export function applies(statement: PolicyStatement, access: AwsAccess, keys: ConditionKeys): boolean {
  return (
    coversAction(statement, access.action) &&
    coversResource(statement, access.resource) &&
    conditionsHold(statement, keys)
  );
}

/** The statements of several policies with an effect that apply to the access. */
export function anyStatement(
  policies: readonly PolicyDocument[],
  effect: 'Allow' | 'Deny',
  access: AwsAccess,
  keys: ConditionKeys,
): boolean {
  return policies.some(({ Statement }) =>
    Statement.some((statement) => statement.Effect === effect && applies(statement, access, keys)),
  );
}
