import type { Caller } from '../applications/application.ts';
import { requirePermission } from '../applications/require-permission.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import {
  fillTokenTemplate,
  type Filling,
  parseTokenTemplate,
  referencesOf,
  type TokenTemplate,
} from '../expressions/token-expression.ts';
import { TemplateFields } from '../expressions/template-fields.ts';
import { isJsonObject, jsonObject, type Json } from '../shared/json.ts';
import { memberPath } from '../shared/member-path.ts';
import { Secret } from '../shared/secret.ts';
import {
  resolveTokens,
  type Detokenization,
  type ResolvedTokens,
  type ResolveTokensDeps,
} from './resolve-tokens.ts';

/** Most that one request may fill in, in bytes of JSON (decisions.md, section 3, List). */
export const DETOKENIZED_MAX_BYTES = 6_000_000;

/** A value with its expressions filled in, and until when it may be kept. */
export interface DetokenizedJson extends Pick<ResolvedTokens, 'keepUntil' | 'tokens'> {
  readonly value: Secret<Json>;
}

/** A JSON value whose texts are parsed as templates, with their paths. */
export type ParsedJson =
  | { readonly path: string; readonly template: TokenTemplate }
  | { readonly array: readonly ParsedJson[] }
  | { readonly object: readonly (readonly [string, ParsedJson])[] }
  | { readonly value: Json };

function parseText(text: string, path: string, fields: TemplateFields): ParsedJson {
  if (fields.isFull) return { value: null };
  try {
    const template = parseTokenTemplate(text, fields.budget);
    fields.countExpressions(path === '' ? 'body' : path, referencesOf(template).length);
    return { path, template };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    fields.report(path === '' ? 'body' : path, error.message);
    return { value: null };
  }
}

/** Parses every text of a JSON value; what is wrong is reported with its path. */
export function parseTexts(value: Json, path: string, fields: TemplateFields): ParsedJson {
  if (typeof value === 'string') return parseText(value, path, fields);
  if (Array.isArray(value)) {
    return {
      array: (value as readonly Json[]).map((element, index) =>
        parseTexts(element, memberPath(path, index), fields),
      ),
    };
  }
  if (!isJsonObject(value)) return { value };
  return {
    object: Object.entries(value).map(
      ([name, member]) => [name, parseTexts(member, memberPath(path, name), fields)] as const,
    ),
  };
}

/** All templates in a parsed value. */
export function templatesIn(parsed: ParsedJson): readonly TokenTemplate[] {
  if ('template' in parsed) return [parsed.template];
  if ('array' in parsed) return parsed.array.flatMap(templatesIn);
  return 'object' in parsed ? parsed.object.flatMap(([, member]) => templatesIn(member)) : [];
}

/** The value with every template filled in; a filter that fails is reported with its path. */
export function fillTexts(parsed: ParsedJson, filling: Filling, fields: TemplateFields): Json {
  if ('value' in parsed) return parsed.value;
  if ('array' in parsed) return parsed.array.map((element) => fillTexts(element, filling, fields));
  if ('object' in parsed)
    return jsonObject(
      parsed.object.map(([name, member]) => [name, fillTexts(member, filling, fields)] as const),
    );
  try {
    return fillTokenTemplate(parsed.template, filling);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    fields.report(parsed.path === '' ? 'body' : parsed.path, error.message);
    return null;
  }
}

/**
 * Fills in every detokenization expression of a JSON value. Throws `validation_failed` with the paths of bad expressions, and what
 * {@link resolveTokens} throws.
 */
export async function detokenizeJson(
  deps: ResolveTokensDeps,
  caller: Caller,
  what: Detokenization,
  value: Json,
  path = '',
): Promise<DetokenizedJson> {
  const fields = new TemplateFields();
  const parsed = parseTexts(value, path, fields);
  fields.throwIfFailed();
  const references = templatesIn(parsed).flatMap(referencesOf);
  const { budget } = fields;
  const tokens = await resolveTokens(deps, caller, what, references);
  const filled = fillTexts(parsed, { valueOf: tokens.valueOf, budget }, fields);
  fields.throwIfFailed();
  const { keepUntil } = tokens;
  return {
    value: new Secret(filled),
    tokens: tokens.tokens,
    ...(keepUntil === undefined ? {} : { keepUntil }),
  };
}

/** The detokenize operation: needs `token:read`, and shows what its rules show. */
export async function detokenize(
  deps: ResolveTokensDeps,
  caller: Caller,
  value: Json,
): Promise<Secret<Json>> {
  requirePermission(caller, 'token:read');
  const what = { permission: 'token:read', maxBytes: DETOKENIZED_MAX_BYTES } as const;
  return (await detokenizeJson(deps, caller, what, value)).value;
}
