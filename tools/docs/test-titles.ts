import ts from 'typescript';
import { beginsWithVerb, hasVerb } from './verbs.ts';

/*
 * A title is in a list of failures, behind the names of its file and of its `describe`. It
 * begins with its subject, or with its verb if one of these names is the subject, and it has an
 * outcome.
 */

/** A title that is not understood in a list of failures. */
export interface TitleFinding {
  /** From 1. */
  readonly line: number;
  readonly title: string;
  readonly problem:
    | 'begins with a preposition'
    | 'begins with its verb, and no `describe` around it names the subject'
    | 'has no verb';
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

interface Title {
  readonly text: string;
  readonly position: number;
  /** The names of each `describe` around the test, the outermost first. */
  readonly around: readonly string[];
}

/** The text that names a test or a `describe`; `undefined` if an expression computes it. */
function nameIn(
  source: ts.SourceFile,
  { arguments: [name] }: ts.CallExpression,
): Pick<Title, 'text' | 'position'> | undefined {
  if (name === undefined || !(ts.isStringLiteralLike(name) || ts.isTemplateExpression(name)))
    return undefined;
  return { text: name.getText(source).slice(1, -1), position: name.getStart(source) };
}

function titlesIn(source: ts.SourceFile): readonly Title[] {
  const titles: Title[] = [];
  const visit = (node: ts.Node, around: readonly string[]): void => {
    let within = around;
    if (ts.isCallExpression(node)) {
      const called = calledName(node.expression);
      const name = nameIn(source, node);
      if (called === 'it' && name !== undefined) titles.push({ ...name, around });
      if (called === 'describe') within = [...around, name?.text ?? ''];
    }
    ts.forEachChild(node, (child) => visit(child, within));
  };
  visit(source, []);
  return titles;
}

function problemOf({ text, around }: Title): TitleFinding['problem'] | undefined {
  if (PREPOSITION.test(text)) return 'begins with a preposition';
  const words = text.replace(FILLED_IN, 'Name');
  // Without a `describe`, the file is named after the subject.
  const isUnnamed = around.length > 0 && around.every((name) => PREPOSITION.test(name));
  if (isUnnamed && beginsWithVerb(words))
    return 'begins with its verb, and no `describe` around it names the subject';
  // The cases of a table are titles of their own.
  const isFilledIn = words.replace(/Name|\W/g, '') === '';
  return isFilledIn || hasVerb(words) ? undefined : 'has no verb';
}

/** Finds the titles of a test file that are not understood in a list of failures. */
export function titleFindings(file: string, text: string): readonly TitleFinding[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return titlesIn(source).flatMap((title) => {
    const problem = problemOf(title);
    if (problem === undefined) return [];
    const { line } = source.getLineAndCharacterOfPosition(title.position);
    return [{ line: line + 1, title: title.text, problem }];
  });
}
