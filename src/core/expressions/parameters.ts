import { hintOf } from '../shared/known-names.ts';
import { valueOf, type FilterArgument } from './arguments.ts';
import { ExpressionError } from './expression-error.ts';
import { SyntaxProblem } from './syntax-problem.ts';

/*
 * A filter that lacks an argument would show the whole value: `{{ data | remove }}`. So each call
 * of a filter must fit its parameters (docs/contract.md#filters).
 */

/** Names a parameter of a filter; one that may be left out ends in a question mark. */
export type Parameter = string;

/** What a filter may be called with. */
export interface Parameters {
  /** Names of arguments by position; only a filter of the service also takes them by name. */
  readonly positions: readonly Parameter[];
  readonly named: readonly string[];
}

const nameOf = (parameter: Parameter): string => parameter.replace(/\?$/, '');
const isRequired = (parameter: Parameter): boolean => !parameter.endsWith('?');

/** Parameters of a filter of the service, each by position or by name. */
export const namedParameters = (...parameters: readonly Parameter[]): Parameters => ({
  positions: parameters,
  named: parameters.map(nameOf),
});

/** A call of a filter in a source: the names of its arguments, `undefined` for one by position. */
export interface FilterUse {
  readonly name: string;
  readonly at: number;
  readonly argumentNames: readonly (string | undefined)[];
}

/** Says why a call does not fit; `undefined` if it does. */
export function misfit({ positions, named }: Parameters, argumentNames: FilterUse['argumentNames']) {
  const names = argumentNames.filter((name) => name !== undefined);
  const byPosition = argumentNames.length - names.length;
  const unknown = names.find((name) => !named.includes(name));
  if (unknown !== undefined) return { reason: 'with an unknown argument', hint: hintOf(unknown, named) };
  const filled = [...positions.slice(0, byPosition).map(nameOf), ...names];
  if (byPosition > positions.length || new Set(filled).size < filled.length)
    return { reason: 'with too many arguments' };
  const isMissing = positions.some((each) => isRequired(each) && !filled.includes(nameOf(each)));
  return isMissing ? { reason: 'without a required argument' } : undefined;
}

/** Throws {@link SyntaxProblem} unless a call has the arguments that its filter takes. */
export function checkUse(parameters: Parameters, { name, at, argumentNames }: FilterUse): void {
  const found = misfit(parameters, argumentNames);
  if (found !== undefined)
    throw new SyntaxProblem(`has the filter \`${name}\` ${found.reason}`, at, { hint: found.hint ?? '' });
}

/** A value that an argument of a standard filter can be; `value` is any. */
export type Kind = 'number' | 'text' | 'list' | 'value';

const NUMERIC = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)\s*$/;
const IS_OF: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  number: (value) => typeof value === 'number' || (typeof value === 'string' && NUMERIC.test(value)),
  text: (value) => ['string', 'number', 'boolean'].includes(typeof value),
  list: Array.isArray,
  value: () => true,
};

/** Throws {@link ExpressionError} for an argument of a kind that the filter cannot use. */
export function checkKinds(name: string, kinds: readonly Kind[], args: readonly FilterArgument[]): void {
  args.forEach((argument, at) => {
    const kind = kinds[at] ?? 'value';
    if (!IS_OF[kind](valueOf(argument)))
      throw new ExpressionError(`has the filter \`${name}\` with an argument that is no ${kind}`);
  });
}
