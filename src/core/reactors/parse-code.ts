import { Parser, type Options } from 'acorn';
import { invalid } from '../shared/service-error.ts';

/** What Node.js 16 reads: ES2022, as the body of a CommonJS module. */
const SYNTAX: Options = { ecmaVersion: 2022, sourceType: 'commonjs', allowHashBang: true };

/** The parameters of a CommonJS module: `let`, `const` and `class` cannot declare them again. */
const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];

/**
 * The parser looks at every scope around a `var`, and for a `let` at all names beside it: these
 * bound the time of 50,000 characters to a fraction of a second. The slowest source found is a
 * regular expression with `\p{L}` 9,000 times and the flag u: 274 ms.
 */
const [SCOPES_MAX, NAMES_MAX] = [200, 5_000] as const;
const TOO_MANY = 'the code declares too many names in one place';
const TOO_DEEP = 'the code is nested too deeply';

/** A name in a message is shown up to this length, in characters. */
const NAME_MAX = 40;

/** What acorn's plugins build on, and its types leave out. */
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
  /** Line from 1, column from 0; absent where the parser cannot tell. */
  readonly loc?: { readonly line: number; readonly column: number };
}

/** What is wrong with the code; the parser gives up at the first error. */
function syntaxProblem(code: string): SyntaxProblem | undefined {
  try {
    new CodeParser(SYNTAX, code).parse();
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError && 'loc' in error) return error as SyntaxProblem;
    // The stack is at its end, where the parser does not look after that itself.
    if (error instanceof RangeError) return { message: TOO_DEEP };
    throw error;
  }
}

/** Where the parser's own words do not tell an author what to do. */
const REWORDED: readonly (readonly [said: RegExp, shown: string])[] = [
  [
    /^'import' and 'export' may appear only/,
    'the code must be CommonJS: use require and module.exports instead of import and export',
  ],
  [/^Not enough stack space/, TOO_DEEP],
];

/**
 * The parser's message without its position and without the source: it quotes regular expressions
 * whole, and names of any length.
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
 * Parses the code of a reactor and runs nothing. Throws `validation_failed` on the path `code` for
 * a syntax error, with its line and column from 1.
 */
export function parseCode(code: string): void {
  const problem = syntaxProblem(code);
  if (problem === undefined) return;
  const { message, loc } = problem;
  const at = loc === undefined ? '' : ` at line ${String(loc.line)}, column ${String(loc.column + 1)}`;
  throw invalid('code', `has a syntax error${at}: ${shownMessage(message)}`);
}
