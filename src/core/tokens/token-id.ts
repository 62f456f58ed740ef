/**
 * Why a text cannot be the id of a token: 3 to 400 characters without those that have a meaning
 * elsewhere (docs/contract.md#token-ids).
 */
export function tokenIdProblem(id: string): string | undefined {
  const length = Array.from(id).length;
  if (length < 3 || length > 400) return 'must be 3 to 400 characters';
  // \p{Cc}: control characters; \p{Cs}: half of a surrogate pair, which has no UTF-8.
  if (/[#/\\+?[\]|&=%<>{}^]|\p{Cc}|\p{Cs}/u.test(id)) return 'has a character that ids must not have';
  return undefined;
}
