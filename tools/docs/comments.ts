import ts from 'typescript';
import { hasVerb } from './verbs.ts';

/*
 * A comment is a sentence with a verb. Units and formats may stay short, because a type cannot
 * express them. This finds fragments, not bad sentences: whether a sentence says why is for people.
 */

/** A comment that is no sentence. */
export interface CommentFinding {
  /** From 1. */
  readonly line: number;
  readonly comment: string;
  readonly problem: 'begins as a fragment' | 'begins with "What"' | 'has no verb';
}

interface Comment {
  readonly line: number;
  readonly endLine: number;
  readonly text: string;
  readonly isLineComment: boolean;
}

/** A slash divides these; after any other token, it begins a regular expression. */
const ENDS_EXPRESSION: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.Identifier,
  ts.SyntaxKind.NumericLiteral,
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.TemplateTail,
  ts.SyntaxKind.CloseParenToken,
  ts.SyntaxKind.CloseBracketToken,
  ts.SyntaxKind.ThisKeyword,
]);

/** Finds all comments. The scanner alone does not know where a template or a pattern continues. */
function commentRanges(text: string): readonly (readonly [start: number, end: number])[] {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
  const ranges: (readonly [number, number])[] = [];
  /** Whether each open brace belongs to a template. */
  const braces: boolean[] = [];
  let previous = ts.SyntaxKind.Unknown;
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token === ts.SyntaxKind.SingleLineCommentTrivia || token === ts.SyntaxKind.MultiLineCommentTrivia)
      ranges.push([scanner.getTokenStart(), scanner.getTokenEnd()]);
    if (token <= ts.SyntaxKind.LastTriviaToken) continue;
    if (token === ts.SyntaxKind.SlashToken && !ENDS_EXPRESSION.has(previous))
      token = scanner.reScanSlashToken();
    if (token === ts.SyntaxKind.TemplateHead) braces.push(true);
    if (token === ts.SyntaxKind.OpenBraceToken) braces.push(false);
    if (token === ts.SyntaxKind.CloseBraceToken && braces.pop() === true) {
      token = scanner.reScanTemplateToken(false);
      if (token === ts.SyntaxKind.TemplateMiddle) braces.push(true);
    }
    previous = token;
  }
  return ranges;
}

/** Removes the marks of a comment and its tags, such as `@example`. */
const wordsOf = (comment: string): string =>
  comment
    .replace(/^\/\*+|\*\/$|^\/\/+/g, '')
    .replace(/^\s*\*/gm, '')
    .replace(/(?:^|\s)@[a-z][\s\S]*$/, '')
    .replace(/\s+/g, ' ')
    .trim();

/** Programs read these, not people. */
const DIRECTIVE = /^(?:oxlint|plain-words:|oxfmt-|@__PURE__|@ts-|ts-expect-error|v8 ignore|[/#!])/;

/** Line comments one below the other are one comment. */
function commentsIn(text: string): readonly Comment[] {
  const comments: Comment[] = [];
  let line = 1;
  let position = 0;
  const lineAt = (target: number): number => {
    for (; position < target; position += 1) if (text[position] === '\n') line += 1;
    return line;
  };
  for (const [start, end] of commentRanges(text)) {
    const first = lineAt(start);
    const comment = { line: first, endLine: lineAt(end), text: wordsOf(text.slice(start, end)) };
    const isLineComment =
      text.startsWith('//', start) &&
      text.slice(text.lastIndexOf('\n', start) + 1, start).trim() === '' &&
      !DIRECTIVE.test(comment.text);
    const previous = comments.at(-1);
    if (isLineComment && previous?.isLineComment === true && previous.endLine === first - 1)
      comments[comments.length - 1] = {
        ...previous,
        endLine: first,
        text: `${previous.text} ${comment.text}`,
      };
    else comments.push({ ...comment, isLineComment });
  }
  return comments;
}

/** The comments come from the files that the generator reads. */
const GENERATED = /^\/\/ .*Do not edit\./;

/** Units, formats and examples may stay short. */
const FORMAT =
  /^(?:(?:In|From|At) )?(?:the )?(?:ms|milliseconds|seconds|minutes|hours|days|bytes|KB|MB|GB|microseconds|dollars|US dollars|characters|percent|PEM|JSON|lower case|ISO 8601|base64(?:url)?|hex|UTC|UUID|Such as|Up to \d+|Number of|Any JSON|\d[\d.]*|e\.g\.)(?:\b|$)/i;

/** A comment may consist of references only: code, a path, a heading or a standard. */
const REFERENCE =
  /^(?:(?:See |and |RFC \d+|§|section|clause|NIST SP|FIPS|ISO\/IEC|PCI DSS|[\w./@-]+\.(?:ts|md|js|json|mjs|yml)(?:#[\w-]+)?|docs\/decisions\/\d+|https?:\S+|\d[\d.-]*|\{@link [^}]*\}|`[^`]*`)[\s,.;:()]*)+$/i;

const SUBORDINATE = /^(?:if|when|while|unless|until|as|since|because|after|before|once)\b/i;
const PREPOSITION =
  /^(?:(?:also|not|only) )?(?:at|between|by|for|from|in|instead|like|of|on|onto|over|through|to|under|with|within|without)\b|^not\b/i;
const RELATIVE = /\b(?:that|which|whose|who|whether|where|when|if|until|as|because)\b[^,:;]*/gi;

/** A definition such as `The function that a test calls` has its verb in the relative clause. */
const DEFINING = /\b(?:which|who|whose|that (?!of\b)\w)/;

/** Whether a sentence that begins with a preposition or a conjunction has no main clause. */
function isFragment(sentence: string): boolean {
  if (/^(?:those|that of|of)\b/i.test(sentence)) return true;
  if (SUBORDINATE.test(sentence)) return !hasVerb(sentence.split(/[,:;]/).slice(1).join(','));
  const [clause = ''] = sentence.replace(RELATIVE, '').split(/[:;]/);
  return PREPOSITION.test(sentence) && !hasVerb(clause);
}

/** Such a comment describes a thing, whose name it does not say: its verb is in the description. */
const UNNAMED = /^What\b/;

function problemOf(comment: string): CommentFinding['problem'] | undefined {
  if (comment === '' || DIRECTIVE.test(comment) || FORMAT.test(comment) || REFERENCE.test(comment))
    return undefined;
  if (UNNAMED.test(comment)) return 'begins with "What"';
  const words = comment.replace(/`[^`]*`|\{@link [^}]*\}/g, 'Name');
  const [first = ''] = words.split(/(?<=[.!?]) /);
  if (isFragment(first)) return 'begins as a fragment';
  return DEFINING.test(words) || hasVerb(words) ? undefined : 'has no verb';
}

/** Finds the comments of a TypeScript file that are no sentences. */
export function commentFindings(text: string): readonly CommentFinding[] {
  if (GENERATED.test(text)) return [];
  return commentsIn(text).flatMap(({ line, text: comment }) => {
    const problem = problemOf(comment);
    return problem === undefined ? [] : [{ line, comment, problem }];
  });
}
