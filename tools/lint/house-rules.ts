// Rules of this project that oxlint does not have (oxlint.config.ts).
import type { RuleTester } from 'oxlint/plugins-dev';

type Rule = Extract<Parameters<RuleTester['run']>[1], { readonly create: unknown }>;
type Visitor = ReturnType<Rule['create']>;
type Declarator = Parameters<NonNullable<Visitor['VariableDeclarator']>>[0];
type Expression = NonNullable<Declarator['init']>;

/** Reports every node that a selector matches. */
const forbid = (selector: string, message: string): Rule => ({
  create: ({ report }) => ({
    [selector]: (node: Expression) => {
      report({ node, message });
    },
  }),
});

/** Functions and methods whose result is a text or a number, whatever they are called on. */
const PLAIN_RESULTS = new Set(
  'Boolean Number String basename dirname fileURLToPath join parseInt relative repeat toString trim'.split(
    ' ',
  ),
);

/** Expressions whose value is a number, a text or a flag, whatever they consist of. */
const PLAIN_FORMS = new Set(['BinaryExpression', 'TemplateLiteral', 'UnaryExpression']);

function isPlainCall({ callee }: Extract<Expression, { readonly type: 'CallExpression' }>): boolean {
  const called = callee.type === 'MemberExpression' ? callee.property : callee;
  return called.type === 'Identifier' && PLAIN_RESULTS.has(called.name);
}

/** Whether an expression is, by its form, a number, a text or a flag. */
function isPlain(node: Expression): boolean {
  if (node.type === 'Literal') return ['string', 'number', 'boolean'].includes(typeof node.value);
  if (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression')
    return isPlain(node.expression);
  if (node.type === 'LogicalExpression') return isPlain(node.right);
  if (node.type === 'ConditionalExpression') return isPlain(node.consequent) && isPlain(node.alternate);
  if (node.type === 'CallExpression') return isPlainCall(node);
  return PLAIN_FORMS.has(node.type);
}

const DECLARED = 'VariableDeclaration[kind="const"] > VariableDeclarator';

/** A number, a text or a flag of a module is a constant: `MAX_BYTES`. */
const namedConstants: Rule = {
  create({ report }) {
    function check({ id, init }: Declarator): void {
      if (id.type !== 'Identifier' || /^[A-Z][A-Z0-9_]*$/.test(id.name)) return;
      if (init === null || !isPlain(init)) return;
      report({ node: id, message: `\`${id.name}\` is a constant of its module: write it in capitals.` });
    }
    return {
      [`Program > ${DECLARED}`]: check,
      [`Program > ExportNamedDeclaration > ${DECLARED}`]: check,
    };
  },
};

const MOST_COLUMNS = 100;

/** The formatter does not wrap comments. Examples of the SDK are code. */
const narrowComments: Rule = {
  create: ({ report, sourceCode }) => ({
    Program() {
      for (const { loc } of sourceCode.getAllComments())
        for (let { line } = loc.start; line <= loc.end.line; line += 1) {
          const text = sourceCode.lines[line - 1] ?? '';
          const isAfterCode = line === loc.start.line && text.slice(0, loc.start.column).trim() !== '';
          if (isAfterCode || text.length <= MOST_COLUMNS || /https?:\/\/|@example/.test(text)) continue;
          const message = `A comment has at most ${String(MOST_COLUMNS)} columns, and this line ${String(text.length)}.`;
          report({ loc: { start: { line, column: 0 }, end: { line, column: text.length } }, message });
        }
    },
  }),
};

/** The calls of jest that take a limit after what they run. */
const OWN_LIMIT = [
  'CallExpression[callee.name=/^(it|test)$/][arguments.length>2]',
  'CallExpression[callee.object.name=/^(it|test)$/][callee.property.name=/^(only|skip|failing)$/][arguments.length>2]',
  'CallExpression[callee.callee.property.name="each"][arguments.length>2]',
  'CallExpression[callee.name=/^(before|after)(All|Each)$/][arguments.length>1]',
  'CallExpression[callee.object.name="jest"][callee.property.name="setTimeout"]',
].join(', ');

/** The path of a module's address, and an address that is put together from a path or cut. */
const PATH_BY_HAND = [
  'MemberExpression[property.name="pathname"] > NewExpression.object:has(MetaProperty)',
  'Literal[value=/^file:[/]{2,3}$/]',
  'TemplateElement[value.raw=/^file:[/]{2,3}$/]',
].join(', ');

/** Lists with a spread are taken apart, so they may stay. */
const LIST = 'ArrayExpression:not(:has(> SpreadElement))';
const INTO_A_LIST = 'VariableDeclarator[id.type="ArrayPattern"]';
const TUPLE_DECLARATION = [
  `${INTO_A_LIST} > ${LIST}.init`,
  `${INTO_A_LIST} > TSAsExpression.init > ${LIST}`,
  `${INTO_A_LIST} > TSSatisfiesExpression.init > ${LIST}`,
].join(', ');

export const RULES: Readonly<Record<string, Rule>> = {
  'no-spread-of-literal': forbid(
    'ObjectExpression > SpreadElement > ObjectExpression',
    'List the members: TypeScript does not check a spread literal for members too many.',
  ),
  'no-date-of-the-machine': forbid(
    ':matches(NewExpression[arguments.length=0], CallExpression)[callee.name="Date"]',
    'Take it from the `Platform` of the instance: see src/core/shared/platform.ts.',
  ),
  'no-literal-num-runs': forbid('Property[key.name="numRuns"] > Literal', 'Use `cases`.'),
  'no-limit-of-a-test': forbid(
    OWN_LIMIT,
    'A slow machine would fail it: the only limit of a test is that of jest.config.js, for one that hangs.',
  ),
  'no-path-by-hand': forbid(
    PATH_BY_HAND,
    'Use fileURLToPath or pathToFileURL: a path may have any character.',
  ),
  'no-tuple-declaration': forbid(
    TUPLE_DECLARATION,
    'Declare each variable in a line of its own: only the results of one call are taken apart.',
  ),
  'named-constants': namedConstants,
  'narrow-comments': narrowComments,
};

export default { meta: { name: 'house' }, rules: RULES };
