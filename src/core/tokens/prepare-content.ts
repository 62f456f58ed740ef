import type { KeyObject } from 'node:crypto';
import { fingerprint, matchHash } from '../crypto/fingerprint.ts';
import { MASK_STEPS, type Budget } from '../expressions/budget.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { renderTemplate, renderTemplates } from '../expressions/render.ts';
import type { ClientCompatibility } from '../shared/client-compatibility.ts';
import type { Container } from '../shared/container.ts';
import { defined } from '../shared/defined.ts';
import { FieldReporter, type Report } from '../shared/field-reporter.ts';
import { canonical, isJsonObject, type Json } from '../shared/json.ts';
import { membersOf } from '../shared/json-extent.ts';
import { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Timestamp } from '../shared/timestamp.ts';
import { CVC_MEMBER } from './without-cvc.ts';
import { checkContainers, checkExpiration, reportDataMembers } from './check-content.ts';
import { checkExpression, checkStored, FAILS_AS_STORED, reportInMask } from './check-expression.ts';
import { evaluateIndexes } from './evaluate-indexes.ts';
import { containerTerms, hashTerm, type IndexTerm } from './index-term.ts';
import { checkDetails, defaultIndexesOf, withoutDefaults, type TokenDetails } from './token-details.ts';
import type { TokenInput, TokenPatch } from './token-input.ts';
import type { TokenType } from './types/definition.ts';
import { withinMembers } from './within-members.ts';

/** A check needs these in addition to the content. */
interface Preparation {
  readonly now: number;
  readonly budget: Budget;
  /** `lenient` drops members that the type's data does not have. */
  readonly clientCompatibility: ClientCompatibility;
  /**
   * Members that a request changes of a stored token; absent for a new one. All else passed its
   * checks when it was written, perhaps by rules of an earlier version, and perhaps for another
   * caller: an error now would show what is stored.
   */
  readonly patch?: Pick<TokenPatch, 'data' | DetailName>;
}

type DetailName = 'metadata' | 'mask' | 'fingerprintExpression' | 'searchIndexes';

/** Whether a request brings a member itself. */
const isNew = ({ patch }: Preparation, member: 'data' | DetailName): boolean =>
  patch === undefined || patch[member] !== undefined;

/** The content of a token after it has passed every check. */
export interface PreparedContent {
  readonly data: Secret<Json>;
  readonly cvc?: Secret<Json>;
  /** The data as the mask shows it. Absent without a mask, and if the mask was evaluated before. */
  readonly masked?: Secret<Json>;
  readonly containers: readonly Container[];
  readonly details: TokenDetails;
  /** The instant that the text `expiresAtText` means. */
  readonly expiration?: Timestamp;
  /** Derives the fingerprint and the match hash under a tenant's fingerprint key. */
  fingerprints(key: KeyObject): { readonly fingerprint: string; readonly matchHash: string };
  /** Hashes the terms under a tenant's search key. */
  terms(key: KeyObject): readonly string[];
  /** Whether there is any term. A plain token has none, and needs no search key. */
  readonly hasTerms: boolean;
  /** Whether the token has a mask, which may be that of its type. */
  readonly hasMask: boolean;
}

/** Largest data of a token, in bytes of JSON (docs/contract.md#limits-of-a-token). */
export const DATA_MAX_BYTES = 3_500_000;

/**
 * Most bytes of JSON in the metadata, mask and expressions of a token together. They are stored in
 * the token's own item.
 */
export const DETAILS_MAX_BYTES = 300_000;

/** Returns the JSON of a value. Throws `payload_too_large`. */
function checkSize(what: string, value: unknown, most: number): string {
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) > most)
    throw new ServiceError('payload_too_large', `${what} at most ${String(most)} bytes of JSON.`);
  return json;
}

/**
 * Puts members in canonical order first, so that equal values have equal fingerprints under any
 * expression.
 */
function evaluateFingerprint(
  content: TokenDetails,
  type: TokenType,
  data: Secret<Json>,
  report: Report,
  preparation: Preparation,
): Secret<Json> {
  const { fingerprintExpression: own } = content;
  const bindings = { data: canonical(data.reveal()), metadata: content.metadata ?? {} };
  let value: Json = null;
  const isExpressionNew = isNew(preparation, 'fingerprintExpression');
  const check = isExpressionNew ? checkExpression : checkStored;
  check('fingerprint_expression', report, () => {
    value = renderTemplate(own ?? type.fingerprintExpression, bindings, preparation.budget);
    const isOwn = own !== undefined && own !== type.fingerprintExpression;
    // All tokens with it would share one fingerprint, as after a misspelt name.
    if (isOwn && (value === null || value === '') && isExpressionNew)
      throw new ExpressionError('evaluates to nothing');
  });
  return new Secret(value);
}

/** Reports failures of expressions that another request set, and perhaps another caller. */
const withoutReason =
  (report: Report): Report =>
  (path) => {
    report(path, FAILS_AS_STORED);
  };

/** Rejects a mask that fails on the data or costs too much, because readers would see nothing. */
function tryMask(
  mask: Json,
  data: Secret<Json>,
  report: Report,
  preparation: Preparation,
): Secret<Json> | undefined {
  const isMaskNew = isNew(preparation, 'mask');
  if (mask === null || (!isMaskNew && !isNew(preparation, 'data'))) return undefined;
  let masked: Secret<Json> | undefined;
  const check = isMaskNew ? checkExpression : checkStored;
  check('mask', report, () => {
    const bindings = { data: data.reveal() };
    const handle = isMaskNew ? reportInMask(report) : undefined;
    masked = new Secret(renderTemplates(mask, bindings, preparation.budget.part(MASK_STEPS), handle));
  });
  return masked;
}

/** Checks new data against its type, and returns its stored form. */
function checkedData(type: TokenType, data: Json, fields: FieldReporter, preparation: Preparation): Json {
  if (!isNew(preparation, 'data')) return data;
  const checked = type.check(data, fields.report);
  if (preparation.clientCompatibility === 'strict') reportDataMembers(type, data, fields);
  return checked;
}

/** Splits data into the rest and the member that its type stores separately. */
export function separated({ separateMember }: TokenType, data: Json): Pick<PreparedContent, 'data' | 'cvc'> {
  if (separateMember === undefined || !isJsonObject(data)) return { data: new Secret(data) };
  const { [separateMember]: cvc, ...rest } = data;
  return defined({ data: new Secret<Json>(rest), cvc: cvc === undefined ? undefined : new Secret(cvc) });
}

/** Joins the data of a token with its cvc, which is stored separately. */
export function wholeData(data: Secret<Json>, cvc: Secret<Json> | undefined): Secret<Json> {
  const value = data.reveal();
  if (cvc === undefined || !isJsonObject(value)) return data;
  return new Secret<Json>({ ...value, [CVC_MEMBER]: cvc.reveal() });
}

/** The terms of a token. Default containers have none, since every plain token would have them. */
function termsOf(
  content: TokenDetails,
  containers: readonly Container[],
  type: TokenType,
  indexes: readonly IndexTerm[],
): readonly IndexTerm[] {
  const metadata = Object.entries(content.metadata ?? {}).map(([key, value]): IndexTerm => ({
    kind: 'metadata',
    key,
    value,
  }));
  const isDefault =
    containers.length === type.containers.length &&
    containers.every((each) => type.containers.includes(each));
  return [...metadata, ...indexes, ...(isDefault ? [] : containerTerms(containers))];
}

const newDetails = (content: TokenDetails, preparation: Preparation): TokenDetails =>
  defined({
    metadata: isNew(preparation, 'metadata') ? content.metadata : undefined,
    mask: isNew(preparation, 'mask') ? content.mask : undefined,
    fingerprintExpression: isNew(preparation, 'fingerprintExpression')
      ? content.fingerprintExpression
      : undefined,
    searchIndexes: isNew(preparation, 'searchIndexes') ? content.searchIndexes : undefined,
  });

/**
 * Checks the content of a token against its type and every limit, and evaluates all values that are
 * derived from it. Throws `validation_failed` with every problem, or `payload_too_large`.
 */
export function prepareContent(
  type: TokenType,
  content: Omit<TokenInput, 'id' | 'type' | 'deduplicateToken'>,
  preparation: Preparation,
): PreparedContent {
  const { now, budget } = preparation;
  const fields = new FieldReporter();
  const json = checkSize('The data of a token is', content.data.reveal(), DATA_MAX_BYTES);
  // Several patches could add up to more members than a request body may have.
  withinMembers(() => membersOf(json, { depthMax: Infinity }));
  const checked = checkedData(type, content.data.reveal(), fields, preparation);
  const containers = checkContainers(content.containers, type.containers, fields.report);
  checkDetails(newDetails(content, preparation), fields.report, budget);
  const expiration = checkExpiration(content.expiresAtText, now, fields.report);
  fields.throwIfFailed();
  const details = withoutDefaults(content, type);
  checkSize('Metadata, mask and expressions of a token are', details, DETAILS_MAX_BYTES);

  const { data, cvc } = separated(type, checked);
  const value = evaluateFingerprint(content, type, data, fields.report, preparation);
  const defaults = defaultIndexesOf(type, content);
  const ofIndexes = isNew(preparation, 'searchIndexes') ? fields.report : withoutReason(fields.report);
  const indexes = evaluateIndexes(content.searchIndexes, defaults, data, ofIndexes, budget);
  const { mask = type.mask } = content;
  const masked = tryMask(mask, data, fields.report, preparation);
  fields.throwIfFailed();
  const terms = termsOf(content, containers, type, indexes);
  const expression = content.fingerprintExpression ?? type.fingerprintExpression;
  return defined({
    data,
    cvc,
    masked,
    containers,
    details,
    expiration,
    fingerprints: (key: KeyObject) => {
      const made = fingerprint(key, { type: type.name, data, expression, value });
      const isWhole = expression === type.fingerprintExpression && type.hasPartialFingerprint !== true;
      const compared = type.compared === undefined ? data : new Secret(type.compared(data.reveal()));
      const matched = { fingerprint: made, containers, mask, ...(isWhole ? {} : { data: compared }) };
      return { fingerprint: made, matchHash: matchHash(key, matched) };
    },
    terms: (key: KeyObject) => [...new Set(terms.map((term) => hashTerm(key, term)))],
    hasTerms: terms.length > 0,
    hasMask: mask !== null,
  });
}
