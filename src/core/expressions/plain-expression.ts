import type { Json } from '../shared/json.ts';
import { memberOf } from './member-of.ts';
import { parseJson } from '../shared/parse-json.ts';
import { NamedArgument, type FilterArgument } from './arguments.ts';
import { OWN_FILTERS, OWN_PARAMETERS, type Filter } from './filters.ts';
import { misfit } from './parameters.ts';
import { SOURCE_MAX_LENGTH } from './parsed-once.ts';
import { resultOf, type Expression } from './result.ts';
import type { UsedName } from './syntax-problem.ts';

/*
 * Most expressions are a path of names and filters of the service with literal arguments. They mean
 * the same in Liquid, and are evaluated faster without it
 * (docs/decisions/0013#evaluate-plain-expressions-without-liquid).
 */

/** Steps of parsing, for each character: of a path of names, and of a path with filters. */
const PARSE_NAME = 40;
const PARSE = 150;
/** Steps that an evaluation costs before any filter, and those of each argument. */
const EVALUATE = 50;
const ARGUMENT = 50;

/** Names of members, separated by dots. */
const PATH = /[ \t\r\n]*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)[ \t\r\n]*/y;
/** Names that are values in Liquid. */
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'nil', 'null', 'empty', 'blank']);

const FILTER = /\|[ \t\r\n]*([a-z]\w*)[ \t\r\n]*(:?)/y;
const ARGUMENT_NAME = /[ \t\r\n]*([a-z]\w*)[ \t\r\n]*[:=]/y;
/** A text without a backslash, a number as JSON writes it, or a boolean. */
const LITERAL =
  /[ \t\r\n]*("[^"\\]*"|'[^'\\]*'|-?(?:0|[1-9]\d{0,8})(?:\.\d{1,9})?(?![\w.])|(?:true|false)(?![\w.?[-]))[ \t\r\n]*(,?)/y;

interface FilterCall extends UsedName {
  readonly filter: Filter;
  readonly args: readonly FilterArgument[];
}

/** Reads a text from start to end with sticky patterns. */
class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#source.length;
  }

  next(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}

/** The value of a literal, which is JSON except that quotes may be single. */
const literal = (text: string): Json =>
  text.startsWith('"') || text.startsWith("'") ? text.slice(1, -1) : parseJson(text);

function readArguments(reader: Reader): readonly FilterArgument[] | undefined {
  const args: FilterArgument[] = [];
  for (let more = true; more;) {
    const name = reader.next(ARGUMENT_NAME)?.[1];
    const [found, text = '', comma] = reader.next(LITERAL) ?? [];
    if (found === undefined) return undefined;
    args.push(name === undefined ? literal(text) : new NamedArgument(name, literal(text)));
    more = comma === ',';
  }
  return args;
}

function readFilter(reader: Reader): FilterCall | undefined {
  const found = reader.next(FILTER);
  const [text = '', name = '', colon] = found ?? [];
  const filter = OWN_FILTERS.get(name);
  const parameters = OWN_PARAMETERS.get(name);
  if (found === null || filter === undefined || parameters === undefined) return undefined;
  const args = colon === ':' ? readArguments(reader) : [];
  if (args === undefined) return undefined;
  const at = found.index + text.indexOf(name);
  // Liquid's parser says what is wrong.
  return misfit(parameters, args) === undefined ? { name, at, filter, args } : undefined;
}

/** Parses a path of names and filters; `undefined` for any other text, valid or not. */
export function plainExpression(source: string): Expression | undefined {
  // A source that is too long for the cache would be parsed twice each time if it needs Liquid.
  if (source.length > SOURCE_MAX_LENGTH) return undefined;
  const reader = new Reader(source);
  const [whole = '', names = ''] = reader.next(PATH) ?? [];
  const path = names === '' ? [] : names.split('.');
  if (path.length === 0 || path.some((name) => WORDS.has(name))) return undefined;
  const filters: FilterCall[] = [];
  while (!reader.isAtEnd) {
    const filter = readFilter(reader);
    if (filter === undefined) return undefined;
    filters.push(filter);
  }
  const steps = filters.reduce((sum, { args }) => sum + args.length * ARGUMENT, EVALUATE);
  return {
    names: [{ name: path[0] ?? '', at: whole.indexOf(names) }],
    filters: filters.map(({ name, at }) => ({ name, at })),
    parsing: source.length * (filters.length === 0 ? PARSE_NAME : PARSE),
    evaluate(bindings, budget) {
      budget.charge(steps);
      let value = (path.reduce<unknown>(memberOf, bindings) ?? null) as Json;
      for (const { filter, args } of filters) value = filter(budget, value, args);
      return resultOf(value, budget);
    },
  };
}
