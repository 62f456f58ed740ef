import {
  JSONPathEnvironment,
  JSONPathError,
  JSONPathNodeList,
  type JSONPathNode,
  type JSONPathQuery,
} from 'json-p3';
import type { Json } from '../shared/json.ts';
import { memberOf } from './member-of.ts';
import type { Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { weigh } from './weight.ts';

/*
 * json-p3 is loaded on first use (tools/assets/bundle.ts): the top level of this module must not
 * use it.
 */

const PATH_MAX_LENGTH = 1_000;
/** A path of member names only, as most are: it selects one value or none. */
const MEMBERS = /^\$(?:\.[A-Za-z_]\w*)*$/;
/** Steps of compiling a path, for each character. */
const COMPILE = 400;
/** Steps of making a selector or a condition count its steps. */
const COUNTING = 5_000;
/**
 * Steps of each visited node and each condition; `..` and consecutive lists of selectors multiply
 * them without bound.
 */
const NODE = 600;
/**
 * Steps of each level of nesting of a node: its location is copied, and `..` passes it up level by
 * level.
 */
const LEVEL = 30;
/** Steps that a comparison costs, for each character of a value in a condition. */
const COMPARE = 4;
/** Steps of each member of an object whose members are listed, even if few of them are visited. */
const MEMBER = 150;
/** Deepest nesting that `..` follows, which is deeper than a body can be. */
const DEPTH_MAX = 100;

/**
 * Leaves `match` and `search` of RFC 9535 out, because a caller's regular expression could run
 * without limit.
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

/** Charges for the values in a condition, because a comparison reads them completely. */
function weighFound(found: unknown, budget: Budget): void {
  if (found instanceof JSONPathNodeList) for (const { value } of found.nodes) weigh(value, COMPARE, budget);
  else if (typeof found === 'string') weigh(found, COMPARE, budget);
}

/**
 * Makes every selector and every condition of a compiled path charge a budget, including the
 * queries inside conditions.
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
  // Segments call `resolve` or `lazyResolve` of their selectors; nodes are made one by one, so
  // wrapping these two is enough.
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

/** Throws {@link ExpressionError} with the place of a fault; the message quotes nothing. */
function compile(path: string, budget: Budget): JSONPathQuery {
  try {
    return environment(budget).compile(path);
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    const at = error.token.index + 1;
    const hint = path.startsWith('$') ? '' : '; a path starts with `$`';
    throw new ExpressionError(`has a json filter whose path is not valid at character ${String(at)}${hint}`);
  }
}

/**
 * The one value that a path selects; `undefined` for none. Throws {@link ExpressionError} for
 * several values, and if the budget is exceeded.
 */
export function selectJsonPath(path: string, value: Json, budget: Budget): Json | undefined {
  if (path.length > PATH_MAX_LENGTH) throw new ExpressionError('has a json filter with too long a path');
  budget.charge((path.length + 60) * COMPILE);
  if (MEMBERS.test(path))
    return path.split('.').slice(1).reduce<unknown>(memberOf, value) as Json | undefined;
  const compiled = compile(path, budget);
  countSteps(compiled, budget);
  const nodes = compiled.lazyQuery(value as never);
  const first = nodes.next();
  const second = nodes.next();
  if (second.done !== true) throw new ExpressionError('has a json filter whose path selects several values');
  return first.done === true ? undefined : (first.value.value as Json);
}
