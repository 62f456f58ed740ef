import type { core } from 'zod/mini';

/** Kinds of schemas without members. What a `custom` schema contains is free. */
const LEAVES: ReadonlySet<string> = new Set([
  ...['string', 'number', 'boolean', 'enum', 'unknown', 'custom', 'transform'],
]);

function isLeaf(schema: core.$ZodType): boolean {
  const { def } = (schema as core.$ZodTypes)._zod;
  return LEAVES.has(def.type) || (def.type === 'union' && def.options.every(isLeaf));
}

/** The most elements that an array schema accepts. */
function mostOf(checks: readonly core.$ZodCheck[] = []): number {
  const limits = checks.map(({ _zod: { def } }) => def as core.$ZodChecks['_zod']['def']);
  return Math.min(...limits.map((def) => (def.check === 'max_length' ? def.maximum : Infinity)));
}

/** The schemas inside a schema. Those in `same` apply to the same value, one after another. */
export type InnerSchemas =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'same'; readonly schemas: readonly core.$ZodType[] }
  | { readonly kind: 'array'; readonly element: core.$ZodType; readonly most: number }
  | { readonly kind: 'object'; readonly shape: Readonly<Record<string, core.$ZodType>> };

/** Throws for an unknown kind of schema, because its members could be dropped silently. */
export function innerSchemas(schema: core.$ZodType): InnerSchemas {
  const { def } = (schema as core.$ZodTypes)._zod;
  if (def.type === 'pipe') return { kind: 'same', schemas: [def.in, def.out] };
  if (def.type === 'lazy') return { kind: 'same', schemas: [(schema as core.$ZodLazy)._zod.innerType] };
  if (def.type === 'optional' || def.type === 'nullable') return { kind: 'same', schemas: [def.innerType] };
  if (def.type === 'array') return { kind: 'array', element: def.element, most: mostOf(def.checks) };
  if (def.type === 'object') return { kind: 'object', shape: def.shape };
  if (isLeaf(schema)) return { kind: 'leaf' };
  throw new Error(`members of a body: nothing is known of a schema of the kind ${def.type}`);
}
