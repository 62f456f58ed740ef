import type { Route } from '../../src/http/route.ts';
import { operation as createToken } from './create-token/route.ts';
import { operation as listTokens } from './list-tokens/route.ts';
import { operation as getToken } from './get-token/route.ts';
import { operation as updateToken } from './update-token/route.ts';
import { operation as deleteToken } from './delete-token/route.ts';
import { operation as searchTokens } from './search-tokens/route.ts';
import { operation as tokenize } from './tokenize/route.ts';
import { operation as detokenize } from './detokenize/route.ts';
import type { TokensDeps } from './dependencies.ts';

/** The operations of the function, in the order in which the documents have them. */
export const routes: readonly Route<TokensDeps>[] = [
  createToken,
  listTokens,
  getToken,
  updateToken,
  deleteToken,
  searchTokens,
  tokenize,
  detokenize,
];
