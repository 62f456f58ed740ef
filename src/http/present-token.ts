import { jsonObject, type Json, type JsonObject } from '../core/shared/json.ts';
import type { ReplayedTokens } from '../core/tokens/token-replay.ts';
import { clearMembers, tokenObject } from '../core/tokens/token-object.ts';
import type { TokenResult } from '../core/tokens/token-result.ts';
import type { Shape } from '../core/shared/shape.ts';

/** The members of a result, without those about the response itself. */
function membersOf(result: TokenResult): JsonObject {
  if (result.shows === 'view') return tokenObject(result.view);
  if (result.shows === 'clear') return clearMembers(result.token);
  const { id, tenantId, type, fingerprint, containers } = result.token;
  const identity = { id, tenant_id: tenantId, type, containers };
  return result.shows === 'identity' ? { ...identity, fingerprint } : identity;
}

/** The Token object, reduced to what the caller may see. */
export function presentResult(result: TokenResult): JsonObject {
  const { deduplicated, notStored } = result;
  const extras = { deduplicated: true, ...(notStored && { not_stored: notStored }) };
  return { ...membersOf(result), ...(deduplicated && { _extras: extras }) };
}

/** The request's own shape with its tokens in place; a deleted token leaves its id. */
export function presentTokenized(node: ReplayedTokens): Json {
  return fill(node, (leaf) => {
    const id = 'gone' in leaf ? leaf.gone : leaf.result.token.id;
    if (leaf.shows === 'id') return id;
    return 'gone' in leaf ? { id } : presentResult(leaf.result);
  });
}

/** The JSON value of a shape. */
function fill<Leaf>(node: Shape<Leaf>, valueOf: (leaf: Leaf) => Json): Json {
  if ('array' in node) return node.array.map((element) => fill(element, valueOf));
  if ('object' in node)
    return jsonObject(node.object.map(([name, member]) => [name, fill(member, valueOf)] as const));
  return 'nothing' in node ? null : valueOf(node.leaf);
}
