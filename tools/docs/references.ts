/*
 * References to documents: links of Markdown, and file names in comments of code. Both name a file
 * of the repository and may name a heading of it.
 */
import { pathToFileURL } from 'node:url';

/**
 * Each key is the path of a document from the root. The value contains the anchors of its headings.
 */
export type Documents = ReadonlyMap<string, ReadonlySet<string>>;

const LINK = /\]\(([^)\s]+)(?: "[^"]*")?\)|^\[[^\]]+\]: (\S+)/gm;
const FENCE = /^(```|~~~).*?^\1/gms;
const HEADING = /^#{1,6} +(.+?) *#*$/gm;
const COMMENT = /\/\*[^]*?\*\/|(?<![:\w'"`])\/\/.*|^[ \t]*#.*|[ \t]# .*/gm;
/** `docs/contract.md#limits`, `docs/decisions/0013#use-commonjs`, or the name of a file. */
const NAMED = /(?<![\w./-])(?:docs\/decisions\/\d{4}(?![\w-])(?:#[\w-]+)?|[\w./-]*\w\.md(?:#[\w-]+)?)/g;

/** The anchors that GitHub gives to the headings of a document: a repeated one has a number. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of markdown.replace(FENCE, '').matchAll(HEADING)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${String(count)}`;
    anchors.add(unique);
  }
  return anchors;
}

function checked(path: string, anchor: string | undefined, documents: Documents): string | undefined {
  const anchors = documents.get(path);
  if (anchors === undefined) return `${path} does not exist`;
  return anchor === undefined || anchors.has(anchor) ? undefined : `${path} has no heading #${anchor}`;
}

/** The broken links of a document, by the link. `exists` checks links to files of other kinds. */
export function brokenLinks(
  file: string,
  markdown: string,
  documents: Documents,
  exists: (path: string) => boolean,
): readonly string[] {
  const folder = pathToFileURL(`/${file}`);
  return [...markdown.replace(FENCE, '').matchAll(LINK)].flatMap(([, inline, byName]) => {
    const target = inline ?? byName ?? '';
    if (/^[a-z]+:/.test(target)) return [];
    const { pathname, hash } = new URL(target, folder);
    const path = decodeURIComponent(pathname.slice(1));
    if (!path.endsWith('.md')) return exists(path) ? [] : [`${target}: ${path} does not exist`];
    const problem = checked(path, hash === '' ? undefined : hash.slice(1), documents);
    return problem === undefined ? [] : [`${target}: ${problem}`];
  });
}

/** The broken references to documents in the comments of a code file. */
export function brokenReferences(code: string, documents: Documents): readonly string[] {
  const paths = [...documents.keys()];
  const comments = [...code.matchAll(COMMENT)].map(([comment]) => comment).join('\n');
  return [...comments.matchAll(NAMED)].flatMap(([reference]) => {
    const [name = '', anchor] = reference.split('#');
    const isFound = (path: string) =>
      name.endsWith('.md') ? path === name || path.endsWith(`/${name}`) : path.startsWith(`${name}-`);
    const path = paths.find(isFound);
    const problem = path === undefined ? `${name} does not exist` : checked(path, anchor, documents);
    return problem === undefined ? [] : [`${reference}: ${problem}`];
  });
}

const PLACE = '(?:bin|console|examples|functions|lib|packages|reactor-runtime|src|test|tools)';
/**
 * Matches the path of a code file from the root, either between backticks or anywhere in a comment.
 */
const CODE = new RegExp(`\`(${PLACE}/[\\w./-]+\\.(?:ts|js|cjs|mjs|sh))\``, 'g');
const CODE_IN_COMMENT = new RegExp(`(?<![\\w./-])(${PLACE}/[\\w./-]+\\.(?:ts|js|cjs|mjs|sh))(?![\\w-])`, 'g');

/** The code files that a document names and that do not exist. */
export function missingFiles(markdown: string, exists: (path: string) => boolean): readonly string[] {
  return [...markdown.matchAll(CODE)].flatMap(([, path = '']) => (exists(path) ? [] : [path]));
}

/** The files of code that the comments of a file of code name and that do not exist. */
export function missingInComments(code: string, exists: (path: string) => boolean): readonly string[] {
  const comments = [...code.matchAll(COMMENT)].map(([comment]) => comment).join('\n');
  return [...comments.matchAll(CODE_IN_COMMENT)].flatMap(([, path = '']) => (exists(path) ? [] : [path]));
}

/** `npm run build -- sdk`: the script, and the first word that is handed to it. */
const SCRIPT = /npm run ([a-z:-]+)(?: -- ([a-z][a-z-]*))?/g;

/** Each use of an npm script in a text, as the script and the first word that is handed to it. */
export function scriptsIn(text: string): readonly (readonly [script: string, word: string | undefined])[] {
  return [...text.matchAll(SCRIPT)].map(([, script = '', word]) => [script, word] as const);
}
