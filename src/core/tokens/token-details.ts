import { MASK_STEPS, type Budget } from '../expressions/budget.ts';
import { ALIAS_FILTERS } from '../expressions/filters.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { checkTemplate, checkTemplates } from '../expressions/render.ts';
import { defined } from '../shared/defined.ts';
import type { Report } from '../shared/field-reporter.ts';
import { jsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { mergePatch } from './merge-patch.ts';
import { checkExpression, reportInMask } from './check-expression.ts';
import type { TokenType } from './types/definition.ts';
import { withinMembers } from './within-members.ts';

/*
 * Defines the details of a token, and how they are checked, changed and shown. A new detail is
 * described here and in src/wire/token.ts.
 */

/**
 * Members that callers specify about a token in addition to its data. It has only values other than
 * the defaults of its type.
 */
export interface TokenDetails {
  readonly metadata?: Readonly<Record<string, string>>;
  /** `null` means that the token has no mask. If absent, the mask of its type applies. */
  readonly mask?: Json;
  readonly searchIndexes?: readonly string[];
  readonly fingerprintExpression?: string;
}

/**
 * The names that the details have in the API. Messages, expressions and pages name members by them.
 */
export const DETAIL_NAMES = {
  mask: 'mask',
  fingerprintExpression: 'fingerprint_expression',
  metadata: 'metadata',
  searchIndexes: 'search_indexes',
} as const satisfies Readonly<Record<keyof TokenDetails, string>>;

const NAMES = Object.entries(DETAIL_NAMES) as readonly (readonly [keyof TokenDetails, string])[];

/** The changes of an update. `null` removes a detail, or restores the default of the type. */
export interface DetailsPatch {
  readonly mask?: Json;
  /** `null` for an entry removes the entry, and `null` for metadata removes all. */
  readonly metadata?: Readonly<Record<string, string | null>> | null;
  readonly searchIndexes?: readonly string[] | null;
  readonly fingerprintExpression?: string | null;
}

/**
 * The details of a token, in which the defaults of its type fill the gaps. `null` means that it has
 * no mask.
 */
export interface TokenDescription extends TokenDetails {
  readonly mask: Json;
  readonly fingerprintExpression: string;
}

/**
 * Limits of a token (docs/contract.md#limits). They are numbers of entries, and lengths in
 * characters.
 */
export const TOKEN_LIMITS = {
  containers: 10,
  metadata: 50,
  metadataKey: 40,
  metadataValue: 500,
  searchIndexes: 10,
  fingerprintExpression: 400,
} as const;

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

const OF_THE_CLOCK = /(['"])(?:now|today)\1\s*\|\s*date\b/;

/** Equal data must have an equal value, or nothing would ever be found by it. */
function checkSteady(expression: string, filters: readonly string[]): void {
  if (OF_THE_CLOCK.test(expression)) throw new ExpressionError('has the time of now, which passes');
  const drawing = filters.find((name) => ALIAS_FILTERS.includes(name));
  if (drawing !== undefined)
    throw new ExpressionError(`has the filter \`${drawing}\`, which draws at random`);
}

/**
 * The fingerprint must depend on the data. Otherwise tokens with different data would share one
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
    const { names, filters } = checkTemplate(expression, { names: ['data', 'metadata'] }, budget);
    if (!names.includes('data')) throw new ExpressionError('must read data');
    checkSteady(expression, filters);
  });
}

function checkSearchIndexes(indexes: readonly string[], report: Report, budget: Budget): void {
  if (indexes.length > TOKEN_LIMITS.searchIndexes)
    report('search_indexes', `must be at most ${String(TOKEN_LIMITS.searchIndexes)}`);
  indexes.forEach((index, at) =>
    checkExpression(`search_indexes[${String(at)}]`, report, () => {
      const { names, filters } = checkTemplate(index, { names: ['data'] }, budget);
      if (names.length === 0) throw new ExpressionError('must read data');
      checkSteady(index, filters);
    }),
  );
}

/**
 * Reports metadata, masks and expressions that exceed their limits, have errors, or use names that
 * they may not use.
 */
export function checkDetails(details: TokenDetails, report: Report, budget: Budget): void {
  checkMetadata(details.metadata, report);
  checkExpression('mask', report, () => {
    checkTemplates(details.mask ?? null, { names: ['data'] }, budget.part(MASK_STEPS), reportInMask(report));
  });
  checkFingerprintExpression(details.fingerprintExpression, report, budget);
  checkSearchIndexes(details.searchIndexes ?? [], report, budget);
}

/** The indexes of a token that has none of its own. */
export const defaultIndexesOf = (type: TokenType, { mask }: TokenDetails): readonly string[] =>
  mask === undefined ? [...type.searchIndexes, ...(type.maskedIndexes ?? [])] : type.searchIndexes;

/** Removes members that equal the defaults, so that a plain token stores no details at all. */
export function withoutDefaults(
  { metadata, mask, searchIndexes, fingerprintExpression }: TokenDetails,
  type: TokenType,
): TokenDetails {
  const hasDefaults = type.searchIndexes.length > 0 || type.maskedIndexes !== undefined;
  const noIndexes = searchIndexes === undefined || (searchIndexes.length === 0 && !hasDefaults);
  return defined({
    metadata: Object.keys(metadata ?? {}).length === 0 ? undefined : metadata,
    mask: mask === null && type.mask === null ? undefined : mask,
    searchIndexes: noIndexes ? undefined : searchIndexes,
    fingerprintExpression,
  });
}

/** The mask of a token, which may be that of its type. */
export function maskOf(type: TokenType, { mask = type.mask }: TokenDetails): Json {
  return mask;
}

/** Fills the gaps in the details of a token with the defaults of its type. */
export function describe(type: TokenType, details: TokenDetails): TokenDescription {
  const searchIndexes = details.searchIndexes ?? defaultIndexesOf(type, details);
  return defined({
    mask: maskOf(type, details),
    metadata: details.metadata,
    searchIndexes: searchIndexes.length === 0 ? undefined : searchIndexes,
    fingerprintExpression: details.fingerprintExpression ?? type.fingerprintExpression,
  });
}

function patchMetadata(
  current: TokenDetails['metadata'],
  patch: DetailsPatch['metadata'],
): TokenDetails['metadata'] {
  if (patch === undefined) return current;
  const entries = new Map(Object.entries(patch === null ? {} : (current ?? {})));
  for (const [key, value] of Object.entries(patch ?? {})) {
    if (value === null) entries.delete(key);
    else entries.set(key, value);
  }
  return Object.fromEntries(entries);
}

/** The value of a member after a change. `null` resets it to `fallback`. */
export function replaced<T>(
  patch: T | null | undefined,
  current: T | undefined,
  fallback?: T,
): T | undefined {
  if (patch === undefined) return current;
  return patch ?? fallback;
}

/** Applies the changes of an update to the details. */
export function patchDetails(type: TokenType, details: TokenDetails, patch: DetailsPatch): TokenDetails {
  const { mask } = patch;
  return defined({
    mask: mask === undefined ? details.mask : withinMembers(() => mergePatch(maskOf(type, details), mask)),
    metadata: patchMetadata(details.metadata, patch.metadata),
    searchIndexes: replaced(patch.searchIndexes, details.searchIndexes, []),
    fingerprintExpression: replaced(patch.fingerprintExpression, details.fingerprintExpression),
  });
}

/** The details as the Token object shows them. */
export function descriptionOf(description: TokenDescription): JsonObject {
  const shown: TokenDetails = { ...description, metadata: description.metadata ?? {} };
  return jsonObject(
    NAMES.flatMap(([name, onWire]) => {
      const value = shown[name] ?? undefined;
      return value === undefined ? [] : [[onWire, value] as const];
    }),
  );
}
