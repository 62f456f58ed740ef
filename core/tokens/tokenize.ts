import type { Caller } from '../applications/application.ts';
import { requirePermission } from '../applications/require-permission.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { memberPath } from '../shared/member-path.ts';
import { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { createTokens, type CreateTokenDeps, type PlacedInput } from './create-tokens.ts';
import type { TokenInput } from './token-input.ts';
import type { TokenResult } from './token-result.ts';

/** Most tokens that one request may create (decisions.md, section 3). */
const TOKENS_MAX = 100;

/** What stands where a token was: its result, and whether the whole object or only its id goes there. */
export interface TokenizedLeaf {
  readonly result: TokenResult;
  readonly shows: 'token' | 'id';
}

/** A tokenized value: the request's own shape, with leaves where tokens were made. */
export type Tokenized =
  | { readonly leaf: TokenizedLeaf }
  | { readonly array: readonly Tokenized[] }
  | { readonly object: readonly (readonly [string, Tokenized])[] }
  | { readonly nothing: true };

type Plan =
  | { readonly token: number; readonly shows: 'token' | 'id' }
  | { readonly array: readonly Plan[] }
  | { readonly object: readonly (readonly [string, Plan])[] }
  | { readonly nothing: true };

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
  return { token: placed.length - 1, shows: isObject ? 'token' : 'id' };
}

function filled(node: Plan, results: readonly TokenResult[]): Tokenized {
  if ('array' in node) return { array: node.array.map((element) => filled(element, results)) };
  if ('object' in node)
    return { object: node.object.map(([name, member]) => [name, filled(member, results)] as const) };
  if ('nothing' in node) return node;
  const result = results[node.token];
  if (result === undefined) throw new Error('tokenize: a token was lost');
  return { leaf: { result, shows: node.shows } };
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
  return filled(shape, await createTokens(deps, caller, placed, writes));
}
