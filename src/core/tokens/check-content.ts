import { MASK_STEPS, type Budget } from '../expressions/budget.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { checkTemplate, checkTemplates, type HandleFailure } from '../expressions/render.ts';
import { CONTAINER_FORM, parseContainer, type Container } from '../shared/container.ts';
import { FieldReporter, type Report } from '../shared/field-reporter.ts';
import { isJsonObject, type Json } from '../shared/json.ts';
import { shownName, unknownName } from '../shared/known-names.ts';
import { pathOf } from '../shared/member-path.ts';
import type { Timestamp } from '../shared/timestamp.ts';
import { parseExpiration } from './expiration.ts';
import type { TokenDetails } from './token.ts';
import type { TokenType } from './types/definition.ts';

/** Limits of a token (docs/contract.md#limits): numbers of entries, and lengths in characters. */
export const TOKEN_LIMITS = {
  containers: 10,
  metadata: 50,
  metadataKey: 40,
  metadataValue: 500,
  searchIndexes: 10,
  fingerprintExpression: 400,
} as const;

/** Reports members that the type does not define: the type's check drops them. */
export function reportDataMembers(
  { dataMembers }: TokenType,
  data: Json | undefined,
  fields: FieldReporter,
): void {
  if (dataMembers === undefined || !isJsonObject(data)) return;
  for (const name of Object.keys(data)) {
    if (!fields.hasRoom) return;
    if (!dataMembers.includes(name)) fields.report(`data.${shownName(name)}`, unknownName(name, dataMembers));
  }
}

/** Throws `validation_failed` for members that the type does not define. */
export function checkDataMembers(type: TokenType, data: Json | undefined): void {
  const fields = new FieldReporter();
  reportDataMembers(type, data, fields);
  fields.throwIfFailed();
}

/** Runs a check of an expression and reports its `ExpressionError` under `path`. */
export function checkExpression(path: string, report: Report, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    report(path, error.message);
  }
}

/** Reports the error of a text of a mask under its path, such as `mask.holder.name`. */
export const reportInMask =
  (report: Report): HandleFailure =>
  (error, place) => {
    report(pathOf(place, 'mask'), error.message);
  };

/**
 * The containers in their stored form: lower case, without duplicates. Without requested ones, the
 * defaults of the type.
 */
export function checkContainers(
  requested: readonly string[] | undefined,
  defaults: readonly Container[],
  report: Report,
): readonly Container[] {
  if (requested === undefined || requested.length === 0) return defaults;
  const containers = new Set<Container>();
  requested.forEach((text, index) => {
    const container = parseContainer(text);
    if (container === undefined) report(`containers[${String(index)}]`, CONTAINER_FORM);
    else containers.add(container);
  });
  if (containers.size > TOKEN_LIMITS.containers)
    report('containers', `must be at most ${String(TOKEN_LIMITS.containers)}`);
  return [...containers];
}

function checkMetadata(metadata: TokenDetails['metadata'], report: Report): void {
  const entries = Object.entries(metadata ?? {});
  if (entries.length > TOKEN_LIMITS.metadata)
    report('metadata', `must have at most ${String(TOKEN_LIMITS.metadata)} entries`);
  for (const [key, value] of entries) {
    if (key.length < 1 || key.length > TOKEN_LIMITS.metadataKey) {
      report('metadata', `keys must be 1 to ${String(TOKEN_LIMITS.metadataKey)} characters`);
    }
    if (value.length > TOKEN_LIMITS.metadataValue) {
      report(
        `metadata.${key.slice(0, TOKEN_LIMITS.metadataKey)}`,
        `must be at most ${String(TOKEN_LIMITS.metadataValue)} characters`,
      );
    }
  }
}

/**
 * The fingerprint must depend on the data: otherwise tokens with different data would share one
 * (docs/contract.md#fingerprint).
 */
function checkFingerprintExpression(expression: string | undefined, report: Report, budget: Budget): void {
  if (expression === undefined) return;
  if (expression.length > TOKEN_LIMITS.fingerprintExpression) {
    report(
      'fingerprint_expression',
      `must be at most ${String(TOKEN_LIMITS.fingerprintExpression)} characters`,
    );
    return;
  }
  checkExpression('fingerprint_expression', report, () => {
    const { names } = checkTemplate(expression, { names: ['data', 'metadata'] }, budget);
    if (!names.includes('data')) throw new ExpressionError('must read data');
  });
}

function checkSearchIndexes(indexes: readonly string[], report: Report, budget: Budget): void {
  if (indexes.length > TOKEN_LIMITS.searchIndexes)
    report('search_indexes', `must be at most ${String(TOKEN_LIMITS.searchIndexes)}`);
  indexes.forEach((index, at) =>
    checkExpression(`search_indexes[${String(at)}]`, report, () => {
      checkTemplate(index, { names: ['data'] }, budget);
    }),
  );
}

/**
 * Reports violations in metadata, mask and expressions: of their limits, their syntax and the names
 * that they may use.
 */
export function checkDetails(details: TokenDetails, report: Report, budget: Budget): void {
  checkMetadata(details.metadata, report);
  checkExpression('mask', report, () => {
    checkTemplates(details.mask ?? null, { names: ['data'] }, budget.part(MASK_STEPS), reportInMask(report));
  });
  checkFingerprintExpression(details.fingerprintExpression, report, budget);
  checkSearchIndexes(details.searchIndexes ?? [], report, budget);
}

/** Parses an expiration; reports a text that is no date-time, or that is in the past. */
export function checkExpiration(
  text: string | undefined,
  now: number,
  report: Report,
): Timestamp | undefined {
  if (text === undefined) return undefined;
  const expiration = parseExpiration(text);
  if (expiration === undefined) {
    report('expires_at', 'must be a date-time in ISO 8601, M/D/YYYY h:mm:ss AM|PM ±hh:mm, or M/D/YYYY');
  } else if (expiration.at <= now) {
    report('expires_at', 'must be in the future');
  }
  return expiration;
}
