import { Parser, type Options } from 'acorn';
import type { Image } from './layer.ts';

/** The edition of ECMAScript that the Node.js of each image runs. */
const EDITIONS: Readonly<Record<Image, 2022 | 2026>> = { node16: 2022, node24: 2026 };

/** Code is the body of a CommonJS module. */
const syntaxOf = (image: Image): Options => ({
  ecmaVersion: EDITIONS[image],
  sourceType: 'commonjs',
  allowHashBang: true,
});

/** The parameters of a CommonJS module: `let`, `const` and `class` cannot declare them again. */
const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];

/**
 * The parser visits every scope around a `var`, and all names around a `let`. These limits bound
 * the time for 50,000 characters. The slowest code that was found takes 274 ms: a regex of 9,000
 * `\p{L}` with flag u.
 */
const SCOPES_MAX = 200;
const NAMES_MAX = 5_000;
const TOO_MANY = 'the code declares too many names in one place';
const TOO_DEEP = 'the code is nested too deeply';

/** Maximum length of a name in a message, in characters. */
const NAME_MAX = 40;

/** Internals of acorn for plugins, which its types leave out. */
interface PluginInterface {
  readonly start: number;
  readonly scopeStack: readonly { readonly var: string[]; readonly lexical: string[] }[];
  declareName(name: string, binding: number, at: number): void;
  enterScope(flags: number): void;
  raise(at: number, message: string): never;
  parse(): unknown;
}

const AcornParser = Parser as unknown as new (options: Options, source: string) => PluginInterface;

class CodeParser extends AcornParser {
  override enterScope(flags: number): void {
    super.enterScope(flags);
    if (this.scopeStack.length === 1) this.scopeStack[0]?.var.push(...PARAMETERS);
    if (this.scopeStack.length > SCOPES_MAX) this.raise(this.start, TOO_DEEP);
  }

  override declareName(name: string, binding: number, at: number): void {
    super.declareName(name, binding, at);
    if ((this.scopeStack.at(-1)?.lexical.length ?? 0) > NAMES_MAX) this.raise(at, TOO_MANY);
  }
}

interface SyntaxProblem {
  readonly message: string;
  /** The line starts at 1, the column at 0. It is absent if the parser does not know it. */
  readonly loc?: { readonly line: number; readonly column: number };
}

function syntaxProblem(code: string, image: Image): SyntaxProblem | undefined {
  try {
    new CodeParser(syntaxOf(image), code).parse();
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError && 'loc' in error) return error as SyntaxProblem;
    // The parser does not limit its own recursion: the stack overflows.
    if (error instanceof RangeError) return { message: TOO_DEEP };
    throw error;
  }
}

/** Messages of the parser that do not help an author, and what replaces them. */
const REWORDED: readonly (readonly [said: RegExp, shown: string])[] = [
  [
    /^'import' and 'export' may appear only/,
    'the code must be CommonJS: use require and module.exports instead of import and export',
  ],
  [/^Not enough stack space/, TOO_DEEP],
];

/**
 * The parser's message without its position and without source text. The parser quotes regular
 * expressions whole, and names of any length.
 */
function shownMessage(message: string): string {
  const [, shown] = REWORDED.find(([said]) => said.test(message)) ?? [];
  if (shown !== undefined) return shown;
  return message
    .replace(/ \(\d+:\d+\)$/, '')
    .replace(/^(Invalid regular expression): .*\/: /s, '$1: ')
    .replace(/'([^']*)'/g, (quoted, name: string) =>
      name.length > NAME_MAX ? `'${name.slice(0, NAME_MAX)}...'` : quoted,
    );
}

/**
 * Parses the code of a reactor for an image without running it. Returns the message about its first
 * syntax error, with line and column from 1.
 */
export function codeProblem(code: string, image: Image): string | undefined {
  const problem = syntaxProblem(code, image);
  if (problem === undefined) return undefined;
  const { message, loc } = problem;
  const at = loc === undefined ? '' : ` at line ${String(loc.line)}, column ${String(loc.column + 1)}`;
  return `has a syntax error${at}: ${shownMessage(message)}`;
}
