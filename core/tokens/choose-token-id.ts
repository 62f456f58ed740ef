import { drawingFrom, type RandomInt } from '../expressions/alias-filters.ts';
import type { Budget } from '../expressions/budget.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { renderTemplate } from '../expressions/render.ts';
import { hasExpression } from '../expressions/template.ts';
import { textOf } from '../expressions/text-of.ts';
import { isJsonObject, type Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import { invalid } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { tokenIdProblem } from './token-id.ts';

/** Aliases that are tried before the id becomes a UUID. */
const ALIAS_ATTEMPTS = 8;

/** Members whose whole value must never stand in an id, which is stored and logged by others in the clear. */
const PRIMARY_MEMBERS = ['number', 'account_number'];

function primaryValues(data: Json): string[] {
  const values = isJsonObject(data) ? PRIMARY_MEMBERS.map((name) => data[name]) : [];
  return values.filter((value) => typeof value === 'string');
}

function checkId(id: string, data: Json, isPlainType: boolean): string {
  const problem = tokenIdProblem(id);
  if (problem !== undefined) throw invalid('id', problem);
  const digits = id.replace(/\D/g, '');
  const whole =
    typeof data === 'string' && !isPlainType
      ? [data.replaceAll('-', '')]
      : isPlainType
        ? []
        : primaryValues(data);
  if (whole.some((value) => digits.includes(value)))
    throw invalid('id', 'must not contain the data of the token');
  return id;
}

function evaluate(expression: string, data: Json, randomInt: RandomInt, budget: Budget): string {
  try {
    return textOf(drawingFrom(randomInt, () => renderTemplate(expression, { data }, budget)));
  } catch (error) {
    if (error instanceof ExpressionError) throw invalid('id', error.message);
    throw error;
  }
}

/**
 * The ids to try for a new token, in order: the literal one alone; aliases of an expression, then a UUID; or a UUID. Evaluating
 * throws `validation_failed` for an expression that fails or gives no valid id, and for an id that would spell out the card,
 * account or identity number it stands for.
 */
export function* tokenIds(
  id: string | undefined,
  data: Secret<Json>,
  options: {
    readonly isPlainType: boolean;
    readonly writes: Pick<WriteIdentity, 'newId' | 'randomInt'>;
    readonly budget: Budget;
  },
): Generator<string> {
  if (id !== undefined && !hasExpression(id)) {
    yield checkId(id, data.reveal(), options.isPlainType);
    return;
  }
  if (id !== undefined) {
    const tried = new Set<string>();
    for (let attempt = 0; attempt < ALIAS_ATTEMPTS; attempt += 1) {
      const alias = checkId(
        evaluate(id, data.reveal(), options.writes.randomInt, options.budget),
        data.reveal(),
        options.isPlainType,
      );
      if (!tried.has(alias)) yield alias;
      tried.add(alias);
    }
  }
  yield options.writes.newId();
}
