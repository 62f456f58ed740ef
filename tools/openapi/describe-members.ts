import type { AnyRoute } from './all-routes.ts';
import type { Members } from '../../src/wire/words.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  required?: readonly string[];
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** The members of a schema by their paths: `rules`, `rules[].priority`. */
function membersOf(schema: Schema, path = ''): readonly (readonly [string, Schema])[] {
  const inner = (schema.anyOf ?? []).flatMap((one) => membersOf(one, path));
  const items = schema.items === undefined ? [] : membersOf(schema.items, `${path}[]`);
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [[at, member] as const, ...membersOf(member, at)];
  });
  return [...inner, ...items, ...members];
}

/**
 * Adds descriptions, which would enlarge the functions if the schemas had them (shared ones do).
 * Throws for a member without a description, or a description without a member.
 */
export function describeMembers(
  document: object,
  { operation, method, path }: AnyRoute,
  words: Members,
  required: readonly string[],
): void {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const content = paths[path.replace('+}', '}')]?.[method.toLowerCase()]?.requestBody?.content;
  const schema = Object.values(content ?? {})[0]?.schema ?? {};
  const members = membersOf(schema);
  for (const [at, member] of members) {
    const word = words[at];
    if (word === undefined && member.description !== undefined) continue;
    if (word === undefined) throw new Error(`openapi: ${operation} does not say what ${at} is`);
    Object.assign(
      member,
      typeof word === 'string' ? { description: word } : { ...word.limits, description: word.words },
    );
  }
  const unknown = Object.keys(words).filter((at) => !members.some(([known]) => known === at));
  if (unknown.length > 0) throw new Error(`openapi: ${operation} has no ${unknown.join(', ')}`);
  if (required.length > 0) schema.required = [...(schema.required ?? []), ...required];
}
