import { nearestName, notOneOf } from '../shared/known-names.ts';
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

function refused(message: string): Error {
  return invalid('query', message);
}

function termOf(match: RegExpExecArray): SearchTerm {
  const [, metadata, quotedKey, plainKey, name = '', quoted, plain = ''] = match;
  const value = quoted === undefined ? plain : unescaped(quoted);
  // A term with `*` looks like a wildcard, but would match only the literal character.
  if (quoted === undefined && plain.includes('*'))
    throw refused('has a term with *, which is no wildcard; to search for the character, quote the value');
  if (quoted === undefined && /^['‘’“”]/.test(plain))
    throw refused('has a value in other quotation marks than "');
  if (metadata !== undefined)
    return {
      field: 'metadata',
      key: quotedKey === undefined ? (plainKey ?? '') : unescaped(quotedKey),
      value,
    };
  return fieldTerm(name, value);
}

function fieldTerm(name: string, value: string): SearchTerm {
  const field = FIELDS.find((candidate) => candidate === name.toLowerCase());
  if (/^metadata\.?$/i.test(name)) throw refused('has metadata without a key: write metadata.key:"..."');
  if (field === undefined) {
    const near = /^data\./i.test(name) ? 'data' : nearestName(name, FIELDS);
    const meant = near === undefined ? '' : `; did you mean ${near}:"..."?`;
    throw refused(`has an unknown field; there are ${FIELDS.join(', ')} and metadata.<key>${meant}`);
  }
  if (field === 'type' && !TOKEN_TYPE_NAMES.some((type) => type === value))
    throw refused(`has a type that ${notOneOf(value, TOKEN_TYPE_NAMES)}`);
  if (field !== 'container') return { field, value };
  const container = subtreeOf(value);
  if (container === undefined) throw refused('has a container that is no path like /pci/high/');
  return { field, value: container };
}

const OPERATOR = /^\s*(?:[()]|(?:NOT|OR)\b)/i;

/** Says why a query cannot go on from a place with a text. */
function problemAt(rest: string, at: number, isAfterTerm: boolean): string {
  const place = `at character ${String(at + 1)}`;
  if (OPERATOR.test(rest)) return `must be terms joined by AND, without NOT, OR and brackets, ${place}`;
  if (isAfterTerm)
    return `must continue with AND and a term, or end, ${place}; quote a value that has spaces`;
  if (/^\s*AND\b/i.test(rest)) return `must have a term on each side of AND, ${place}`;
  if (/^\s*metadata\.[^":]*\s[^":]*:/i.test(rest))
    return `must have a key with spaces in quotation marks, ${place}: metadata."order no":"..."`;
  if (/^\s*[\w.]+=/.test(rest)) return `has = in place of :, ${place}`;
  if (/^\s*[\w.]+:\s+\S/.test(rest)) return `has a blank between a field and its value, ${place}`;
  if (/^\s*[\w.]+:"/.test(rest)) return `has a quotation mark that is not closed, ${place}`;
  if (/^\s*[\w.]+:/.test(rest)) return `has a field without a value, ${place}`;
  return `has a value without a field, ${place}: write data:"..." or metadata.key:"..."`;
}

/**
 * Parses `data:"..." AND metadata.key:"..." AND type:card`. Throws `validation_failed`, also for an
 * empty query.
 */
export function parseSearchQuery(query: string): readonly SearchTerm[] {
  if (query.length > SEARCH_LIMITS.query)
    throw refused(`must be at most ${String(SEARCH_LIMITS.query)} characters`);
  const text = query.trimEnd();
  if (text === '') throw refused('must not be empty; GET /tokens lists all tokens');
  const terms: SearchTerm[] = [];
  let at = 0;
  while (at < text.length) {
    TERM.lastIndex = at;
    const match = TERM.exec(text);
    if (match === null) throw refused(problemAt(text.slice(at), at, false));
    terms.push(termOf(match));
    if (terms.length > SEARCH_LIMITS.terms)
      throw refused(`must have at most ${String(SEARCH_LIMITS.terms)} terms`);
    at = TERM.lastIndex;
    if (at === text.length) break;
    AND.lastIndex = at;
    if (AND.exec(text) === null || AND.lastIndex === text.length)
      throw refused(problemAt(text.slice(at), at, true));
    at = AND.lastIndex;
  }
  return terms;
}
