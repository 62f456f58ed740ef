// Rules of this project that oxlint does not have (oxlint.config.ts).

/** Reports every node that a selector matches. */
const forbid = (selector, message) => ({
  create: ({ report }) => ({
    [selector](node) {
      report({ node, message });
    },
  }),
});

/** Functions and methods whose result is a text or a number. */
const PLAIN_RESULTS = new Set(
  'Boolean Number String basename dirname fileURLToPath join parseInt relative repeat replace resolve slice toString trim'.split(
    ' ',
  ),
);

/** Whether an expression is, by its form, a number, a text or a flag. */
function isPlain(node) {
  switch (node?.type) {
    case 'Literal':
      return ['string', 'number', 'boolean'].includes(typeof node.value);
    case 'TemplateLiteral':
    case 'BinaryExpression':
    case 'UnaryExpression':
      return true;
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
      return isPlain(node.expression);
    case 'LogicalExpression':
      return isPlain(node.right);
    case 'ConditionalExpression':
      return isPlain(node.consequent) && isPlain(node.alternate);
    case 'CallExpression':
      return PLAIN_RESULTS.has(node.callee.property?.name ?? node.callee.name);
    default:
      return false;
  }
}

/** A number, a text or a flag of a module is a constant: `MAX_BYTES`. */
const namedConstants = {
  create({ report }) {
    function check({ id, init }) {
      if (id.type !== 'Identifier' || /^[A-Z][A-Z0-9_]*$/.test(id.name) || !isPlain(init)) return;
      report({ node: id, message: `\`${id.name}\` is a constant of its module: write it in capitals.` });
    }
    return {
      'Program > VariableDeclaration[kind="const"] > VariableDeclarator': check,
      'Program > ExportNamedDeclaration > VariableDeclaration[kind="const"] > VariableDeclarator': check,
    };
  },
};

const MOST_COLUMNS = 100;

/** The formatter does not wrap comments. Examples of the SDK are code. */
const narrowComments = {
  create: ({ report, sourceCode }) => ({
    Program() {
      for (const { loc } of sourceCode.getAllComments())
        for (let { line } = loc.start; line <= loc.end.line; line += 1) {
          const text = sourceCode.lines[line - 1];
          const isAfterCode = line === loc.start.line && text.slice(0, loc.start.column).trim() !== '';
          if (isAfterCode || text.length <= MOST_COLUMNS || /https?:\/\/|@example/.test(text)) continue;
          const message = `A comment has at most ${MOST_COLUMNS} columns, and this line ${text.length}.`;
          report({ loc: { start: { line, column: 0 }, end: { line, column: text.length } }, message });
        }
    },
  }),
};

export default {
  meta: { name: 'house' },
  rules: {
    'no-spread-of-literal': forbid(
      'ObjectExpression > SpreadElement > ObjectExpression',
      'List the members: TypeScript does not check a spread literal for members too many.',
    ),
    'no-date-of-the-machine': forbid(
      ':matches(NewExpression[arguments.length=0], CallExpression)[callee.name="Date"]',
      'Take it from the `Platform` of the instance: see src/core/shared/platform.ts.',
    ),
    'no-literal-num-runs': forbid('Property[key.name="numRuns"] > Literal', 'Use `cases`.'),
    'named-constants': namedConstants,
    'narrow-comments': narrowComments,
  },
};
