import { createTokens } from '../../src/core/tokens/create-tokens.ts';
import type { TokenResult } from '../../src/core/tokens/token-result.ts';

/** Creates tokens of which none is gone already. */
export async function created(...args: Parameters<typeof createTokens>): Promise<readonly TokenResult[]> {
  return (await createTokens(...args)).map((result) => {
    if (result.shows === 'gone') throw new Error(`${result.id} is gone`);
    return result;
  });
}
