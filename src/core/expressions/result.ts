import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import type { Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { weigh, WRITE_JSON } from './weight.ts';

/** A parsed expression. */
export interface Expression {
  /** The names that its value and its arguments start with, as often as they stand there. */
  readonly names: readonly string[];
  /** The names of its filters. */
  readonly filters: readonly string[];
  /** Steps of parsing it. */
  readonly parsing: number;
  /**
   * The JSON that it gives under bindings. Throws {@link ExpressionError} if a filter fails or the
   * budget is used up.
   */
  evaluate(bindings: JsonObject, budget: Budget): Json;
}

/**
 * Steps of text that is a result, for each character: it is not copied. Lists and objects cost what
 * it takes to write them.
 */
const RESULT_CHARACTER = 0.25;

/** Charges for text that is passed on as it is. */
export function chargeText(budget: Budget, text: string): void {
  budget.charge(Math.ceil(text.length * RESULT_CHARACTER));
}

/** Objects of JSON, not those of a library. */
function isPlain(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * The JSON that a result is: what JSON cannot say is `null`. Filters make lists of anything;
 * objects are the caller's own JSON.
 */
function jsonOf(result: unknown): Json {
  if (Array.isArray(result)) return (result as readonly unknown[]).map(jsonOf);
  if (typeof result === 'number') return Number.isFinite(result) ? result : null;
  if (typeof result === 'string' || typeof result === 'boolean') return result;
  return isPlain(result) ? result : null;
}

/** What an expression gives, charged. Throws {@link ExpressionError} for what is no number. */
export function resultOf(result: unknown, budget: Budget): Json {
  if (typeof result === 'number' && !Number.isFinite(result))
    throw new ExpressionError('has a filter with a result that is not a number');
  weigh(result, typeof result === 'string' ? RESULT_CHARACTER : WRITE_JSON, budget);
  return jsonOf(result);
}
