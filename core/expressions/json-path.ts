import { JSONPathEnvironment } from 'json-p3';
import type { Json } from '../shared/json.ts';
import { ExpressionError } from './expression-error.ts';

const PATH_MAX_LENGTH = 1_000;
/** Nodes looked at and comparisons made by one path; `..` and lists of selectors in a row would multiply them without a bound. */
const STEPS_MAX = 1_000_000;
/** Deepest nesting that `..` follows: more than a body can have. */
const DEPTH_MAX = 100;

/** RFC 9535 without `match` and `search`: a regular expression from a caller could run for as long as it likes. */
const environment = new JSONPathEnvironment({ maxRecursionDepth: DEPTH_MAX });
environment.functionRegister.delete('match');
environment.functionRegister.delete('search');

interface Evaluated {
  resolve?: (node: unknown) => Iterable<unknown>;
  lazyResolve?: (node: unknown) => Iterable<unknown>;
  evaluate?: (context: unknown) => unknown;
  readonly selectors?: unknown;
}

/** Makes every selector and every condition of a compiled path, queries inside of conditions included, take its steps from `step`. */
function countSteps(part: object, step: () => void): void {
  if (part instanceof JSONPathEnvironment) return;
  Object.values(part)
    .filter((member) => typeof member === 'object' && member !== null)
    .forEach((member) => countSteps(member as object, step));
  const { resolve, lazyResolve, evaluate, selectors } = part as Evaluated;
  if (evaluate !== undefined) {
    (part as Evaluated).evaluate = (context) => {
      step();
      return evaluate.call(part, context);
    };
  }
  // Segments call `resolve` of their selectors, lazy or not; nodes are made one by one, so that the first two are enough.
  if (resolve !== undefined && lazyResolve !== undefined && selectors === undefined) {
    (part as Evaluated).resolve = function* (node) {
      step();
      for (const found of lazyResolve.call(part, node)) {
        step();
        yield found;
      }
    };
  }
}

/** The one value that a path selects, `undefined` for none. Throws {@link ExpressionError} for several and for a path that goes too far. */
export function selectOne(path: string, value: Json): Json | undefined {
  if (path.length > PATH_MAX_LENGTH) throw new ExpressionError('has a json filter with too long a path');
  const compiled = environment.compile(path);
  let steps = 0;
  countSteps(compiled, () => {
    steps += 1;
    if (steps > STEPS_MAX) throw new ExpressionError('has a json filter whose path takes too many steps');
  });
  const nodes = compiled.lazyQuery(value as never);
  const [first, second] = [nodes.next(), nodes.next()];
  if (second.done !== true) throw new ExpressionError('has a json filter whose path selects several values');
  return first.done === true ? undefined : (first.value.value as Json);
}
