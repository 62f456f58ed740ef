import ts from 'typescript';
import { hasVerb } from './verbs.ts';

/*
 * The titles of tests: each stands alone, with what happens to whom. A title that continues the one
 * of its `describe` cannot be read in a list of failures.
 */

/** A title that says too little. */
export interface TitleFinding {
  /** From 1. */
  readonly line: number;
  readonly title: string;
  readonly problem: 'starts with a preposition' | 'has no verb';
}

const PREPOSITION =
  /^(?:after|against|as|at|before|between|beyond|by|during|for|from|if|in|into|like|of|on|onto|over|since|than|through|to|under|until|upon|via|when|while|with|within|without)\b/i;

/** A table of cases or a variable fills these in. */
const FILLED_IN = /%[sijdfoOp#]|\$\{[^}]*\}|\$[\w.]+|`[^`]*`/g;

/** The test function that a call such as `it.each(cases)` leads to. */
function calledName(expression: ts.Expression): string {
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression))
    return calledName(expression.expression);
  if (ts.isTaggedTemplateExpression(expression)) return calledName(expression.tag);
  return ts.isIdentifier(expression) ? expression.text : '';
}

function titlesIn(source: ts.SourceFile): readonly (readonly [title: string, position: number])[] {
  const titles: (readonly [string, number])[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && calledName(node.expression) === 'it') {
      const [title] = node.arguments;
      if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
        titles.push([title.getText(source).slice(1, -1), title.getStart(source)]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

function problemOf(title: string): TitleFinding['problem'] | undefined {
  if (PREPOSITION.test(title)) return 'starts with a preposition';
  const words = title.replace(FILLED_IN, 'Name');
  // The cases of a table are titles of their own.
  const isFilledIn = words.replace(/Name|\W/g, '') === '';
  return isFilledIn || hasVerb(words) ? undefined : 'has no verb';
}

/** The titles of a test file that say too little. */
export function titleFindings(file: string, text: string): readonly TitleFinding[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return titlesIn(source).flatMap(([title, position]) => {
    const problem = problemOf(title);
    if (problem === undefined) return [];
    const { line } = source.getLineAndCharacterOfPosition(position);
    return [{ line: line + 1, title, problem }];
  });
}
