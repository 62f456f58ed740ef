// Finishes the files of a built site: writes a policy for each page, and checks every link.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)(?<attributes>[^>]*)>(?<code>[^]*?)<\/script>/g;
const IS_DATA = /type="(?:application\/(?:ld\+)?json|speculationrules)"/;

/** "Try it" may call the service that the build names, or one that the reader names. */
const connectable = (api: string): string => {
  if (api === '') return "'self' https: http://localhost:* http://127.0.0.1:*";
  return URL.canParse(api) ? `'self' ${new URL(api).origin}` : "'self'";
};

/**
 * The policy of a page allows its own inline scripts by their hashes, and everything else from its
 * own origin. Highlighted code has style attributes. WebAssembly reads the search index.
 */
export function policyOf(html: string, api: string): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)]
    .filter(({ groups }) => !IS_DATA.test(groups?.['attributes'] ?? ''))
    .map(
      ({ groups }) =>
        `'sha256-${createHash('sha256')
          .update(groups?.['code'] ?? '')
          .digest('base64')}'`,
    );
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${[...new Set(hashes)].toSorted().join(' ')}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connectable(api)}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/**
 * Mends what keys and screen readers need: the reference has headings out of order, which are words
 * above examples, and wide tables scroll, so they take the focus.
 */
const accessible = (html: string): string =>
  html
    .replaceAll(/<h5 (class="sl-openapi-examples-heading[^>]*)>([^]*?)<\/h5>/g, '<p $1>$2</p>')
    .replaceAll('<table>', '<table tabindex="0">');

export function withPolicy(html: string, api: string): string {
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policyOf(html, api)}">`;
  const [before, ...after] = html.split('<head>');
  // A page without its policy must not be written.
  if (before === undefined || after.length !== 1) throw new Error('a page has no single <head>');
  return `${before}<head>${meta}<meta name="referrer" content="no-referrer">${after.join('')}`;
}

/** Links and sources of a page, without those that lead to another host. */
function linksOf(html: string): readonly string[] {
  const found = [...html.matchAll(/<[a-z][^>]*?\s(?:href|src)=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
  // Buttons that copy code have it in an attribute, with its quotes escaped.
  return [...new Set(found)].filter((link) => !/^(?:[a-z]+:|\/\/|&quot;)/i.test(link));
}

const idsOf = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id));

/** Lists each link of a site that leads nowhere. `pages` has the HTML by path. */
export function brokenSiteLinks(
  pages: ReadonlyMap<string, string>,
  base: string,
  exists: (file: string) => boolean,
): readonly string[] {
  const ids = new Map([...pages].map(([file, html]) => [file, idsOf(html)] as const));
  const problemOf = (file: string, link: string): string | undefined => {
    const [path = '', anchor = ''] = link.split('#');
    const from = posix.join(base, posix.dirname(file), '/');
    const there = path === '' ? file : posix.relative(base, posix.resolve(from, path.split('?')[0] ?? ''));
    if (there.startsWith('..')) return `${link} leads out of the site`;
    const page = [there, posix.join(there, 'index.html')].find((name) => ids.has(name));
    if (page === undefined) return exists(decodeURIComponent(there)) ? undefined : `${link} does not exist`;
    const id = decodeURIComponent(anchor);
    return id === '' || id === '_top' || ids.get(page)?.has(id) === true
      ? undefined
      : `${link} has no such heading`;
  };
  return [...pages].flatMap(([file, html]) =>
    linksOf(html).flatMap((link) => {
      const problem = problemOf(file, link);
      return problem === undefined ? [] : [`${file}: ${problem}`];
    }),
  );
}

/** Adds policies to the pages of a folder. Throws an error that lists every broken link. */
export function finishSite(
  folder: string,
  { base, api }: { readonly base: string; readonly api: string },
): void {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(folder, join(entry.parentPath, entry.name)));
  const pages = new Map(
    files
      .filter((name) => name.endsWith('.html'))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
  const broken = brokenSiteLinks(pages, base, (name) => files.includes(name));
  if (broken.length > 0) throw new Error(`The site has broken links:\n  ${broken.join('\n  ')}`);
  for (const [name, html] of pages) writeFileSync(join(folder, name), withPolicy(accessible(html), api));
}
