// `npm run build -- props`: packages/cdk/src/props.ts, the settings as props of a construct.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { z } from 'zod';
import { settingsSchema } from '../lib/settings.ts';
import { formatted } from './formatted.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = 'lib/settings.ts';
const PROPS_FILE = 'packages/cdk/src/props.ts';

const jsonSchema = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  get anyOf() {
    return z.array(jsonSchema).optional();
  },
});

type JsonSchema = z.infer<typeof jsonSchema>;

/** Lists of texts may be one text on a command line; a prop is an array. */
function typeOf({ type, enum: names, anyOf }: JsonSchema): string {
  const [first] = anyOf ?? [];
  if (names !== undefined) return names.map((name) => `'${name}'`).join(' | ');
  if (first !== undefined) return typeOf(first);
  if (type === 'array') return 'readonly string[]';
  return type === 'integer' ? 'number' : (type ?? 'unknown');
}

/** Breaks a text into lines as long as a comment may have. */
const wrapped = (text: string): readonly string[] => text.match(/\S.{0,88}(?=\s|$)/g) ?? [];

/** The comments of the settings, by their names. */
function commentsOf(text: string): ReadonlyMap<string, string> {
  const file = ts.createSourceFile(SOURCE, text, ts.ScriptTarget.Latest, true);
  const comments = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) {
      const [comment] = ts.getJSDocCommentsAndTags(node).filter((each) => ts.isJSDoc(each));
      const words = ts.getTextOfJSDocComment(comment?.comment)?.replaceAll(/\s+/g, ' ');
      if (words !== undefined) comments.set(node.name.text, words);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return comments;
}

function propsOfSettings(): string {
  const { properties } = z
    .object({ properties: z.record(z.string(), jsonSchema) })
    .parse(z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' }));
  const defaults = new Map(Object.entries(settingsSchema.parse({})));
  const comments = commentsOf(readFileSync(join(ROOT, SOURCE), 'utf8'));
  const members = Object.entries(properties).map(([name, schema]) => {
    const value = defaults.get(name);
    const isNone = value === '' || (Array.isArray(value) && value.length === 0);
    const byDefault = `@default ${isNone ? 'none' : JSON.stringify(value).replaceAll('"', "'")}`;
    const lines = [...wrapped(comments.get(name) ?? ''), byDefault];
    return `/**\n * ${lines.join('\n * ')}\n */\nreadonly ${name}?: ${typeOf(schema)} | undefined;`;
  });
  return `// Written by \`npm run build -- props\` of ${SOURCE}.

/** The settings of a deployment (docs/deploy.md#settings). Each has a default. */
export interface CloakroomProps {
${members.join('\n')}
}
`;
}

const file = join(ROOT, PROPS_FILE);

/** Throws if the props are not those of the settings. */
export async function checkProps(): Promise<void> {
  if (readFileSync(file, 'utf8') !== (await formatted(file, propsOfSettings())))
    throw new Error(`${PROPS_FILE} is not up to date: npm run build -- props writes it`);
}

if (process.argv[1] === import.meta.filename) writeFileSync(file, await formatted(file, propsOfSettings()));
