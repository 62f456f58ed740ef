import { nearestName } from '../shared/known-names.ts';
import { invalid } from '../shared/service-error.ts';
import { subtreeOf } from './container-term.ts';
import { TOKEN_TYPE_NAMES } from './token-type.ts';

/** One term of a search. All terms of a query must match. */
export type SearchTerm =
  | { readonly field: 'data' | 'type' | 'container' | 'fingerprint' | 'id'; readonly value: string }
  | { readonly field: 'metadata'; readonly key: string; readonly value: string };

const FIELDS = ['data', 'type', 'container', 'fingerprint', 'id'] as const;

/** Most terms that a query may have, and its maximum length in characters. */
export const SEARCH_LIMITS = { terms: 20, query: 10_000 } as const;

/**
 * Matches `field:` with a metadata key plain or quoted, then a value, quoted (with `\"` and `\\`)
 * or plain.
 */
const TERM =
  /\s*(?:(metadata)\.(?:"((?:[^"\\]|\\.)*)"|([^\s:"]+))|([a-z_][\w.-]*)):(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))/isy;
const AND = /\s+AND\s+/iy;

const unescaped = (text: string): string => text.replace(/\\(.)/gs, '$1');

/** Why a query is refused, and what to write instead. It never quotes the query. */
interface Problem {
  readonly reason: string;
  readonly hint?: string;
}

const refused = ({ reason, hint }: Problem, at: number): Error =>
  invalid('query', `${reason}, at character ${String(at + 1)}${hint === undefined ? '' : `; ${hint}`}`);

const QUOTE = 'to search for the characters, quote the value';

/**
 * A value without quotation marks has these characters alone: others mean something in the queries
 * of other services, and would find nothing here.
 */
const PLAIN = /^[\p{L}\p{N}\p{M}_.:/@+-][\p{L}\p{N}\p{M}_.:/@+=-]*$/u;

/** Other values may have been meant to be one of these. */
const NOT_PLAIN: readonly (readonly [looks: RegExp, problem: Problem])[] = [
  [/\*/, { reason: 'has a term with *, which is no wildcard', hint: QUOTE }],
  [/^['‘’“”`]/, { reason: 'has a value in other quotation marks than "' }],
  [/^[<>=!~[{]|\d\.\.\d/, { reason: 'has a comparison, and values are only equal', hint: QUOTE }],
  [/^\(/, { reason: 'must be terms joined by AND, without NOT, OR and brackets' }],
  [/[,;&|](?:[a-z_]+|metadata\.[^:]+):/i, { reason: 'has terms that are not joined by AND', hint: QUOTE }],
  [
    /^/,
    {
      reason: 'has a value with other characters than letters, digits and -_.:/@+=',
      hint: QUOTE,
    },
  ],
];

function plainProblem(value: string): Problem | undefined {
  if (PLAIN.test(value) && !/\d\.\.\d/.test(value)) return undefined;
  return NOT_PLAIN.find(([looks]) => looks.test(value))?.[1];
}

type Parsed = SearchTerm | Problem;

function termOf(match: RegExpExecArray): Parsed {
  const [, metadata, quotedKey, plainKey, name = '', quoted, plain = ''] = match;
  const problem = quoted === undefined ? plainProblem(plain) : undefined;
  if (problem !== undefined) return problem;
  const value = quoted === undefined ? plain : unescaped(quoted);
  if (metadata === undefined) return fieldTerm(name, value);
  const key = quotedKey === undefined ? (plainKey ?? '') : unescaped(quotedKey);
  return { field: 'metadata', key, value };
}

/** The names that there are, and the one that may have been meant. */
function otherwise(name: string, names: readonly string[], more = ''): string {
  const near = nearestName(name, names);
  const meant = near === undefined ? '' : `; did you mean \`${near}\`?`;
  return `there are ${names.join(', ')}${more}${meant}`;
}

function fieldTerm(name: string, value: string): Parsed {
  const field = FIELDS.find((candidate) => candidate === name.toLowerCase());
  if (/^metadata\.?$/i.test(name))
    return { reason: 'has metadata without a key', hint: 'write metadata.key:"..."' };
  if (field === undefined) {
    const isOfData = /^data\./i.test(name);
    const hint = otherwise(isOfData ? 'data' : name, FIELDS, ' and metadata.<key>');
    return { reason: 'has an unknown field', hint };
  }
  if (field === 'type' && !TOKEN_TYPE_NAMES.some((type) => type === value))
    return { reason: 'has an unknown type', hint: otherwise(value, TOKEN_TYPE_NAMES) };
  if (field !== 'container') return { field, value };
  const container = subtreeOf(value);
  if (container === undefined) return { reason: 'has a container that is no path like /pci/high/' };
  return { field, value: container };
}

/** Why a query cannot begin a term with a text. */
const NO_TERM: readonly (readonly [looks: RegExp, problem: Problem])[] = [
  [/^(?:[()]|(?:NOT|OR)\b)/i, { reason: 'must be terms joined by AND, without NOT, OR and brackets' }],
  [/^AND\b/i, { reason: 'must have a term on each side of AND' }],
  [
    /^metadata\.[^":]*\s[^":]*:/i,
    { reason: 'must have a key with spaces in quotation marks', hint: 'write metadata."order no":"..."' },
  ],
  [/^[\w.]+=/, { reason: 'has = in place of :' }],
  [/^[\w.]+\s*:\s+\S|^[\w.]+\s+:/, { reason: 'has a blank between a field and its value' }],
  [/^[\w.]+:"/, { reason: 'has a quotation mark that is not closed' }],
  [/^[\w.]+:/, { reason: 'has a field without a value' }],
];

function problemOf(rest: string, isAfterTerm: boolean): Problem {
  const [operator] = NO_TERM;
  if (operator?.[0].test(rest) !== true && isAfterTerm)
    return { reason: 'must continue with AND and a term, or end', hint: 'quote a value that has spaces' };
  const known = NO_TERM.find(([looks]) => looks.test(rest))?.[1];
  return known ?? { reason: 'has a value without a field', hint: 'write data:"..." or metadata.key:"..."' };
}

/** The error for a text that cannot go on from a place. */
function stuckAt(text: string, at: number, isAfterTerm: boolean): Error {
  const rest = text.slice(at).trimStart();
  return refused(problemOf(rest, isAfterTerm), text.length - rest.length);
}

/**
 * Parses `data:"..." AND metadata.key:"..." AND type:card`. Throws `validation_failed`, also for an
 * empty query.
 */
export function parseSearchQuery(query: string): readonly SearchTerm[] {
  if (query.length > SEARCH_LIMITS.query)
    throw invalid('query', `must be at most ${String(SEARCH_LIMITS.query)} characters`);
  const text = query.trimEnd();
  if (text === '') throw invalid('query', 'must not be empty; GET /tokens lists all tokens');
  const terms: SearchTerm[] = [];
  let at = 0;
  while (at < text.length) {
    TERM.lastIndex = at;
    const match = TERM.exec(text);
    if (match === null) throw stuckAt(text, at, false);
    const term = termOf(match);
    if ('reason' in term) throw refused(term, at + match[0].search(/\S/));
    terms.push(term);
    if (terms.length > SEARCH_LIMITS.terms)
      throw invalid('query', `must have at most ${String(SEARCH_LIMITS.terms)} terms`);
    at = TERM.lastIndex;
    if (at === text.length) break;
    AND.lastIndex = at;
    if (AND.exec(text) === null || AND.lastIndex === text.length) throw stuckAt(text, at, true);
    at = AND.lastIndex;
  }
  return terms;
}
