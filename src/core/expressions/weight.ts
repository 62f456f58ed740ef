import type { Json } from '../shared/json.ts';
import type { Budget } from './budget.ts';
import { textOf } from './text-of.ts';

/*
 * Steps of a look at each value, besides its text. JSON of 6 MB, the largest body, takes less than
 * a whole budget to be written, so a node may take no more steps than 16 for each byte that it has
 * in JSON.
 */
const NODE = 12;
const LIST = 40;
const SMALL_NUMBER = 15;
const NUMBER = 60;
/**
 * A member of an object; V8 keeps one with many members as a hash table, which is slower to list.
 */
const MEMBER = 60;
const MEMBER_OF_MANY = 160;
const MANY = 1_000;

/** Half of a surrogate pair has no UTF-8: it is written as an escape. */
const ILL_FORMED = 6;
/** Nested lists are joined level by level: text is copied once for each level that it is nested. */
const LEVELS_PER_COPY = 4;

function numberSteps(value: number): number {
  return Number.isInteger(value) && Math.abs(value) < 1_000 ? SMALL_NUMBER : NUMBER;
}

/**
 * Charges for a look at all of a value: `steps` for each character of text, and fixed ones for each
 * value and member. It charges while it looks, since Liquid's lists can name one large value many
 * times.
 */
export function weigh(value: unknown, steps: number, budget: Budget, level = 0): void {
  if (typeof value === 'string') {
    const each = value.isWellFormed() ? steps : steps * ILL_FORMED;
    budget.charge(NODE + Math.ceil(each * value.length * (1 + level / LEVELS_PER_COPY)));
  } else if (typeof value === 'number') {
    budget.charge(numberSteps(value));
  } else if (Array.isArray(value)) {
    budget.charge(LIST);
    for (const element of value as readonly unknown[]) weigh(element, steps, budget, level + 1);
  } else {
    budget.charge(NODE);
    if (typeof value !== 'object' || value === null) return;
    const names = Object.keys(value);
    budget.charge(names.length * (names.length > MANY ? MEMBER_OF_MANY : MEMBER));
    for (const name of names) {
      budget.charge(Math.ceil(steps * name.length));
      weigh((value as Readonly<Record<string, unknown>>)[name], steps, budget, level + 1);
    }
  }
}

/** Steps of writing a value as JSON, for each character. */
export const WRITE_JSON = 8;
/**
 * Steps of text that is only joined to other text, for each character: what is joined takes memory,
 * too.
 */
const JOIN = 6;

/** {@link textOf}, charged. */
export function chargedTextOf(value: Json, budget: Budget): string {
  weigh(value, typeof value === 'string' ? JOIN : WRITE_JSON, budget);
  return textOf(value);
}
