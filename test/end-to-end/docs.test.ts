// Reads the documentation of a running service in a browser.
import { setTimeout as sleep } from 'node:timers/promises';
import { problemCodes } from '../../src/wire/problem.ts';
import { startChromium, type Chromium, type Tab } from '../support/chromium.ts';
import { needing } from '../support/needing.ts';
import { aRevealingApplication, credentials } from '../support/service.ts';
import { axeFindings, originsOf, WATCH } from '../support/watched-tab.ts';
import { inThoroughRun } from '../../packages/test-kit/src/which-runs.ts';

const { describe } = needing('Chromium');
const LONG_PAGES = ['security/', 'deploy/', 'guides/pci-dss/', 'reference/operations/updateproxy/'];

const FIRST_VIEW_BYTES = 300_000;
const OPERATION = 'reference/operations/createtoken/';
/** Each kind of page has one here. The usual run shows axe one of them, and the form below. */
const PAGES = ['', 'start/', 'concepts/', 'guides/charge-a-card/', 'errors/key_expired/', OPERATION];

/** People search for these words, and find the page. */
const FOUND = {
  GDPR: 'guides/erase-a-person',
  SSO: 'not-included',
  '3DS': 'not-included',
  'BIN lookup': 'not-included',
  'Apple Pay': 'not-included',
  Terraform: 'not-included',
  migrate: 'guides/move-in',
  import: 'guides/move-in',
  Postgres: 'guides/move-in',
  'Stripe export': 'guides/move-in',
  VGS: 'guides/move-in',
  backfill: 'guides/move-in',
  export: 'guides/move-out',
  'data portability': 'guides/move-out',
  python: 'not-included',
  'Basis Theory': 'lenient',
  'form-encoded': 'guides/charge-a-card',
  'self-signed': 'guides/charge-a-card',
  egressAllowList: 'deploy',
  'lost management key': 'guides/rotate-a-key',
  recover: 'guides/rotate-a-key',
  'rotate a key': 'guides/rotate-a-key',
  Shopify: 'guides/receive-cards',
  CVV: 'guides/charge-a-saved-card',
  vitest: 'guides/test-with-jest',
  'restore a backup': 'restore',
  undelete: 'restore',
  'npm package': 'guides/use-a-package',
  'npm dependency': 'guides/use-a-package',
  'native addon': 'guides/use-a-package',
  GitOps: 'guides/keep-access-in-a-file',
  'infrastructure as code': 'guides/keep-access-in-a-file',
};

const AUDITED = ['concepts/'];

/** The search loads when a page is idle, and in Safari, which lacks this function, at once. */
const AT_ONCE = 'window.requestIdleCallback = undefined;';

let chromium: Chromium;
let tabs: Tab[];

const site = () => `${credentials.docs_url}/`;

beforeAll(async () => {
  chromium = await startChromium();
  // The first visit builds the site, and its page reloads until it is there.
  const visit = () => fetch(site(), { headers: { accept: 'text/html' } });
  let page = await visit();
  while (page.status === 503) {
    expect(await page.text()).toContain('http-equiv="refresh"');
    await sleep(500);
    page = await visit();
  }
  expect(page.status).toBe(200);
});
afterAll(() => chromium.close());

beforeEach(() => {
  tabs = [];
});

afterEach(async () => {
  for (const tab of tabs) {
    expect(await tab.evaluate('violations')).toEqual([]);
    const origins = [credentials.docs_url, credentials.base_url];
    expect(originsOf(tab).filter((origin) => !origins.includes(origin))).toEqual([]);
    await tab.close();
  }
});

async function opened(path: string, { width = 1280, scheme = 'light' } = {}): Promise<Tab> {
  const tab = await chromium.newTab();
  tabs.push(tab);
  await tab.send('Network.enable');
  await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: WATCH + AT_ONCE });
  await tab.send('Emulation.setDeviceMetricsOverride', {
    width,
    height: 850,
    deviceScaleFactor: 1,
    mobile: width < 600,
  });
  await tab.send('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-color-scheme', value: scheme }],
  });
  await tab.open(site() + path);
  await tab.until(`document.querySelector('h1') !== null`);
  return tab;
}

async function fillTryIt(tab: Tab, name: string, text: string): Promise<void> {
  const control = `[...document.querySelectorAll('.try-it label')].find((label) => label.querySelector('.name')?.textContent === ${JSON.stringify(name)}).querySelector('input, textarea')`;
  await tab.evaluate(`${control}.focus(); ${control}.select()`);
  await tab.send('Input.insertText', { text });
}

async function openedForm(path: string, key: string): Promise<Tab> {
  const tab = await opened(path);
  await tab.click('.try-it summary');
  await tab.until(`document.querySelector('.try-it form') !== null`);
  await fillTryIt(tab, 'Key (SVC-API-KEY)', key);
  const shown = `(({ type, autocomplete }, style) => [type, autocomplete, style.webkitTextSecurity])(...[document.querySelector('.try-it .secret')].flatMap((input) => [input, getComputedStyle(input)]))`;
  expect(await tab.evaluate(shown)).toEqual(['text', 'off', 'disc']);
  return tab;
}

const responseOf = async (tab: Tab): Promise<string> => {
  await tab.until(`/^(?!Sending|$)/.test(document.querySelector('.try-it .output')?.textContent ?? '')`);
  return (await tab.evaluate(`document.querySelector('.try-it .output').innerText`)) as string;
};

describe('the documentation', () => {
  it('has pages that load under 300 KB, fit a phone, and have no finding of axe', async () => {
    for (const path of PAGES) {
      const tab = await opened(path, { width: 390 });
      await tab.until(`document.readyState === 'complete'`);
      const bytes = tab
        .events('Network.loadingFinished')
        .reduce((sum: number, each) => sum + Number(each.encodedDataLength), 0);
      expect([path, bytes < FIRST_VIEW_BYTES || bytes]).toEqual([path, true]);
      expect([path, await tab.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 390]);
      if (AUDITED.includes(path)) expect([path, await axeFindings(tab)]).toEqual([path, []]);
    }
  });

  inThoroughRun.it.each([
    [390, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ])('has no finding of axe at %i wide: %s', async (width, scheme) => {
    for (const path of [...PAGES, ...LONG_PAGES]) {
      const tab = await opened(path, { width, scheme });
      expect([path, await axeFindings(tab)]).toEqual([path, []]);
    }
  });

  it('finds a guide by words and keys alone', async () => {
    const tab = await opened('');
    await tab.until(`document.querySelector('site-search input') !== null`);
    await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'k', code: 'KeyK', modifiers: 2 });
    await tab.until(`document.activeElement?.tagName === 'INPUT'`);
    await tab.type('rotate a key');
    const guide = `dialog[open] a[href^="/guides/rotate-a-key/"]`;
    await tab.until(`document.querySelector(${JSON.stringify(guide)}) !== null`);
    while (!(await tab.evaluate(`document.activeElement?.matches(${JSON.stringify(guide)}) === true`)))
      await tab.press('Tab');
    await tab.press('Enter');
    await tab.until(`document.querySelector('h1')?.textContent === 'Rotate a key'`);
  });

  it('finds the page of a task by other words for it', async () => {
    const tab = await opened('');
    const found = await tab.evaluate(`import('/pagefind/pagefind.js').then(async ({ search }) => {
      const first = async (words) => (await (await search(words)).results[0]?.data())?.url;
      return Promise.all(${JSON.stringify(Object.keys(FOUND))}.map(async (words) => [words, await first(words)]));
    })`);
    expect(found).toEqual(Object.entries(FOUND).map(([words, page]) => [words, `/${page}/`]));
    // The words themselves are not part of what a person reads.
    const page = await opened('guides/erase-a-person/');
    expect(await page.evaluate(`document.querySelector('main').innerText.includes('GDPR')`)).toBe(false);
  });

  it('has a page for the code of every error, which the errors of the service name', async () => {
    for (const code of problemCodes()) {
      const page = await fetch(`${credentials.base_url}/docs/errors/${code}`);
      expect([code, page.status, page.url]).toEqual([code, 200, `${site()}errors/${code}/`]);
    }
    const response = await fetch(`${credentials.base_url}/tokens/a`);
    expect(await response.json()).toMatchObject({
      type: '/docs/errors/unauthenticated',
      code: 'unauthenticated',
    });
    const proxied = await fetch(`${credentials.base_url}/proxy`);
    expect(await proxied.json()).toMatchObject({ proxy_error: { type: '/docs/errors/unauthenticated' } });
  });

  it('names the API of this service in its policy, and no other address', async () => {
    const html = await (await fetch(site() + OPERATION)).text();
    expect(html).toContain(`connect-src 'self' ${credentials.base_url};`);
    expect(html).not.toContain('api.invalid');
  });

  it('says that a page is missing', async () => {
    const missing = await fetch(`${site()}nothing/`);
    expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining('<html')]);
  });
});

describe('try it', () => {
  it('sends the request of its form to the running service, and shows the response', async () => {
    const { key } = await aRevealingApplication();
    const tab = await openedForm(OPERATION, key);
    expect(await axeFindings(tab)).toEqual([]);
    await tab.click('.try-it button');
    const shown = await responseOf(tab);
    expect(shown).toMatch(/^201 Created in \d+ ms/);
    expect(shown).toContain('"type": "card"');
    expect(
      await tab.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage }) + document.cookie'),
    ).not.toContain(key);
  });

  it('leads from an error to the page of its code', async () => {
    const tab = await openedForm('reference/operations/gettoken/', 'key_wrong');
    await tab.click('.try-it button');
    expect(await responseOf(tab)).toMatch(/^401 Unauthorized in \d+ ms What unauthenticated means/);
    const link = await tab.evaluate(`document.querySelector('.try-it .output a').pathname`);
    expect(link).toBe('/errors/unauthenticated/');
  });

  it('shows what is stored as text, whatever it is', async () => {
    const { key, post } = await aRevealingApplication();
    const hostile = '</script><img src=x onerror=alert(1)>{{ data }}';
    const { body } = await post('/tokens', { type: 'token', data: hostile });
    const tab = await openedForm('reference/operations/gettoken/', key);
    await fillTryIt(tab, 'id *', body.id as string);
    await tab.click('.try-it button');
    expect(await responseOf(tab)).toContain(hostile);
    expect(await tab.evaluate(`document.querySelector('.try-it .output img')`)).toBeNull();
  });
});
