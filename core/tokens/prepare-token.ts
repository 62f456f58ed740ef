import { fingerprint } from '../crypto/fingerprint.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { checkTemplate, checkTemplates, renderTemplate } from '../expressions/render.ts';
import { CONTAINER_FORM, parseContainer, type Container } from '../shared/container.ts';
import { FieldReporter } from '../shared/field-reporter.ts';
import { canonical, isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Timestamp } from '../shared/timestamp.ts';
import type { Report } from './data-check.ts';
import { parseExpiration } from './expiration.ts';
import type { TokenDetails } from './token.ts';
import { tokenType, type TokenTypeName } from './token-type.ts';

/** What may be said about a token, whether it is new or changed. `null` for a mask: none. */
export interface TokenContent extends TokenDetails {
  readonly type: TokenTypeName;
  readonly data: Secret<Json>;
  readonly containers?: readonly string[];
  readonly expiresAt?: string;
}

/** A token's content after every check, ready to be sealed. */
export interface PreparedContent {
  readonly data: Secret<Json>;
  readonly cvc?: Secret<Json>;
  readonly containers: readonly Container[];
  readonly details: TokenDetails;
  readonly expiration?: Timestamp;
  /** The fingerprint under a tenant's fingerprint key. */
  fingerprint(key: Buffer): string;
}

/** Largest data of a token, in bytes of JSON (decisions.md, section 3). */
export const DATA_MAX_BYTES = 3_500_000;

const LIMITS = {
  containers: 10,
  metadata: 50,
  metadataKey: 40,
  metadataValue: 500,
  searchIndexes: 10,
  fingerprintExpression: 400,
};

function checkExpression(path: string, report: Report, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    report(path, error.message);
  }
}

/** The containers in their stored form: lower case, each once; those of the type when none are given. */
function checkContainers(
  given: readonly string[] | undefined,
  defaults: readonly Container[],
  report: Report,
) {
  if (given === undefined || given.length === 0) return defaults;
  const containers = new Set<Container>();
  given.forEach((text, index) => {
    const container = parseContainer(text);
    if (container === undefined) report(`containers[${String(index)}]`, CONTAINER_FORM);
    else containers.add(container);
  });
  if (containers.size > LIMITS.containers)
    report('containers', `must be at most ${String(LIMITS.containers)}`);
  return [...containers];
}

function checkMetadata(metadata: TokenDetails['metadata'], report: Report): void {
  const entries = Object.entries(metadata ?? {});
  if (entries.length > LIMITS.metadata)
    report('metadata', `must have at most ${String(LIMITS.metadata)} entries`);
  for (const [key, value] of entries) {
    if (key.length < 1 || key.length > LIMITS.metadataKey)
      report('metadata', `keys must be 1 to ${String(LIMITS.metadataKey)} characters`);
    if (value.length > LIMITS.metadataValue)
      report(`metadata.${key}`, `must be at most ${String(LIMITS.metadataValue)} characters`);
  }
}

function checkDetails(details: TokenDetails, report: Report): void {
  checkMetadata(details.metadata, report);
  checkExpression('mask', report, () => {
    checkTemplates(details.mask ?? null);
  });
  const expression = details.fingerprintExpression;
  if (expression !== undefined) {
    if (expression.length > LIMITS.fingerprintExpression) {
      report('fingerprint_expression', `must be at most ${String(LIMITS.fingerprintExpression)} characters`);
    }
    checkExpression('fingerprint_expression', report, () => {
      checkTemplate(expression);
    });
  }
  const indexes = details.searchIndexes ?? [];
  if (indexes.length > LIMITS.searchIndexes)
    report('search_indexes', `must be at most ${String(LIMITS.searchIndexes)}`);
  indexes.forEach((index, at) => {
    checkExpression(`search_indexes[${String(at)}]`, report, () => {
      checkTemplate(index);
    });
  });
}

function checkExpiration(text: string | undefined, now: number, report: Report): Timestamp | undefined {
  if (text === undefined) return undefined;
  const expiration = parseExpiration(text);
  if (expiration === undefined)
    report('expires_at', 'must be a date-time in ISO 8601, M/D/YYYY h:mm:ss AM|PM ±hh:mm, or M/D/YYYY');
  else if (expiration.at <= now) report('expires_at', 'must be in the future');
  return expiration;
}

/** What expressions of a token may read: the data without a cvc, its members in one order so that equal values read equal. */
export function expressionBindings(data: Secret<Json>, metadata?: TokenDetails['metadata']): JsonObject {
  return { data: data.reveal(), ...(metadata === undefined ? {} : { metadata }) };
}

function evaluateFingerprint(
  expression: string,
  data: Secret<Json>,
  metadata: TokenDetails['metadata'],
  report: Report,
): Secret<Json> {
  const bindings = { data: canonical(data.reveal()), metadata: metadata ?? {} };
  let value: Json = null;
  checkExpression('fingerprint_expression', report, () => {
    value = renderTemplate(expression, bindings);
  });
  return new Secret(value);
}

function checkSize(data: Secret<Json>): void {
  if (Buffer.byteLength(JSON.stringify(data.reveal())) > DATA_MAX_BYTES) {
    throw new ServiceError(
      'payload_too_large',
      `The data of a token is at most ${String(DATA_MAX_BYTES)} bytes of JSON.`,
    );
  }
}

/** The data of a token with the cvc that is kept apart from it. */
export function wholeData(data: Secret<Json>, cvc: Secret<Json> | undefined): Secret<Json> {
  const value = data.reveal();
  return cvc === undefined || !isJsonObject(value) ? data : new Secret<Json>({ ...value, cvc: cvc.reveal() });
}

/** Without members that only repeat the default, so that a plain token stores no details at all. */
function withoutAbsent(details: TokenDetails): TokenDetails {
  const { metadata, mask, searchIndexes, fingerprintExpression } = details;
  return {
    ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(mask === undefined ? {} : { mask }),
    ...(searchIndexes === undefined || searchIndexes.length === 0 ? {} : { searchIndexes }),
    ...(fingerprintExpression === undefined ? {} : { fingerprintExpression }),
  };
}

/**
 * Checks the content of a token against its type and every limit, and evaluates what is derived from it. Throws
 * `validation_failed` with all that is wrong, or `payload_too_large`.
 */
export function prepareContent(content: TokenContent, now: number): PreparedContent {
  const type = tokenType(content.type);
  const fields = new FieldReporter();
  checkSize(content.data);
  const checked = type.check(content.data.reveal(), fields.report);
  const containers = checkContainers(content.containers, type.containers, fields.report);
  checkDetails(content, fields.report);
  const expiration = checkExpiration(content.expiresAt, now, fields.report);
  fields.throwIfFailed();

  const data = new Secret(checked.data);
  const value = evaluateFingerprint(
    content.fingerprintExpression ?? type.fingerprintExpression,
    data,
    content.metadata,
    fields.report,
  );
  fields.throwIfFailed();
  return {
    data,
    ...(checked.cvc === undefined ? {} : { cvc: new Secret<Json>(checked.cvc) }),
    containers,
    details: withoutAbsent(content),
    ...(expiration === undefined ? {} : { expiration }),
    fingerprint: (key) => fingerprint(key, content.type, data, value),
  };
}
