import type { Json } from '../shared/json.ts';
import type { Budget } from './budget.ts';
import { textOf } from './text-of.ts';

/*
 * Steps for each visited value, in addition to those for its text. Writing 6 MB of JSON, the
 * largest body, must fit into a budget: at most 16 steps for each byte of JSON.
 */
const NODE = 12;
const LIST = 40;
const SMALL_NUMBER = 15;
const NUMBER = 60;
/**
 * Steps of a member of an object; V8 stores large objects as hash tables, which are slower to list.
 */
const MEMBER = 60;
const MEMBER_OF_MANY = 160;
const MANY = 1_000;

/** A lone surrogate has no UTF-8: JSON writes it as an escape. */
const ILL_FORMED = 6;
/** Nested lists are joined level by level, so text is copied once per level. */
const LEVELS_PER_COPY = 4;

function numberSteps(value: number): number {
  return Number.isInteger(value) && Math.abs(value) < 1_000 ? SMALL_NUMBER : NUMBER;
}

/**
 * Charges for reading a value: `steps` for each character, and a fixed number for each value and
 * member. Charges while it reads, because a list of Liquid can contain one large value many times.
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

/** Steps that it costs to write a value as JSON, for each character. */
export const WRITE_JSON = 8;
/** Steps of joining a text to another one, for each character. The result needs memory too. */
const JOIN = 6;

/** Runs {@link textOf}, and charges a budget for it. */
export function chargedTextOf(value: Json, budget: Budget): string {
  weigh(value, typeof value === 'string' ? JOIN : WRITE_JSON, budget);
  return textOf(value);
}
