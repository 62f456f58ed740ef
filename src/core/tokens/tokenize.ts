import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { normalized, shownName } from '../shared/known-names.ts';
import { pathOf, type MemberPlace } from '../shared/member-path.ts';
import { Secret } from '../shared/secret.ts';
import { mapShape, type Shape } from '../shared/shape.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { createTokens, type CreateTokenDeps, type PlacedInput } from './create-tokens.ts';
import type { TokenInput } from './token-input.ts';
import type { CreatedResult } from './created-result.ts';

/** Most tokens that one request may create (docs/contract.md#tokenize). */
export const TOKENIZED_MAX = 100;

/** A position in a tokenized value, and whether it shows the whole token or only its id. */
export interface TokenPlace {
  readonly shows: 'token' | 'id';
}

/**
 * A tokenized value: the shape of the request, with results in place of values. A token that an
 * earlier attempt created, and that is gone since, is only an id.
 */
export type Tokenized = Shape<TokenPlace & { readonly result: CreatedResult }>;

/** The same shape before any token is created, with the index of each token. */
type Plan = Shape<TokenPlace & { readonly token: number }>;

/** Checks the shape of an object that describes a token. Reports errors at its path. */
export type ParseTokenInput = (object: JsonObject, path: string) => TokenInput;

const TOKEN_MEMBERS = ['type', 'data'] as const;

const isToken = (value: JsonObject): boolean => TOKEN_MEMBERS.every((name) => Object.hasOwn(value, name));

/**
 * Throws `validation_failed` for an object that would be a token except for the spelling of `type`
 * or `data`. Its other members would become tokens, without its containers and expiration.
 */
function checkSpelling(value: JsonObject, place: MemberPlace | undefined): void {
  const bySpelling = new Map(Object.keys(value).map((name) => [normalized(name), name]));
  if (!TOKEN_MEMBERS.every((name) => bySpelling.has(name))) return;
  for (const name of TOKEN_MEMBERS) {
    const member = bySpelling.get(name) ?? name;
    if (!Object.hasOwn(value, name))
      throw invalid(pathOf({ parent: place, member: shownName(member) }), `must be named \`${name}\``);
  }
}

/** A value to tokenize, before it is checked. */
interface Found {
  readonly place: MemberPlace | undefined;
  readonly value: Json;
}

const NOTHING = { nothing: true } as const;

/** The values found so far, and the check of each object that does not describe a token. */
interface Search {
  readonly found: Found[];
  readonly check?: typeof checkSpelling;
}

/**
 * Finds the values of a JSON value to tokenize: objects with `type` and `data`, and every other
 * primitive leaf but `null`. Throws `validation_failed` at the first one above the limit.
 */
function plan(value: Json, place: MemberPlace | undefined, search: Search): Plan {
  if (value === null) return NOTHING;
  if (Array.isArray(value)) {
    const elements = value as readonly Json[];
    return { array: elements.map((element, member) => plan(element, { parent: place, member }, search)) };
  }
  const isObject = isJsonObject(value);
  if (isObject && !isToken(value)) {
    search.check?.(value, place);
    const names = Object.keys(value);
    return {
      object: names.map((member) => [member, plan(value[member] ?? null, { parent: place, member }, search)]),
    };
  }
  const { found } = search;
  if (found.length === TOKENIZED_MAX)
    throw new ServiceError('validation_failed', `A request creates at most ${String(TOKENIZED_MAX)} tokens.`);
  found.push({ place, value });
  return { leaf: { token: found.length - 1, shows: isObject ? 'token' : 'id' } };
}

function inputOf({ place, value }: Found, parse: ParseTokenInput): PlacedInput {
  const path = pathOf(place);
  return {
    path,
    input: isJsonObject(value) ? parse(value, path) : { type: 'token', data: new Secret(value) },
  };
}

/**
 * Tokenizes a JSON value (docs/contract.md#tokenize). Checks everything before it writes all tokens
 * or none. Throws the errors of {@link createTokens}, with paths into the value.
 */
export async function tokenize(
  deps: CreateTokenDeps,
  caller: Caller,
  value: Json,
  parse: ParseTokenInput,
  writes: WriteIdentity,
): Promise<Tokenized> {
  requirePermission(caller, 'token:create');
  const found: Found[] = [];
  const isLenient = deps.clientCompatibility === 'lenient';
  const shape = plan(value, undefined, { found, ...(isLenient ? { check: checkSpelling } : {}) });
  const placed = found.map((each) => inputOf(each, parse));
  const results = await createTokens(deps, caller, placed, writes);
  return mapShape(shape, ({ token, shows }) => {
    const result = results[token];
    if (result === undefined) throw new Error('tokenize: a token was lost');
    return { result, shows };
  });
}
