import { noteUse } from '../budgets.ts';
import { join } from 'node:path';
import ts from 'typescript';

const root = process.cwd();

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  exactOptionalPropertyTypes: true,
};

export interface CompileOptions {
  /** The folder that the texts are compiled in, as files that do not exist. */
  readonly folder: string;
  /** The file behind each specifier that the texts import, such as `@cloakroom/sdk`. */
  readonly modules: Readonly<Record<string, string>>;
  /** A module that declares what the texts assume. */
  readonly globals: string;
  readonly options: ts.CompilerOptions;
}

/** Finds the code blocks of a Markdown text in these languages. */
export function codeBlocks(markdown: string, languages: string): readonly string[] {
  const blocks = markdown.matchAll(new RegExp(`^\`\`\`(?:${languages})\n(.*?)^\`\`\`$`, 'gms'));
  return [...blocks].map(([, code = '']) => code);
}

/** Makes a module of an example: imports stay at the top, and the rest may await. */
export function exampleModule(text: string): string {
  const imports = text.match(/^import .*$/gm) ?? [];
  const rest = text.replaceAll(/^import .*$/gm, '');
  return `${imports.join('\n')}\nexport async function example() {\n${rest}\n}`;
}

/** Compiles texts, and returns what the compiler prints, by their positions. */
export function compileTexts(
  texts: ReadonlyMap<string, string>,
  { folder, modules, globals, options }: CompileOptions,
): readonly string[] {
  const extension = options.jsx === undefined ? 'ts' : 'tsx';
  const virtual = new Map([[join(root, folder, 'virtual-globals.ts'), globals]]);
  for (const [place, text] of texts)
    virtual.set(join(root, folder, `virtual-${place.replaceAll(/\W+/g, '-')}.${extension}`), text);
  const paths = Object.fromEntries(Object.entries(modules).map(([name, file]) => [name, [join(root, file)]]));
  const all: ts.CompilerOptions = { ...OPTIONS, ...options, paths };
  const host = ts.createCompilerHost(all);
  host.fileExists = (file) => virtual.has(file) || ts.sys.fileExists(file);
  host.readFile = (file) => virtual.get(file) ?? ts.sys.readFile(file);
  noteUse('runs of the TypeScript compiler');
  const program = ts.createProgram({ rootNames: [...virtual.keys()], options: all, host });
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
}
