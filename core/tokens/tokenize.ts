import type { Caller } from '../applications/application.ts';
import { requirePermission } from '../applications/require-permission.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { memberPath } from '../shared/member-path.ts';
import { Secret } from '../shared/secret.ts';
import { mapShape, type Shape } from '../shared/shape.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { createTokens, type CreateTokenDeps, type PlacedInput } from './create-tokens.ts';
import type { TokenInput } from './token-input.ts';
import type { TokenResult } from './token-result.ts';

/** Most tokens that one request may create (decisions.md, section 3). */
const TOKENS_MAX = 100;

/** A place in a tokenized value, and whether the whole token or only its id goes there. */
export interface TokenPlace {
  readonly shows: 'token' | 'id';
}

/** A tokenized value: the request's own shape, with results where tokens were made. */
export type Tokenized = Shape<TokenPlace & { readonly result: TokenResult }>;

/** The same before anything was made: the numbers of the tokens to be. */
type Plan = Shape<TokenPlace & { readonly token: number }>;

/** Checks the shape of an object that is to be a token; reports errors at its path. */
export type ParseTokenInput = (object: JsonObject, path: string) => TokenInput;

function isToken(value: JsonObject): boolean {
  return Object.hasOwn(value, 'type') && Object.hasOwn(value, 'data');
}

/** Where in a JSON value tokens are to be made: objects with `type` and `data`, and every other primitive leaf but `null`. */
function plan(value: Json, path: string, parse: ParseTokenInput, placed: PlacedInput[]): Plan {
  if (value === null) return { nothing: true };
  if (Array.isArray(value)) {
    return {
      array: (value as readonly Json[]).map((element, index) =>
        plan(element, memberPath(path, index), parse, placed),
      ),
    };
  }
  if (isJsonObject(value) && !isToken(value)) {
    return {
      object: Object.entries(value).map(
        ([name, member]) => [name, plan(member, memberPath(path, name), parse, placed)] as const,
      ),
    };
  }
  const isObject = isJsonObject(value);
  placed.push({ path, input: isObject ? parse(value, path) : { type: 'token', data: new Secret(value) } });
  return { leaf: { token: placed.length - 1, shows: isObject ? 'token' : 'id' } };
}

/**
 * Makes tokens of a JSON value (decisions.md, section 3): everything is checked before anything is written, and either all tokens are
 * written or none. Throws what {@link createTokens} throws, with paths into the value.
 */
export async function tokenize(
  deps: CreateTokenDeps,
  caller: Caller,
  value: Json,
  parse: ParseTokenInput,
  writes: WriteIdentity,
): Promise<Tokenized> {
  requirePermission(caller, 'token:create');
  const placed: PlacedInput[] = [];
  const shape = plan(value, '', parse, placed);
  if (placed.length > TOKENS_MAX)
    throw new ServiceError('validation_failed', `A request creates at most ${String(TOKENS_MAX)} tokens.`);
  const results = await createTokens(deps, caller, placed, writes);
  return mapShape(shape, ({ token, shows }) => {
    const result = results[token];
    if (result === undefined) throw new Error('tokenize: a token was lost');
    return { result, shows };
  });
}
