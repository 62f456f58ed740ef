import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import {
  fillTokenTemplate,
  type Filling,
  parseTokenTemplate,
  referencesOf,
  type TokenTemplate,
} from '../expressions/token-expression.ts';
import { TemplateFields } from '../expressions/template-fields.ts';
import { hasExpression } from '../expressions/template.ts';
import { defined } from '../shared/defined.ts';
import { isJsonObject, jsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { pathOf, type MemberPlace } from '../shared/member-path.ts';
import { Secret } from '../shared/secret.ts';
import {
  createTokenResolver,
  type Detokenization,
  type ResolvedTokens,
  type ResolveReferences,
  type ResolveTokensDeps,
} from './resolve-tokens.ts';

/** Most bytes of JSON that one request may fill in (docs/contract.md#limits). */
export const DETOKENIZED_MAX_BYTES = 6_000_000;

/** A value with its expressions filled in, and the time until which it may be stored. */
export interface DetokenizedJson extends Pick<ResolvedTokens, 'keepUntil' | 'tokens'> {
  readonly value: Secret<Json>;
}

interface ParsedText {
  readonly path: string;
  readonly template: TokenTemplate;
}

/** A list or object, and those of its members that contain expressions. */
interface ParsedContainer {
  readonly source: readonly Json[] | JsonObject;
  /** Each member, by its name or index. */
  readonly members: readonly (readonly [string, ParsedJson])[];
}

/** The parsed parts of a JSON value that contain expressions. Everything else stays unchanged. */
export type ParsedJson = ParsedText | ParsedContainer;

function parseText(text: string, path: string, fields: TemplateFields): ParsedText | undefined {
  try {
    const template = parseTokenTemplate(text, fields.budget, path);
    fields.countExpressions(path, referencesOf(template).length);
    return { path, template };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    fields.report(path, error.message);
    return undefined;
  }
}

/**
 * Parses the texts of a JSON value that contain expressions; `undefined` if there are none. Reports
 * errors with their paths below `root`.
 */
export function parseTexts(
  value: Json,
  root: string,
  fields: TemplateFields,
  place?: MemberPlace,
): ParsedJson | undefined {
  if (typeof value === 'string')
    return hasExpression(value) && !fields.isFull
      ? parseText(value, pathOf(place, root) || 'body', fields)
      : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const members: (readonly [string, ParsedJson])[] = [];
  const look = (member: number | string, child: Json) => {
    // Most leaves are not texts, and most texts contain no expression.
    const isPlain = typeof child === 'string' ? !hasExpression(child) : typeof child !== 'object';
    const parsed = isPlain ? undefined : parseTexts(child, root, fields, { parent: place, member });
    if (parsed !== undefined) members.push([String(member), parsed]);
  };
  if (Array.isArray(value))
    (value as readonly Json[]).forEach((element, index) => {
      look(index, element);
    });
  else if (isJsonObject(value)) for (const name of Object.keys(value)) look(name, value[name] ?? null);
  return members.length === 0 ? undefined : { source: value, members };
}

export function templatesIn(parsed: ParsedJson | undefined): readonly TokenTemplate[] {
  if (parsed === undefined) return [];
  return 'template' in parsed
    ? [parsed.template]
    : parsed.members.flatMap(([, member]) => templatesIn(member));
}

/** Fills in every template of a value. Reports a failing filter with its path. */
function fillTexts(parsed: ParsedJson, filling: Filling, fields: TemplateFields): Json {
  if ('source' in parsed) {
    const { source } = parsed;
    const filled = parsed.members.map(
      ([name, member]) => [name, fillTexts(member, filling, fields)] as const,
    );
    return Array.isArray(source)
      ? Object.assign((source as readonly Json[]).slice(), Object.fromEntries(filled))
      : jsonObject([...Object.entries(source), ...filled]);
  }
  try {
    return fillTokenTemplate(parsed.template, filling);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    fields.report(parsed.path, error.message);
    return null;
  }
}

/**
 * Fills in every detokenization expression of a JSON value. Throws `validation_failed` with the
 * paths of bad expressions, and everything that {@link resolveTokens} throws.
 */
export const detokenizeJson = (
  deps: ResolveTokensDeps,
  caller: Caller,
  what: Detokenization,
  value: Json,
  path = '',
): Promise<DetokenizedJson> =>
  fillJson(value, path, new TemplateFields(deps.random.integer), createTokenResolver(deps, caller, what));

/** As {@link detokenizeJson}, for one of several values that share a budget and their tokens. */
export async function fillJson(
  value: Json,
  path: string,
  fields: TemplateFields,
  resolve: ResolveReferences,
): Promise<DetokenizedJson> {
  const parsed = parseTexts(value, path, fields);
  fields.throwIfFailed();
  const references = templatesIn(parsed).flatMap(referencesOf);
  const { budget } = fields;
  const { valueOf, tokens, keepUntil } = await resolve(references);
  const filling = { valueOf, budget };
  const filled = parsed === undefined ? value : fillTexts(parsed, filling, fields);
  fields.throwIfFailed();
  return defined({ value: new Secret(filled), tokens, keepUntil });
}

/**
 * Fills in the body of a detokenize request. It needs `token:read`, and each token is shown as its
 * rule allows.
 */
export async function detokenize(
  deps: ResolveTokensDeps,
  caller: Caller,
  value: Json,
): Promise<Secret<Json>> {
  requirePermission(caller, 'token:read');
  const what = { right: 'token:read', maxBytes: DETOKENIZED_MAX_BYTES } as const;
  return (await detokenizeJson(deps, caller, what, value)).value;
}
