import { JSONPathEnvironment, JSONPathNodeList, type JSONPathNode } from 'json-p3';
import type { Json } from '../shared/json.ts';
import { memberOf } from '../shared/member-of.ts';
import type { Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { weigh } from './weight.ts';

/*
 * json-p3 is loaded when something of it is first used (lib/bundle.ts): nothing here may touch it
 * before.
 */

const PATH_MAX_LENGTH = 1_000;
/** A path that is nothing but names of members, as most are: it selects one value or none. */
const MEMBERS = /^\$(?:\.[A-Za-z_]\w*)*$/;
/** Steps of compiling a path, for each character. */
const COMPILE = 400;
/** Steps of each selector and condition that is made to count its own. */
const COUNTING = 5_000;
/**
 * Steps of each node looked at and each condition; `..` and lists of selectors in a row multiply
 * them without a bound.
 */
const NODE = 600;
/**
 * Steps of each level that a node is nested: its place is copied, and `..` hands it up level by
 * level.
 */
const LEVEL = 30;
/** Steps of comparing, for each character of a value that a condition has found. */
const COMPARE = 4;
/**
 * Steps of each member of an object whose members are listed, also when few of them are looked at.
 */
const MEMBER = 150;
/** Deepest nesting that `..` follows: more than a body can have. */
const DEPTH_MAX = 100;

/**
 * RFC 9535 without `match` and `search`: a regular expression from a caller could run for as long
 * as it likes.
 */
function environment(budget: Budget): JSONPathEnvironment {
  const made = new JSONPathEnvironment({ maxRecursionDepth: DEPTH_MAX });
  made.functionRegister.delete('match');
  made.functionRegister.delete('search');
  const entriesOf = made.entries.bind(made);
  made.entries = (object) => {
    const entries = entriesOf(object);
    budget.charge(entries.length * MEMBER);
    return entries;
  };
  return made;
}

interface Evaluated {
  resolve?: (node: JSONPathNode) => Iterable<unknown>;
  lazyResolve?: (node: JSONPathNode) => Iterable<unknown>;
  evaluate?: (context: unknown) => unknown;
  readonly selectors?: unknown;
}

/** Charges for what a part of a condition has found: a comparison looks at all of it. */
function weighFound(found: unknown, budget: Budget): void {
  if (found instanceof JSONPathNodeList) for (const { value } of found.nodes) weigh(value, COMPARE, budget);
  else if (typeof found === 'string') weigh(found, COMPARE, budget);
}

/**
 * Makes every selector and every condition of a compiled path, queries inside of conditions
 * included, take its steps from a budget.
 */
function countSteps(part: object, budget: Budget): void {
  if (part instanceof JSONPathEnvironment) return;
  const step = (level: number): void => {
    budget.charge(NODE + level * LEVEL);
  };
  Object.values(part)
    .filter((member) => typeof member === 'object' && member !== null)
    .forEach((member) => countSteps(member as object, budget));
  const { resolve, lazyResolve, evaluate, selectors } = part as Evaluated;
  if (evaluate !== undefined) {
    budget.charge(COUNTING);
    (part as Evaluated).evaluate = (context) => {
      step(0);
      const found = evaluate.call(part, context);
      weighFound(found, budget);
      return found;
    };
  }
  // Segments call `resolve` of their selectors, lazy or not; nodes are made one by one, so that the
  // first two are enough.
  if (resolve !== undefined && lazyResolve !== undefined && selectors === undefined) {
    budget.charge(COUNTING);
    (part as Evaluated).resolve = function* (node) {
      step(node.location.length);
      for (const found of lazyResolve.call(part, node)) {
        step(node.location.length);
        yield found;
      }
    };
  }
}

/**
 * The one value that a path selects, `undefined` for none. Throws {@link ExpressionError} for
 * several and for what the budget does not allow.
 */
export function selectOne(path: string, value: Json, budget: Budget): Json | undefined {
  if (path.length > PATH_MAX_LENGTH) throw new ExpressionError('has a json filter with too long a path');
  budget.charge((path.length + 60) * COMPILE);
  if (MEMBERS.test(path))
    return path.split('.').slice(1).reduce<unknown>(memberOf, value) as Json | undefined;
  const compiled = environment(budget).compile(path);
  countSteps(compiled, budget);
  const nodes = compiled.lazyQuery(value as never);
  const [first, second] = [nodes.next(), nodes.next()];
  if (second.done !== true) throw new ExpressionError('has a json filter whose path selects several values');
  return first.done === true ? undefined : (first.value.value as Json);
}
