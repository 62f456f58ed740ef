import { brokenSiteLinks, policyOf, withPolicy } from '../../../tools/docs/finish-site.ts';
import { navigationOf, sitePage, slugOf } from '../../../tools/docs/site-pages.ts';
import { codesOf, siteReference } from '../../../tools/docs/site-reference.ts';

const OPTIONS = {
  base: '/docs/',
  pageOf: (operation: string) =>
    operation === 'GET /tokens' ? '/docs/reference/operations/listtokens/' : undefined,
  draw: (text: string) => `<svg>${text.trim()}\n</svg>`,
};
const PAGES = new Set([
  'CONTRIBUTING.md',
  'docs/api.md',
  'docs/README.md',
  'docs/errors/README.md',
  'packages/sdk/README.md',
]);
const markdownOf = (text: string, file = 'docs/guides/a.md') =>
  sitePage(file, text, (path) => PAGES.has(path), OPTIONS).markdown;

describe('a page of the site', () => {
  it('has the title and the first words of the document', () => {
    const page = sitePage(
      'docs/guides/a.md',
      '# Rotate `a` *key*\n\nReplace a [key](b).\n\nMore.',
      () => false,
      OPTIONS,
    );
    expect(page).toMatchObject({ slug: 'guides/a', title: 'Rotate a key', description: 'Replace a key.' });
    expect(sitePage('docs/a.md', '# payload_too_large (413): `a_b`\n\nx', () => false, OPTIONS).title).toBe(
      'payload_too_large (413): a_b',
    );
    expect(() => markdownOf('no title')).toThrow('docs/guides/a.md has no title');
  });

  it.each([
    ['[a](../api.md#errors)', '[a](/docs/api/#errors)'],
    ['[a\nb](../api.md)', '[a\nb](/docs/api/)'],
    ['[`a`](../errors/README.md)', '[`a`](/docs/errors/)'],
    ['[a](../README.md)', '[a](/docs/)'],
    ['[a](../../packages/sdk/README.md)', '[a](/docs/packages/sdk/)'],
    ['[a](../../packages/sdk)', '[a](/docs/packages/sdk/)'],
    ['see [`a`](../../src/wire/token.ts).', 'see `a`.'],
    ['[a](../../README.md#on-your-machine)', '[a](/docs/start/)'],
    ['[a](../../CONTRIBUTING.md#b)', '[a](/docs/contributing/#b)'],
    ['[a](../openapi.json)', '[a](/docs/openapi.json)'],
    ['![a](../console/tokens.webp)', '![a](/docs/console/tokens.webp)'],
    ['[a](#errors) [b](https://x.example)', '[a](#errors) [b](https://x.example)'],
    ['```md\n[a](../api.md)\n```', '```md\n[a](../api.md)\n```'],
  ])('has for the link %j %j', (link, expected) => {
    expect(markdownOf(`# T\n\n${link}`)).toBe(expected);
  });

  it('has diagrams as pictures, and operations of tables as links', () => {
    expect(markdownOf('# T\n\n```mermaid\na --> b\n```\n')).toBe(
      '<figure class="diagram" tabindex="0"><svg>a --> b </svg></figure>\n',
    );
    expect(markdownOf('# T\n\n| `GET /tokens` | x |\n| `GET /other` | y |')).toBe(
      '| [`GET /tokens`](/docs/reference/operations/listtokens/) | x |\n| `GET /other` | y |',
    );
  });

  it('has the words of its comment for the search alone', () => {
    expect(markdownOf('# T\n\nText.\n\n<!-- search: GDPR,\nR&D -->\n')).toBe(
      'Text.\n\n<p hidden data-pagefind-weight="10">GDPR, R&#38;D</p>\n',
    );
  });

  it('has the words of its last comment before its sections, and others where they are', () => {
    const words = (text: string) => `<p hidden data-pagefind-weight="10">${text}</p>`;
    const code = '```sh\n## No heading\n```';
    expect(
      markdownOf(
        `# T\n\n${code}\n\n## A\n\n<!-- search: SOAP -->\n\na\n\n## B\n\nb\n\n<!-- search: PSP -->\n`,
      ),
    ).toBe(`${code}\n\n${words('PSP')}\n\n## A\n\n${words('SOAP')}\n\na\n\n## B\n\nb\n`);
  });

  it('has the list of the first page as cards, whose words are text', () => {
    const text = '# T\n\n## A\n\n- [The API](api.md) - requests\n  and `<b>`\n- [B](api.md)\n\nEnd.';
    expect(markdownOf(text, 'docs/README.md')).toBe(
      '## A\n\n<ul class="cards not-content"><li><a href="/docs/api/"><strong>The API</strong><span>requests and &#60;b&#62;</span></a></li><li><a href="/docs/api/"><strong>B</strong></a></li></ul>\n\nEnd.',
    );
  });
});

it('the sections of the index are the navigation', () => {
  expect(
    navigationOf('# D\n\n## Start\n\n- [What](start.md) - words\n\n## More\n\n- [E](errors/README.md)\n'),
  ).toEqual([
    { label: 'Start', pages: [{ label: 'What', slug: 'start' }] },
    { label: 'More', pages: [{ label: 'E', slug: 'errors' }] },
  ]);
});

it('the addresses of documents follow their folders', () => {
  expect(['docs/README.md', 'docs/a.md', 'docs/b/README.md', 'examples/jest/README.md'].map(slugOf)).toEqual([
    '',
    'a',
    'b',
    'examples/jest',
  ]);
});

describe('the check of links', () => {
  const pages = new Map([
    [
      'index.html',
      '<a href="/docs/a/">a</a><a href="a/#h">b</a><img src="/docs/x.webp"><a href="https://x.example">c</a>',
    ],
    ['a/index.html', '<h2 id="h">h</h2><a href="../">up</a><a href="#h">h</a>'],
  ]);
  const broken = (more: readonly (readonly [string, string])[]) =>
    brokenSiteLinks(new Map([...pages, ...more]), '/docs/', (file) => file === 'x.webp');

  it('may lead to a page, a heading or a file', () => {
    expect(broken([])).toEqual([]);
  });

  it.each([
    ['/docs/none/', 'does not exist'],
    ['/docs/a/#none', 'has no such heading'],
    ['../../etc', 'leads out of the site'],
    ['/other', 'leads out of the site'],
    ['y.webp', 'does not exist'],
  ])('reports a link to %s', (link, problem) => {
    for (const quoted of [`'${link}'`, link])
      expect(broken([['b/index.html', `<a href=${quoted}>x</a>`]])).toEqual([
        `b/index.html: ${link} ${problem}`,
      ]);
    expect(broken([['b/index.html', `<a href="${link}">x</a>`]])).toEqual([
      `b/index.html: ${link} ${problem}`,
    ]);
  });
});

describe('the policy of a page', () => {
  const page =
    '<script>a()</script><script type="module">b()</script><script type="application/json">{}</script><script src="/c.js"></script>';

  it('allows its inline scripts by their hashes alone', () => {
    const [, scripts = ''] = /script-src ([^;]*)/.exec(policyOf(page, '')) ?? [];
    expect(scripts.match(/sha256-/g)).toHaveLength(2);
    expect(scripts).not.toContain('unsafe-inline');
  });

  it('is in its head, and no page is written without it', () => {
    expect(withPolicy('<html><head><title>a</title></head>', '/')).toMatch(
      /^<html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; /,
    );
    for (const head of ['<head lang="en">', '<body>', '<head><head>'])
      expect(() => withPolicy(head, '/')).toThrow('no single <head>');
  });

  it.each([
    ['/', "connect-src 'self';"],
    ['https://vault.example.com/v1', "connect-src 'self' https://vault.example.com;"],
    ['', "connect-src 'self' https: http://localhost:* http://127.0.0.1:*;"],
  ])('allows calls, for the service at %j, by %j', (api, expected) => {
    expect(policyOf(page, api)).toContain(expected);
  });
});

describe('the failures of the reference', () => {
  it('lead to the codes that an operation can have', () => {
    expect(codesOf('getToken', 401)).toEqual(['unauthenticated', 'key_expired']);
    expect(codesOf('getToken', 429)).toEqual([]);
    expect(codesOf('invokeReactor', 422)).toEqual(['key_reused', 'reactor_not_loaded']);
    expect(codesOf('createToken', 422)).toEqual(['key_reused']);
    expect(codesOf('proxyPost', 424)).toEqual(['transform_failed']);
    expect(codesOf('proxyPost', 400)).toEqual(['validation_failed', 'transform_failed']);
    expect(codesOf('patchProxy', 400)).toEqual(['validation_failed', 'configuration_required']);
  });

  it('have their words and links in the place of schemas', () => {
    const document = {
      servers: [],
      paths: {
        '/tokens': {
          get: {
            operationId: 'listTokens',
            responses: {
              200: { description: 'Yes.', content: {} },
              401: { $ref: '#/components/responses/No' },
            },
          },
        },
      },
      components: {
        responses: { No: { description: 'No.', content: {} } },
        schemas: { Card: { properties: { type: { const: 'card' } } }, Page: {} },
      },
    };
    expect(siteReference(document, '/docs/')).toMatchObject({
      components: { schemas: { Card: { title: 'card' }, Page: { title: 'Page' } } },
      paths: {
        '/tokens': {
          get: {
            responses: {
              200: { description: 'Yes.', content: {} },
              401: {
                description:
                  'No.\n\n[`unauthenticated`](/docs/errors/unauthenticated/), [`key_expired`](/docs/errors/key_expired/)',
              },
            },
          },
        },
      },
    });
  });
});
