import { Context, type Liquid } from 'liquidjs';
import { memberOf } from './member-of.ts';
import type { Budget } from './budget.ts';

/** Steps for each character or element that LiquidJS announces to allocate. */
const ALLOCATION = 8;

/**
 * Charges a budget in place of the limits that LiquidJS checks before it allocates or continues.
 * LiquidJS passes a negative amount or none if it does not know the amount.
 */
function limiter(budget: Budget): Context['memoryLimit'] {
  const charge = (steps: number, amount: unknown): void => {
    if (Number(amount) > 0) budget.charge(steps * Number(amount));
  };
  const limit: Pick<Context['memoryLimit'], 'use' | 'check'> = {
    use(amount) {
      charge(ALLOCATION, amount);
    },
    // LiquidJS passes the time, which a budget does not need.
    check() {
      charge(1, 1);
    },
  };
  return limit as Context['memoryLimit'];
}

/** The context of an evaluation in Liquid, with the budget that filters charge. */
export type JsonContext = Context & { readonly budget: Budget };

/** Reads an own member of a JSON object by name, or an element of an array by index. */
function readProperty(from: object, key: unknown): unknown {
  if (Array.isArray(from)) return typeof key === 'number' ? (from as unknown[]).at(key) : undefined;
  return typeof key === 'string' || typeof key === 'number' ? memberOf(from, String(key)) : undefined;
}

/**
 * The bindings of one evaluation. Expressions see only own members of JSON objects and indexes of
 * arrays, unlike in Liquid (`size`, `first`, `last`) and JavaScript (docs/contract.md#expressions).
 */
export function jsonContext(scope: object, budget: Budget, liquid: Liquid): JsonContext {
  const limit = limiter(budget);
  const context = new Context(
    scope,
    liquid.options,
    { sync: true },
    { memoryLimit: limit, renderLimit: limit, liquid },
  );
  return Object.assign(context, {
    budget,
    readProperty,
    spawn: (inner: object = {}) => jsonContext(inner, budget, liquid),
  });
}
