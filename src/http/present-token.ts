import { jsonObject, type Json, type JsonObject } from '../core/shared/json.ts';
import type { ReplayedTokens } from '../core/tokens/kept-token.ts';
import { clearMembers, tokenObject } from '../core/tokens/token-object.ts';
import type { TokenResult } from '../core/tokens/token-result.ts';
import type { Shape } from '../core/shared/shape.ts';

/** The members that a result shows, before what is said about the answer itself. */
function membersOf(result: TokenResult): JsonObject {
  if (result.shows === 'view') return tokenObject(result.view);
  if (result.shows === 'clear') return clearMembers(result.token);
  const { id, tenantId, type, fingerprint, containers } = result.token;
  const identity = { id, tenant_id: tenantId, type, containers };
  return result.shows === 'identity' ? { ...identity, fingerprint } : identity;
}

/** The Token object, or what a caller may know of it. */
export function presentResult(result: TokenResult): JsonObject {
  return { ...membersOf(result), ...(result.deduplicated && { _extras: { deduplicated: true } }) };
}

/** The request's own shape with its tokens in place, or what is left of one that is gone. */
export function presentTokenized(node: ReplayedTokens): Json {
  return fill(node, (leaf) => {
    const id = 'gone' in leaf ? leaf.gone : leaf.result.token.id;
    if (leaf.shows === 'id') return id;
    return 'gone' in leaf ? { id } : presentResult(leaf.result);
  });
}

/** A JSON value again, from its shape. */
function fill<Leaf>(node: Shape<Leaf>, valueOf: (leaf: Leaf) => Json): Json {
  if ('array' in node) return node.array.map((element) => fill(element, valueOf));
  if ('object' in node)
    return jsonObject(node.object.map(([name, member]) => [name, fill(member, valueOf)] as const));
  return 'nothing' in node ? null : valueOf(node.leaf);
}
