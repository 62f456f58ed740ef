/** Length of an id, in characters. */
export const ID_LENGTH = { least: 3, most: 400 } as const;

/** A path below `/tokens` that is none of a token. */
const RESERVED = 'search';

/**
 * Why a text cannot be the id of a token: 3 to 400 characters without those that have a meaning
 * elsewhere (docs/contract.md#token-ids).
 */
export function tokenIdProblem(id: string): string | undefined {
  const length = Array.from(id).length;
  const { least, most } = ID_LENGTH;
  if (length < least || length > most) return `must be ${String(least)} to ${String(most)} characters`;
  if (id === RESERVED) return 'is the name of an operation (POST /tokens/search)';
  // \p{Cc}: control characters; \p{Cs}: half of a surrogate pair, which has no UTF-8.
  if (/[#/\\+?[\]|&=%<>{}^]|\p{Cc}|\p{Cs}/u.test(id))
    return 'must not have control characters and # / \\ + ? [ ] | & = % < > { } ^';
  return undefined;
}
