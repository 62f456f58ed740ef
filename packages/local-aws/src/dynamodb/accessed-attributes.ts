import type { ValidRequest } from './dynalite-types.ts';

/** A path of an expression begins with the name of an attribute. A literal is an object. */
function pathHeads(part: unknown): readonly string[] {
  if (Array.isArray(part)) return typeof part[0] === 'string' ? [part[0]] : part.flatMap(pathHeads);
  if (typeof part !== 'object' || part === null || !('args' in part)) return [];
  return (part.args as readonly unknown[]).flatMap(pathHeads);
}

/**
 * The top-level attributes that a write names, in its key, its item and its expressions: what IAM
 * compares as `dynamodb:Attributes`.
 */
export function accessedAttributes({ Key, Item, _condition, _updates }: ValidRequest): readonly string[] {
  const sections = _updates?.sections ?? [];
  const names = [
    ...Object.keys(Key ?? {}),
    ...Object.keys(Item ?? {}),
    ...sections.flatMap(({ path, val }) => [...pathHeads(path), ...pathHeads(val)]),
    ...pathHeads(_condition?.expression),
  ];
  return [...new Set(names)];
}
