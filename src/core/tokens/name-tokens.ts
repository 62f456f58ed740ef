import type { Sightings } from '../audit/audit-scope.ts';
import { referencesOf, type TokenReference } from '../expressions/token-expression.ts';
import { TemplateFields } from '../expressions/template-fields.ts';
import type { Json } from '../shared/json.ts';
import type { Platform } from '../shared/platform.ts';
import { parseTexts, templatesIn } from './detokenize.ts';
import { DETOKENIZED_MAX } from './resolve-tokens.ts';
import type { TokenStore } from './token-store.ts';

export interface NameTokensDeps extends Pick<Platform, 'random'> {
  readonly tokenStore: Pick<TokenStore, 'findSummaries'>;
  readonly audit: Sightings;
}

/**
 * Names to the record the tokens that a request refers to and that nothing reads, because its
 * caller is refused before. They are looked up, since the record of an id that no token has may be
 * sensitive data. As many are named as a request may refer to.
 */
export async function nameTokens(
  { tokenStore, audit }: Pick<NameTokensDeps, 'tokenStore' | 'audit'>,
  tenantId: string,
  references: readonly Pick<TokenReference, 'id'>[],
): Promise<void> {
  const ids = [...new Set(references.map(({ id }) => id))].slice(0, DETOKENIZED_MAX);
  if (ids.length === 0) return;
  audit.named(ids);
  await tokenStore.findSummaries(tenantId, ids);
}

/** Names the tokens of the expressions in a JSON value. Texts that are no expressions name none. */
export function nameTokensIn(deps: NameTokensDeps, tenantId: string, value: Json): Promise<void> {
  const parsed = parseTexts(value, '', new TemplateFields(deps.random.integer));
  return nameTokens(deps, tenantId, templatesIn(parsed).flatMap(referencesOf));
}
