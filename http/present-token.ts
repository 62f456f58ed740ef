import { isJsonObject, jsonObject, type Json, type JsonObject } from '../core/shared/json.ts';
import { tokenObject } from '../core/tokens/token-object.ts';
import type { TokenResult } from '../core/tokens/token-result.ts';
import type { Tokenized } from '../core/tokens/tokenize.ts';

const DEDUPLICATED = { _extras: { deduplicated: true } };

/** The Token object, or what a caller may know of a duplicate. */
export function presentResult(result: TokenResult): JsonObject {
  if (result.kind === 'token')
    return { ...tokenObject(result.view), ...(result.deduplicated && DEDUPLICATED) };
  const { id, tenantId, type, fingerprint, containers } = result.token;
  return { id, tenant_id: tenantId, type, fingerprint, containers, ...DEDUPLICATED };
}

/** The request's own shape with its tokens in place. */
export function presentTokenized(node: Tokenized): Json {
  if ('array' in node) return node.array.map(presentTokenized);
  if ('object' in node)
    return jsonObject(node.object.map(([name, member]) => [name, presentTokenized(member)] as const));
  if ('nothing' in node) return null;
  const token = presentResult(node.leaf.result);
  return node.leaf.shows === 'token' ? token : (token['id'] ?? null);
}

function withoutCardCvc(data: Json): Json {
  if (!isJsonObject(data)) return data;
  return jsonObject(Object.entries(data).filter(([name]) => name !== 'cvc'));
}

/** An answer of somebody's code without anything that it calls a cvc, wherever it stands. */
export function withoutAnyCvc(body: Json): Json {
  if (Array.isArray(body)) return (body as readonly Json[]).map(withoutAnyCvc);
  if (!isJsonObject(body)) return body;
  const entries = Object.entries(body).filter(([name]) => name !== 'cvc');
  return jsonObject(entries.map(([name, value]) => [name, withoutAnyCvc(value)] as const));
}

/** An answer without any cvc, which must not outlive its hour in a kept answer (decisions.md, section 1). */
export function withoutCvc(body: Json): Json {
  if (Array.isArray(body)) return (body as readonly Json[]).map(withoutCvc);
  if (!isJsonObject(body)) return body;
  const isCard = body['type'] === 'card' && Object.hasOwn(body, 'data');
  const entries = Object.entries(body).map(([name, value]) => {
    const kept = isCard && name === 'data' ? withoutCardCvc(value) : withoutCvc(value);
    return [name, kept] as const;
  });
  return jsonObject(entries);
}
