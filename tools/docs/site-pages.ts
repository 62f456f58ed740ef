// The pages of the documentation site, from the documents of the repository as they stand there.
import { basename, dirname, posix } from 'node:path';

/** A page as the generator reads it: Markdown with a title apart. */
export interface SitePage {
  /** The address below the base, such as `guides/rotate-a-key`; empty for the first page. */
  readonly slug: string;
  readonly title: string;
  /** Contains the first words of the page, for search engines and previews. */
  readonly description: string;
  readonly markdown: string;
}

/** Each section of docs/README.md is a group of the navigation. */
export interface NavigationGroup {
  readonly label: string;
  readonly pages: readonly { readonly label: string; readonly slug: string }[];
}

export interface SiteOptions {
  /** The path at which the site is served, such as `/docs/`. */
  readonly base: string;
  /** The page of an operation, such as `GET /tokens/{id}`; `undefined` for another text. */
  readonly pageOf: (operation: string) => string | undefined;
  /** Draws the text of a diagram as SVG. */
  readonly draw: (mermaid: string) => string;
}

const DESCRIPTION_LENGTH = 160;
const FENCED = /^(```|~~~)[^]*?^\1[ \t]*$/gm;
const LINK = /(!?)\[((?:[^\][]|\[[^\][]*\])*)\]\(([^)\s]+)\)/g;

/** The start page replaces the README at the root. The other name is taken by a page of docs/. */
const AT_ROOT: Readonly<Record<string, string>> = {
  'README.md': 'start',
  '.github/SECURITY.md': 'report-a-weakness',
};

/**
 * Returns the address of a document: `docs/guides/rotate-a-key.md` has `guides/rotate-a-key`, and
 * `packages/sdk/README.md` has `packages/sdk`.
 */
export function slugOf(file: string): string {
  const atRoot = AT_ROOT[file];
  if (atRoot !== undefined) return atRoot;
  const path = file.replace(/^docs\//, '');
  const name = basename(path) === 'README.md' ? dirname(path) : path.replace(/\.md$/, '');
  return name === '.' ? '' : name.replace(/(?:CHANGELOG|CONTRIBUTING)$/, (word) => word.toLowerCase());
}

/** Applies a change to everything outside of fenced code. */
function outsideCode(markdown: string, change: (text: string) => string): string {
  let result = '';
  let from = 0;
  for (const match of markdown.matchAll(FENCED)) {
    result += change(markdown.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  return result + change(markdown.slice(from));
}

const plain = (markdown: string): string =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]{1,2}(\S(?:[^`*]*\S)?)[`*]{1,2}/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();

function shortened(text: string): string {
  if (text.length <= DESCRIPTION_LENGTH) return text;
  return `${text.slice(0, text.lastIndexOf(' ', DESCRIPTION_LENGTH))} …`;
}

/** Returns the address of a link in the site; `undefined` for a file that is no page. */
function addressOf(
  file: string,
  link: string,
  isPage: (file: string) => boolean,
  base: string,
): string | undefined {
  if (/^(?:[a-z]+:|#)/i.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const there = posix.join(posix.dirname(file), path);
  const page = [there, posix.join(there, 'README.md')].find((each) => each === 'README.md' || isPage(each));
  if (page === undefined) return there.startsWith('docs/') ? base + there.slice('docs/'.length) : undefined;
  // The start page has other headings than the README.
  const hash = anchor === undefined || page === 'README.md' ? '' : `#${anchor}`;
  return `${base}${slugOf(page)}/${hash}`.replace('//', '/');
}

/**
 * Turns the links of a document into those of the site. A link to code becomes its words: a reader
 * of the site may have no repository.
 */
const relinked = (file: string, markdown: string, isPage: (file: string) => boolean, { base }: SiteOptions) =>
  outsideCode(markdown, (text) =>
    text.replace(LINK, (_, picture: string, words: string, link: string) => {
      const address = addressOf(file, link, isPage, base);
      return address === undefined ? words : `${picture}[${words}](${address})`;
    }),
  );

const drawn = (markdown: string, draw: SiteOptions['draw']): string =>
  markdown.replace(
    /^```mermaid\n([^]*?)^```$/gm,
    (_, text: string) =>
      `<figure class="diagram" tabindex="0">${draw(text).replaceAll(/\n\s*/g, ' ')}</figure>`,
  );

/** Links the operations in the first column of a table to their pages. */
const withOperations = (markdown: string, pageOf: SiteOptions['pageOf']): string =>
  markdown.replace(/^\| (`([A-Z]+ \/[^`]*)`)/gm, (row, cell: string, operation: string) => {
    const page = pageOf(operation);
    return page === undefined ? row : `| [${cell}](${page})`;
  });

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&#${String(character.charCodeAt(0))};`);

/** The lists of the first page as cards: the whole card is the link. */
const asCards = (markdown: string): string =>
  markdown.replace(/(?:^- \[[^\]]+\]\([^)]+\)[^]*?(?=\n- |\n\n|\n*$(?![^]))\n?)+/gm, (list) => {
    const cards = [...list.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)(?: - )?([^]*?)(?=\n- |\n*$(?![^]))/gm)].map(
      ([, label = '', link = '', words = '']) => {
        const about = words.trim() === '' ? '' : `<span>${escaped(plain(words))}</span>`;
        return `<li><a href="${escaped(link)}"><strong>${escaped(label)}</strong>${about}</a></li>`;
      },
    );
    return `<ul class="cards not-content">${cards.join('')}</ul>\n`;
  });

const WORDS = /^<!-- search: ([^<>]*) -->$/gm;
const LAST_WORDS = /^<!-- search: ([^<>]*) -->\s*$(?![^])/m;

const searchWords = (words: string): string =>
  `<p hidden data-pagefind-weight="10">${escaped(words.replaceAll(/\s+/g, ' '))}</p>`;

/** Splits a page before its first section. */
function atFirstSection(markdown: string): readonly [string, string] {
  // Code may have a comment that looks like a heading. Blanks keep the place of what follows.
  const prose = markdown.replaceAll(FENCED, (code) => ' '.repeat(code.length));
  const start = prose.search(/^## /m);
  return start === -1 ? [markdown, ''] : [markdown.slice(0, start), markdown.slice(start)];
}

/**
 * Adds other words, which readers do not see: the search finds a page by them, and before pages
 * that have them in passing. Those of a comment `<!-- search: GDPR, DSAR -->` at the end are for
 * the page, so they go before its first section. A comment in a section is for that section.
 */
function withSearchWords(markdown: string): string {
  const [comment = '', words] = LAST_WORDS.exec(markdown) ?? [];
  const rest = outsideCode(markdown.slice(0, markdown.length - comment.length), (text) =>
    text.replaceAll(WORDS, (_, each: string) => searchWords(each)),
  );
  if (words === undefined) return rest;
  const [start, sections] = atFirstSection(rest);
  return `${start.trimEnd()}\n\n${searchWords(words)}\n\n${sections}`.trimEnd() + '\n';
}

/** A page from a document. Throws for one without a title in its first line. */
export function sitePage(
  file: string,
  text: string,
  isPage: (file: string) => boolean,
  options: SiteOptions,
): SitePage {
  const title = /^# (.+)\n/.exec(text)?.[1];
  if (title === undefined) throw new Error(`${file} has no title in its first line`);
  const body = text.slice(text.indexOf('\n') + 1).trimStart();
  const [first = ''] = body.split(/\n\n/, 1);
  const linked = withOperations(relinked(file, body, isPage, options), options.pageOf);
  return {
    slug: slugOf(file),
    title: plain(title),
    description: shortened(plain(first)),
    markdown: withSearchWords(drawn(slugOf(file) === '' ? asCards(linked) : linked, options.draw)),
  };
}

/** The groups of docs/README.md: each section has a list of links. */
export function navigationOf(index: string): readonly NavigationGroup[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      label: (/^.*/.exec(section) ?? [''])[0],
      pages: [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, label = '', link = '']) => ({
        label,
        slug: slugOf(posix.join('docs', link)),
      })),
    }));
}
