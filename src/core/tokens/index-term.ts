import { createHmac, type KeyObject } from 'node:crypto';
import type { Container } from '../shared/container.ts';

/**
 * A property by which a search finds tokens. The index stores only its keyed hash, which does not
 * reveal it. Metadata matches case-insensitively, data exactly; containers are in lower case.
 */
export type IndexTerm =
  | { readonly kind: 'metadata'; readonly key: string; readonly value: string }
  | { readonly kind: 'data'; readonly value: string }
  | { readonly kind: 'container'; readonly container: Container };

const HASH_BYTES = 24;

function spelled(term: IndexTerm): readonly string[] {
  if (term.kind === 'metadata') return ['metadata', term.key.toLowerCase(), term.value.toLowerCase()];
  return term.kind === 'data' ? ['data', term.value] : ['container', term.container];
}

/**
 * The name of a term in the index, which is 192 bits of HMAC-SHA-256 under the tenant's search key,
 * in base64url.
 */
export function hashTerm(searchKey: KeyObject, term: IndexTerm): string {
  const digest = createHmac('sha256', searchKey)
    .update(JSON.stringify(spelled(term)))
    .digest();
  return digest.subarray(0, HASH_BYTES).toString('base64url');
}

/**
 * A container and its ancestors, by which a search for a subtree finds a token. `/` is left out,
 * since it matches every token.
 */
export function containerTerms(containers: readonly Container[]): readonly IndexTerm[] {
  const paths = containers.flatMap((container) => {
    const segments = container.split('/').slice(1, -1);
    return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}/`);
  });
  return [...new Set(paths)].map((container) => ({ kind: 'container', container }));
}
