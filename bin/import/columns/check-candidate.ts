import { createSecretKey, randomInt, randomUUID } from 'node:crypto';
import { createBudget } from '../../../src/core/expressions/budget.ts';
import { FieldReporter } from '../../../src/core/shared/field-reporter.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { memberPath } from '../../../src/core/shared/member-path.ts';
import { ServiceError, type FieldErrors } from '../../../src/core/shared/service-error.ts';
import { chooseTokenIds } from '../../../src/core/tokens/choose-token-ids.ts';
import { spellsMost } from '../../../src/core/tokens/identifying-value.ts';
import { prepareContent } from '../../../src/core/tokens/prepare-content.ts';
import type { TokenInput } from '../../../src/core/tokens/token-input.ts';
import { tokenIdProblem } from '../../../src/core/tokens/token-id.ts';
import { tokenType } from '../../../src/core/tokens/token-type.ts';
import { createTokenBody } from '../../../src/wire/token.ts';
import type { RowProblem } from '../read/read-row.ts';
import type { Candidate } from './candidate.ts';

const budget = () => createBudget((below) => randomInt(below));
const writes = { newId: randomUUID, randomInt: (below: number) => randomInt(below) };

const firstOf = (errors: FieldErrors, columnOf: (path: string) => string): RowProblem => {
  const [[path, [problem = 'is refused']] = ['', []]] = Object.entries(errors);
  return { ...(path !== '' && { column: columnOf(path) }), problem };
};

function inputOf(body: JsonObject): TokenInput {
  const fields = new FieldReporter();
  const result = createTokenBody.safeParse(body);
  if (result.success) return result.data;
  for (const { path, message } of result.error.issues)
    fields.report(path.reduce<string>(memberPath, ''), message);
  throw fields.error();
}

/** The content of a body that has passed. */
interface CheckedBody {
  /** Has the stored form. */
  readonly data: Json;
  /** So many items are written with it: the token, and an entry for each term. */
  readonly items: number;
}

/** Entries are counted, and their hashes are not used. */
const ANY_KEY = createSecretKey(Buffer.alloc(32));

/** Checks a body as the service does. */
function checkBody(body: JsonObject, now: number): CheckedBody {
  const input = inputOf(body);
  const type = tokenType(input.type);
  const spent = budget();
  const content = prepareContent(type, input, { now, budget: spent, clientCompatibility: 'strict' });
  const { id = '' } = input;
  // An id with an expression would be evaluated, and an old id is a literal.
  const problem = tokenIdProblem(id);
  if (problem !== undefined)
    throw new ServiceError('validation_failed', problem, { errors: { id: [problem] } });
  chooseTokenIds(id, input.data, { tenantId: '', type, writes, budget: spent }).next();
  return { data: content.data.reveal(), items: 1 + (content.hasTerms ? content.terms(ANY_KEY).length : 0) };
}

/** The first metadata that shows most of the data: metadata is stored in the clear. */
function revealingMember(body: JsonObject): string | undefined {
  const { metadata, type, data = null } = body;
  const { identifying } = tokenType(type as TokenInput['type']);
  if (identifying === 'unknown' || !isJsonObject(metadata)) return undefined;
  const values = identifying(data);
  const found = Object.entries(metadata).find(
    ([name, text]) =>
      typeof text === 'string' &&
      [name, text].some((each) =>
        // Digits of other scripts and widths read as well.
        values.some((value) => spellsMost(each.normalize('NFKC'), value)),
      ),
  );
  return found?.[0];
}

/** Whether a card has expired. It ends with the last day of its month. */
function isPast(data: Json, now: number): boolean {
  if (!isJsonObject(data)) return false;
  const { expiration_month: month, expiration_year: year } = data;
  if (typeof month !== 'number' || typeof year !== 'number') return false;
  return Date.UTC(year, month, 1) <= now;
}

/** A row that has passed, or the problem that it has. */
export type Checked = Passed | { readonly found: RowProblem };

export interface Passed {
  readonly isExpired: boolean;
  /** So many items of the store are written with its tokens. */
  readonly items: number;
}

interface Checking {
  readonly now: number;
  /** Whether the row's metadata is that of the import, and not of a token that existed. */
  readonly checksMetadata: boolean;
}

function checkAll({ body, details }: Candidate, { now, checksMetadata }: Checking): Passed {
  const { data, items } = checkBody(body, now);
  const revealing = checksMetadata ? revealingMember(body) : undefined;
  if (revealing !== undefined) {
    const path = `metadata.${revealing}`;
    const problem = 'must not contain the data of the token';
    throw new ServiceError('validation_failed', problem, { errors: { [path]: [problem] } });
  }
  const more = details === undefined ? 0 : checkBody(details, now).items;
  return { isExpired: body['type'] === 'card' && isPast(data, now), items: items + more };
}

/** Checks a row by the code of the service, so that a dry run finds what a run would. */
export function checkCandidate(candidate: Candidate, checking: Checking): Checked {
  try {
    return checkAll(candidate, checking);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { errors, message } = error;
    return { found: errors === undefined ? { problem: message } : firstOf(errors, candidate.columnOf) };
  }
}
