import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import type { Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import type { UsedName } from './syntax-problem.ts';
import { weigh, WRITE_JSON } from './weight.ts';

/** An expression after parsing, which can be evaluated any number of times. */
export interface Expression {
  /** The names that its value and its arguments start with, with repetitions. */
  readonly names: readonly UsedName[];
  readonly filters: readonly UsedName[];
  /** Steps that parsing it costs. */
  readonly parsing: number;
  /** Throws {@link ExpressionError} if a filter fails or the budget is exceeded. */
  evaluate(bindings: JsonObject, budget: Budget): Json;
}

/**
 * Steps of a text result, for each character, which is not copied. Lists and objects cost as much
 * as writing them as JSON.
 */
const RESULT_CHARACTER = 0.25;

/** Charges for text that is passed on unchanged. */
export function chargeText(budget: Budget, text: string): void {
  budget.charge(Math.ceil(text.length * RESULT_CHARACTER));
}

/** Whether a value is a JSON object, and not an object of a library. */
function isPlain(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * A result as JSON. A value that JSON does not have is `null`. Filters can make lists of anything,
 * but objects are always the caller's own JSON.
 */
function jsonOf(result: unknown): Json {
  if (Array.isArray(result)) return (result as readonly unknown[]).map(jsonOf);
  if (typeof result === 'number') return Number.isFinite(result) ? result : null;
  if (typeof result === 'string' || typeof result === 'boolean') return result;
  return isPlain(result) ? result : null;
}

/**
 * Charges for a result and returns it as JSON. Throws {@link ExpressionError} for NaN or infinity.
 */
export function resultOf(result: unknown, budget: Budget): Json {
  if (typeof result === 'number' && !Number.isFinite(result))
    throw new ExpressionError('has a filter with a result that is not a number');
  weigh(result, typeof result === 'string' ? RESULT_CHARACTER : WRITE_JSON, budget);
  return jsonOf(result);
}
