import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';

/** Declarations of every module, by its name; throws the compiler's messages. */
function declarations(folder: string, entries: readonly string[]): ReadonlyMap<string, string> {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    readonly config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const program = ts.createProgram({
    rootNames: entries.map((name) => join(folder, `src/${name}.ts`)),
    options: { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true },
  });
  const files = new Map<string, string>();
  const isOwn = (file: string) => file.startsWith(join(folder, 'src/'));
  const { diagnostics } = program.emit(undefined, (file, text, _mark, _onError, sources = []) => {
    if (sources.some(({ fileName }) => isOwn(fileName))) files.set(basename(file), text);
  });
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length > 0)
    throw new Error(
      ts.formatDiagnostics(problems, {
        getCanonicalFileName: (file) => file,
        getCurrentDirectory: () => folder,
        getNewLine: () => '\n',
      }),
    );
  return files;
}

/**
 * Declarations of the modules that the entries export, without a program: each exported name states
 * its type. Their own check is that of the repository.
 */
function statedDeclarations(folder: string, entries: readonly string[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const pending = entries.map((name) => `${name}.ts`);
  for (const file of pending) {
    const source = readFileSync(join(folder, 'src', file), 'utf8');
    const compilerOptions: ts.CompilerOptions = {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      strict: true,
      isolatedDeclarations: true,
      declaration: true,
    };
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, {
      fileName: file,
      compilerOptions,
    });
    if (diagnostics.length > 0)
      throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(diagnostics[0]?.messageText, ' ')}`);
    files.set(file.replace(/\.ts$/, '.d.ts'), outputText);
    for (const [, , module = ''] of outputText.matchAll(SPECIFIER))
      if (!pending.includes(`${module}.ts`)) pending.push(`${module}.ts`);
  }
  return files;
}

const SPECIFIER = /((?:from |import\()['"])\.\/([\w.-]+)\.ts(['"])/g;

/** The declarations that the entries export: a package's internals have no public types. */
function reachable(files: ReadonlyMap<string, string>, entries: readonly string[]): ReadonlySet<string> {
  const found = new Set(entries.map((name) => `${name}.d.ts`));
  for (const file of found) {
    const text = files.get(file);
    if (text === undefined) throw new Error(`${file} was not emitted`);
    for (const [, , module = ''] of text.matchAll(SPECIFIER)) found.add(`${module}.d.ts`);
  }
  return found;
}

export interface DeclarationOptions {
  /** The modules that `exports` names. Default: `index` alone. */
  readonly entries?: readonly string[];
  /** Whether every exported name states its type, so that no program is needed. */
  readonly isStated?: boolean;
  /** Changes the text of each declaration. */
  readonly rewrite?: (text: string) => string;
}

/**
 * Each declaration of a package twice, since a `require` must find CommonJS: `.d.ts` whose imports
 * end in `.js`, `.d.cts` whose imports end in `.cjs`.
 */
export function writeDeclarations(
  packageFolder: string,
  to: string,
  { entries = ['index'], isStated = false, rewrite = (text) => text }: DeclarationOptions = {},
): void {
  mkdirSync(to, { recursive: true });
  const files = (isStated ? statedDeclarations : declarations)(packageFolder, entries);
  for (const file of reachable(files, entries)) {
    const text = rewrite(files.get(file) ?? '');
    const ending = (extension: string) => text.replaceAll(SPECIFIER, `$1./$2.${extension}$3`);
    writeFileSync(join(to, file), ending('js'));
    writeFileSync(join(to, file.replace(/\.d\.ts$/, '.d.cts')), ending('cjs'));
  }
}
