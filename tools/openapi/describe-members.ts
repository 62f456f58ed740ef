import type { AnyRoute } from './all-routes.ts';
import type { Member, Members } from '../../src/wire/words.ts';

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

/** The schema of an operation's body in the document; empty without a body. */
function bodySchema(document: object, { method, path }: AnyRoute): Schema {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const content = paths[path.replace('+}', '}')]?.[method.toLowerCase()]?.requestBody?.content;
  return Object.values(content ?? {})[0]?.schema ?? {};
}

/** Returns what a member's words add to its schema; shared schemas have their own. */
function additionOf(word: Member | undefined, schema: Schema, at: string): Schema {
  if (word !== undefined)
    return typeof word === 'string' ? { description: word } : { ...word.limits, description: word.words };
  if (schema.description === undefined) throw new Error(`openapi: no words describe ${at}`);
  return {};
}

/**
 * Adds descriptions, which would enlarge the functions if the schemas had them (shared ones do).
 * Throws for a member without a description, or a description without a member.
 */
export function describeMembers(
  document: object,
  route: AnyRoute,
  words: Members,
  required: readonly string[],
): void {
  const schema = bodySchema(document, route);
  const members = membersOf(schema);
  for (const [at, member] of members)
    Object.assign(member, additionOf(words[at], member, `${at} of ${route.operation}`));
  const unknown = Object.keys(words).filter((at) => !members.some(([known]) => known === at));
  if (unknown.length > 0) throw new Error(`openapi: ${route.operation} has no ${unknown.join(', ')}`);
  if (required.length > 0) schema.required = [...(schema.required ?? []), ...required];
}
