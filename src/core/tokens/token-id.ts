import { isUuid } from '../shared/is-uuid.ts';
import { ServiceError } from '../shared/service-error.ts';
import { parseSearchQuery } from './search-query.ts';
import { readsAsId } from '../expressions/token-expression.ts';

/** Minimum and maximum length that an id may have, in characters. */
export const ID_LENGTH = { least: 3, most: 400 } as const;

/** A fixed path below `/tokens`. The route of an operation would hide a token with this id. */
const RESERVED = 'search';

/**
 * The reason why a text cannot be a token id; `undefined` if it can. An id has 3 to 400 characters
 * without those that have a meaning elsewhere (docs/contract.md#token-ids). It means the same token
 * in every grammar: in a path, in a search, and in an expression.
 */
export function tokenIdProblem(id: string): string | undefined {
  const length = Array.from(id).length;
  const { least, most } = ID_LENGTH;
  if (length < least || length > most) return `must be ${String(least)} to ${String(most)} characters`;
  if (id === RESERVED) return 'is the name of an operation (POST /tokens/search)';
  // `\p{Cc}` are control characters. `\p{Cs}` is half of a surrogate pair, which has no UTF-8.
  if (/[#/\\+?[\]|&=%<>{}^]|\p{Cc}|\p{Cs}/u.test(id))
    return 'must not have control characters and # / \\ + ? [ ] | & = % < > { } ^';
  // Two ids that look the same could name two tokens. U+2800 is a braille pattern without dots.
  if (/\p{Cf}|\p{Cn}|\p{Co}|\p{Default_Ignorable_Code_Point}|\u2800|(?! )\p{White_Space}| {2}/u.test(id))
    return 'must not have invisible, private or unassigned characters, nor white space other than single blanks';
  if (isUuid(id.toLowerCase()) && !isUuid(id)) return 'must have a UUID in lower case';
  if (id !== id.normalize('NFC')) return 'must be in Unicode normalization form C';
  if (!readsAsId(id)) return 'must not begin or end with a blank, nor begin with `token:`';
  if (!isSearchedAs(id)) return 'must not be more than one term of a search';
  return undefined;
}

/** Whether every search for the id, quoted or not, finds this id and nothing else. */
function isSearchedAs(id: string): boolean {
  return [`id:${id}`, `id:"${id}"`].every((query) => {
    try {
      const [first, ...others] = parseSearchQuery(query);
      return others.length === 0 && first?.field === 'id' && first.value === id;
    } catch (error) {
      if (error instanceof ServiceError) return true;
      throw error;
    }
  });
}
