import { hintOf } from '../shared/known-names.ts';
import { NamedArgument, valueOf, type FilterArgument } from './arguments.ts';
import { ExpressionError } from './expression-error.ts';
import { SyntaxProblem } from './syntax-problem.ts';

/*
 * A filter that lacks an argument would show the whole value: `{{ data | remove }}`. So each call
 * of a filter must fit its parameters (docs/contract.md#filters). The parser checks what the source
 * says, and the call of the filter what the data says.
 */

const NUMERIC = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)\s*$/;
const TEXT_MAX = 100;
const COUNT_MAX = 100_000;
const PADDING_MAX = 10_000;

/** A whole number up to `max`, which may be quoted. Its length is bounded before it is read. */
const isCount =
  (max: number) =>
  (value: unknown): boolean => {
    const count =
      typeof value === 'string' && value.length <= 10 && /^\d+$/.test(value) ? Number(value) : value;
    return Number.isInteger(count) && Number(count) >= 0 && Number(count) <= max;
  };

const isBooleanText = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:true|false)$/i.test(value);

/**
 * The kinds that an argument can have: words for messages, and the values that are of this kind.
 */
const KINDS = {
  number: [
    'number',
    (value: unknown) => typeof value === 'number' || (typeof value === 'string' && NUMERIC.test(value)),
  ],
  count: ['whole number from 0 to 100,000', isCount(COUNT_MAX)],
  length: ['whole number from 0 to 10,000', isCount(PADDING_MAX)],
  boolean: ['boolean', (value: unknown) => typeof value === 'boolean' || isBooleanText(value)],
  text: ['text', (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)],
  'short text': [
    'text of at most 100 characters',
    (value: unknown) => typeof value === 'string' && value.length <= TEXT_MAX,
  ],
  path: ['path in quotation marks', (value: unknown) => typeof value === 'string'],
  list: ['list', Array.isArray],
  value: ['value', () => true],
} as const satisfies Readonly<Record<string, readonly [words: string, isOf: (value: unknown) => boolean]>>;

/** A kind of arguments; `value` is any. */
export type Kind = keyof typeof KINDS;

export interface Parameter {
  readonly kind: Kind;
  readonly isRequired: boolean;
  /** The name that a call may use; absent for a filter of Liquid, which takes it by position. */
  readonly name?: string;
}

/** A filter may be called with these. */
export interface Parameters {
  /** The arguments by position; those with a name may be passed by name too. */
  readonly positions: readonly Parameter[];
  /** Names of arguments that have no position, which are optional booleans. */
  readonly named: readonly string[];
}

export const NO_PARAMETERS: Parameters = { positions: [], named: [] };

/** Describes a call of a filter in a source. */
export interface FilterUse {
  readonly name: string;
  readonly at: number;
  readonly args: readonly FilterArgument[];
}

/** Marks an argument of a source whose value only the data has. */
export const LATER = Symbol('an argument of the data');

const namesOf = ({ positions, named }: Parameters): readonly string[] => [
  ...positions.flatMap(({ name }) => name ?? []),
  ...named,
];

interface Misfit {
  readonly reason: string;
  readonly hint?: string;
}

function misnumbered(parameters: Parameters, args: readonly FilterArgument[]): Misfit | undefined {
  const { positions } = parameters;
  const names = args.flatMap((argument) => (argument instanceof NamedArgument ? argument.name : []));
  const known = namesOf(parameters);
  const byPosition = args.length - names.length;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) return { reason: 'with an unknown argument', hint: hintOf(unknown, known) };
  const filled = [...positions.slice(0, byPosition).map((each, at) => each.name ?? at), ...names];
  if (byPosition > positions.length) return { reason: 'with too many arguments' };
  const twice = filled.find((name, at) => filled.indexOf(name) < at);
  if (twice !== undefined) return { reason: `with the argument \`${String(twice)}\` twice` };
  const missing = positions.find((each, at) => each.isRequired && !filled.includes(each.name ?? at));
  if (missing === undefined) return undefined;
  return {
    reason:
      missing.name === undefined ? 'without a required argument' : `without its argument \`${missing.name}\``,
  };
}

const ORDINALS = ['first', 'second', 'third', 'fourth'];

const nameOf = (argument: FilterArgument): string => (argument instanceof NamedArgument ? argument.name : '');

/** The first argument of a kind that the filter cannot use. */
function ofWrongKind({ positions }: Parameters, args: readonly FilterArgument[]): Misfit | undefined {
  let position = 0;
  for (const argument of args) {
    const at =
      argument instanceof NamedArgument
        ? positions.findIndex(({ name }) => name === argument.name)
        : position++;
    const { kind, name } = positions[at] ?? { kind: 'boolean', name: nameOf(argument) };
    const [words, isOf] = KINDS[kind];
    const value = valueOf(argument);
    if (value === LATER || isOf(value)) continue;
    const which = positions.length > 1 ? `a ${ORDINALS[at] ?? 'further'} argument` : 'an argument';
    return { reason: `with ${name === undefined ? which : `an argument \`${name}\``} that is no ${words}` };
  }
  return undefined;
}

/** Explains why a call does not fit; `undefined` if it does. */
export const misfit = (parameters: Parameters, args: readonly FilterArgument[]): Misfit | undefined =>
  misnumbered(parameters, args) ?? ofWrongKind(parameters, args);

/** Throws {@link SyntaxProblem} unless a call has the arguments that its filter takes. */
export function checkUse(parameters: Parameters, { name, at, args }: FilterUse): void {
  const found = misfit(parameters, args);
  if (found !== undefined)
    throw new SyntaxProblem(`has the filter \`${name}\` ${found.reason}`, at, { hint: found.hint ?? '' });
}

/** Throws {@link ExpressionError} for an argument of a kind that the filter cannot use. */
export function checkKinds(name: string, parameters: Parameters, args: readonly FilterArgument[]): void {
  const found = ofWrongKind(parameters, args);
  if (found !== undefined) throw new ExpressionError(`has the filter \`${name}\` ${found.reason}`);
}
