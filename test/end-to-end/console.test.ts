import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openConsole, type ConsolePage } from '../support/console-page.ts';
import { aLocked, aPackageBundle } from '../support/builders/a-package-bundle.ts';
import { startChromium, type Chromium } from '../support/chromium.ts';
import { httpClient } from '../support/http-client.ts';
import { needing } from '../support/needing.ts';
import { credentials, operator } from '../support/service.ts';
import { until, untilTrue } from '../../packages/test-kit/src/until.ts';
import { originsOf } from '../support/watched-tab.ts';
import { inThoroughRun, whenTouched } from '../../packages/test-kit/src/which-runs.ts';

const { describe } = needing('Chromium');

// The console in a browser, by what a person does with it.
const NUMBER = '4242424242424242';
const MASKED = 'XXXXXXXXXXXX4242';
const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>{{ data }}\u202E\u200Bשלום`;
const LONG = 'Département des paiements '.repeat(8).slice(0, 200).trim();

let chromium: Chromium;
let managementKey: string;
let pages: ConsolePage[];

const ofTenant = () => httpClient(credentials.base_url, managementKey);

beforeAll(async () => {
  [chromium, { management_key: managementKey = '' }] = await Promise.all([
    startChromium(),
    operator({ command: 'create-tenant', name: 'Console' }),
  ]);
});
afterAll(() => chromium.close());

beforeEach(() => {
  pages = [];
});

afterEach(async () => {
  for (const page of pages) {
    expect(await page.violations()).toEqual([]);
    expect(originsOf(page.tab).filter((host) => !isOurs(host))).toEqual([]);
    await page.tab.close();
  }
});

const isOurs = (origin: string): boolean =>
  [credentials.base_url, credentials.console_url.slice(0, -1)].includes(origin);

async function opened(key = managementKey): Promise<ConsolePage> {
  const page = await openConsole(chromium, credentials.console_url);
  pages.push(page);
  await page.signIn(key);
  return page;
}

const allPermissions = ['create', 'read', 'search', 'update', 'delete', 'use'].map((name) => `token:${name}`);

async function anApplication(rules: readonly object[], permissions: readonly string[] = []) {
  const { body } = await ofTenant().post('/applications', {
    name: 'test',
    type: 'private',
    permissions,
    rules,
  });
  return { key: String(body.key), id: String(body.id), ...httpClient(credentials.base_url, body.key) };
}

const aRevealing = () =>
  anApplication([{ priority: 1, container: '/', transform: 'reveal', permissions: allPermissions }]);

const aCard = { type: 'card', data: { number: NUMBER }, search_indexes: ['{{ data.number | last4 }}'] };

/** The requests for tokens, and the transform that each asked for. */
const reads = ({ tab }: ConsolePage) =>
  tab
    .events('Network.requestWillBeSent')
    .filter(({ request }) => /\/tokens(?:[/?]|$)/.test(request.url) && request.method !== 'OPTIONS')
    .map(({ request }) => [request.method, request.headers['SVC-TRANSFORM']]);

describe('the way of a person through the console', () => {
  it('goes from an application and its rule over a card to the record of its reveal', async () => {
    const page = await opened();
    await page.go('#/applications/+');
    await page.fill('Name', 'Shop desk');
    await page.press('Add a rule');
    await page.fill('Container', '/pci/');
    await page.choose('Shows', 'reveal');
    for (const name of ['token:read', 'token:search', 'token:use', 'token:update']) await page.press(name);
    await page.sees('and gives more in');
    await page.press('Create application');
    await page.sees('This is the only time that the key can be read');
    await page.press('Open tokens with it');

    await page.sees('What it sees');
    await page.press('Explain');
    await page.sees('Allowed: reveal decided by rule 1');

    await page.go('#/tokens/+');
    await page.fill('Card number', NUMBER);
    await page.fill('Month', '12');
    await page.fill('Year', '2030');
    await page.press('Create token');
    await page.sees(MASKED);

    await page.go('#/tokens');
    await page.fill('Search', '4242');
    await page.sees('1 token');
    await page.fill('Container', '/bank/');
    await page.sees('No token matches');
    await page.fill('Container', '/pci/');
    await page.sees(MASKED);
    expect(await page.text()).not.toContain(NUMBER);

    const id = await page.tab.evaluate(`document.querySelector('tbody a').textContent`);
    await page.press(id);
    await page.press('Reveal for 30 seconds');
    await page.sees(NUMBER);
    await page.later(31_000);
    await page.sees('Reveal for 30 seconds');
    expect(await page.text()).not.toContain(NUMBER);
    expect(reads(page).filter(([, transform]) => transform !== 'mask')).toEqual([['GET', undefined]]);

    await page.press('Who used it');
    await page.sees('getToken');
    await page.choose('Form', 'reveal');
    await page.sees('1 record');
    expect(await page.text()).not.toMatch(/createToken.*begun/);
    await page.press('Reveals an hour as a table');
    await page.sees('Shop desk');
  });

  it('rotates a key: adds one, uses it, deletes the old one', async () => {
    const application = await aRevealing();
    const page = await opened();
    await page.go(`#/applications/${application.id}`);
    await page.press('Add a key');
    await page.fill('Name', 'From December on');
    await page.press('Add key');
    await page.sees('I have stored it');
    const key = await page.tab.evaluate(`document.querySelector('.new-key code').textContent`);
    await page.press('I have stored it');
    await page.sees('From December on');
    expect((await httpClient(credentials.base_url, key).get('/tokens')).status).toBe(200);
    const old = `Delete key …${application.key.slice(-4)}`;
    await page.tab.until(`person.mark(document.querySelector('[aria-label=${JSON.stringify(old)}]'))`);
    await page.tab.click('[data-marked]');
    await page.sees('The service rejects it at once');
    await page.press('Delete key');
    await page.tab.until(`!document.body.innerText.includes(${JSON.stringify(application.key.slice(-4))})`);
    expect((await application.get('/tokens')).status).toBe(401);
    expect(await page.text()).not.toContain(key);
  });

  it('says what it means to end the last management key, before it sends that by force', async () => {
    const tenant = await operator({ command: 'create-tenant', name: 'Last manager' });
    const key = String(tenant['management_key']);
    const page = await opened(key);
    const { body: self } = await httpClient(credentials.base_url, key).get('/applications/key');
    await page.go(`#/applications/${String(self.id)}`);
    const old = `Delete key …${key.slice(-4)}`;
    await page.tab.until(`person.mark(document.querySelector('[aria-label=${JSON.stringify(old)}]'))`);
    await page.tab.click('[data-marked]');
    await page.sees('The service rejects it at once');
    await page.press('Delete key');
    await page.sees('No other key can change applications.');
    const statusOfKey = async () =>
      (await httpClient(credentials.base_url, key).get('/applications/key')).status;
    expect(await statusOfKey()).toBe(200);
    await page.press('Delete it anyway');
    await untilTrue(async () => (await statusOfKey()) === 401);
  });

  it('writes a reactor, learns of its mistake by line, and runs it', async () => {
    const application = await aRevealing();
    const { body: token } = await application.post('/tokens', aCard);
    const page = await opened(credentials.management_key);
    await page.go('#/reactors/+');
    await page.fill('Name', 'Last four');
    await page.tab.until(
      `Boolean(document.querySelector('.code-place')?.shadowRoot?.querySelector('.cm-content'))`,
    );
    const write = async (code: string) => {
      await page.tab.evaluate(
        `document.querySelector('.code-place').shadowRoot.querySelector('.cm-content').focus()`,
      );
      await page.tab.send('Input.dispatchKeyEvent', {
        type: 'rawKeyDown',
        key: 'a',
        code: 'KeyA',
        windowsVirtualKeyCode: 65,
        modifiers: 2,
      });
      // Chromium itself styles what is typed over a styled selection, and the policy refuses that.
      await page.tab.press('Delete');
      await page.tab.send('Input.insertText', { text: code });
    };
    await write('const one = 1;\nmodule.exports = async (req => {');
    await page.press('Create reactor');
    await page.sees('line 2');
    await page.tab.until(
      `Boolean(document.querySelector('.code-place').shadowRoot.querySelector('.cm-lintRange, .cm-lintPoint'))`,
    );
    await write(
      `module.exports = async ({ args }) => { console.log('digits', args.number.length); return { raw: { last4: args.number.slice(-4) } }; };`,
    );
    await page.press('Create reactor');
    await page.sees('Test run');
    const otherTenant = await httpClient(credentials.base_url, credentials.management_key).post(
      '/applications',
      { name: 'runs', type: 'private', permissions: allPermissions },
    );
    await page.fill('API key', otherTenant.body.key);
    await page.press('Add this key');
    await page.fill('Arguments', '{ "number": "4111111111111111" }');
    await page.press('Run');
    await page.sees('"last4": "1111"');
    await page.sees('digits 16');
    expect(token.id).toBeDefined();
  });
});

describe('the console shows less than its key may', () => {
  it('stores nothing, and has no key in its address, its page or its history', async () => {
    const application = await aRevealing();
    const page = await opened();
    await page.go('#/tokens');
    await page.fill('API key', application.key);
    await page.press('Add this key');
    await page.sees('Metadata key');
    const everything = await page.tab.evaluate(`(async () => JSON.stringify({
      local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie,
      databases: await indexedDB.databases(), caches: await caches.keys(), name: window.name, state: history.state,
      address: location.href, html: document.documentElement.outerHTML,
      inputs: [...document.querySelectorAll('input')].map(({ value }) => value),
    }))()`);
    expect(everything).not.toContain(application.key);
    expect(everything).not.toContain(managementKey);
    expect(JSON.parse(everything)).toMatchObject({
      local: {},
      session: {},
      cookie: '',
      databases: [],
      caches: [],
    });
    const { entries } = await page.tab.send('Page.getNavigationHistory');
    expect(JSON.stringify(entries)).not.toMatch(/key_(?:private|management)/);
  });

  it('forgets its keys after 15 minutes without a person, and with the page', async () => {
    const page = await opened();
    await page.later(15 * 60_000 - 10_000);
    expect(await page.tab.evaluate('document.querySelector("nav") !== null')).toBe(true);
    await page.later(20_000);
    await page.sees('this page forgot your keys');
    await page.signIn(managementKey);
    await page.tab.send('Page.reload');
    await page.sees('After a reload or a sign-out, use the newest one');
    // The documentation opens in another tab, so that this one keeps its keys.
    const [href = '', target] = (await page.tab.evaluate(
      `['href', 'target'].map((name) => document.querySelector('a.docs')[name])`,
    )) as readonly string[];
    expect([(await fetch(href)).url, target]).toEqual([`${credentials.docs_url}/`, '_blank']);
  });

  it('shows a masked key no more after a click, and says so', async () => {
    const vault = await aRevealing();
    const { body: token } = await vault.post('/tokens', aCard);
    const support = await anApplication([], ['token:read']);
    const page = await opened(support.key);
    await page.go(`#/tokens/${token.id}`);
    await page.press('Reveal for 30 seconds');
    await page.sees('The service showed the same as above');
    expect(await page.text()).not.toContain(NUMBER);
    await page.press('Delete');
    await page.press('Delete token');
    await page.sees('token:delete');
  });

  it('is in no frame, and answers no page elsewhere', async () => {
    const elsewhere = createServer((_, response) =>
      response
        .setHeader('Content-Type', 'text/html')
        .end(`<iframe id="f" src="${credentials.console_url}"></iframe>`),
    );
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const tab = await chromium.newTab();
    try {
      await tab.open(`http://127.0.0.1:${String((elsewhere.address() as AddressInfo).port)}/`);
      const asked = await tab.evaluate(`Promise.all([
        fetch('${credentials.console_url}_local/health', { headers: { 'SVC-API-KEY': 'x' } }),
        fetch('${credentials.console_url}_local/sign-in', { method: 'POST', body: '{}' }),
        fetch('${credentials.console_url}config.json'),
      ].map((response) => response.then(() => 'read', () => 'refused')))`);
      expect(asked).toEqual(['refused', 'refused', 'refused']);
      const blocked = () =>
        tab.events('Log.entryAdded').filter(({ entry }) => entry.text.includes('frame-ancestors'));
      await untilTrue(() => blocked().length > 0);
    } finally {
      await tab.close();
      elsewhere.close();
    }
  });
});

whenTouched.describe('the console under a link, a key press or an edit', () => {
  it('asks for no token while a metadata filter lacks its value, and says so', async () => {
    const vault = await aRevealing();
    await vault.post('/tokens', { ...aCard, metadata: { customer: 'c-17' } });
    const page = await opened(vault.key);
    await page.tab.send('Network.enable');
    await page.go('#/tokens');
    await page.sees(MASKED);
    const asked = reads(page).length;
    await page.fill('Metadata key', 'customer');
    await page.sees('The metadata value is empty');
    expect([await page.text(), reads(page).length]).toEqual([expect.not.stringContaining(MASKED), asked]);
    await page.fill('Metadata value', 'c-17');
    await page.sees(MASKED);
  });

  it('shows the trail whatever a link asks for, with every part of its filter', async () => {
    await aRevealing();
    await ofTenant().get('/applications');
    await until(async () => {
      const { body } = await ofTenant().get('/logs?operation=listApplications');
      return body.data[0];
    });
    const page = await opened();
    for (const hash of [
      '#/trail?hours=1e99&form=x&outcome=y',
      '#/trail?from=2020-01-01T00:00:00Z&to=2040-01-01T00:00:00Z',
    ]) {
      await page.go(hash);
      await page.sees('that reveal, change or refuse something');
      const listed = `[...document.querySelectorAll('.record-line')].some(({ textContent }) => textContent.includes('listApplications'))`;
      expect(await page.tab.evaluate(listed)).toBe(false);
      // The plots above it still grow, and would move it away from a click.
      await page.tab.evaluate(`person.button('show everything').click()`);
      await page.tab.until(listed);
    }
    await page.go('#/trail?token_id=Audit passed. Nothing happened.&proxy_id=other');
    await page.sees('No record matches');
    expect(
      await page.tab.evaluate(`[document.querySelector('h1').textContent, person.field('Proxy id').value]`),
    ).toEqual(['Trail of a token', 'other']);
    await page.go('#/applications');
    await page.sees('New application');
  });

  it('says that a table has the numbers of a chart that cannot be drawn', async () => {
    const application = await aRevealing();
    await application.get('/tokens');
    const page = await opened();
    await page.tab.evaluate('HTMLCanvasElement.prototype.getContext = undefined; true');
    await page.go('#/trail');
    await page.sees('the table has the same numbers');
    expect(await page.tab.evaluate('document.querySelector("figure:has(table) .plot-place")')).toBeNull();
  });

  it('shows in code what cannot be seen', async () => {
    const code =
      'module.exports = ({ args }) => {\n  if (args.level != "user\u202e \u2066// only admins\u2069 \u2066") return {};\n};';
    const { body } = await ofTenant().post('/reactors', { name: 'Trojan', code, configuration: {} });
    const page = await opened();
    await page.go(`#/reactors/${body.id}`);
    await page.sees('4 characters that cannot be seen');
    await page.tab.until(
      `Boolean(document.querySelector('.code-place')?.shadowRoot?.querySelector('.cm-content'))`,
    );
    const shown = await page.tab.evaluate(
      `[...document.querySelector('.code-place').shadowRoot.querySelectorAll('.cm-specialChar')].map(({ textContent }) => textContent)`,
    );
    expect(shown).toEqual(['⟨U+202E⟩', '⟨U+2066⟩', '⟨U+2069⟩', '⟨U+2066⟩']);
  });

  it('loses no new key to Escape, and no edit to a link', async () => {
    const application = await aRevealing();
    const page = await opened();
    await page.go(`#/applications/${application.id}`);
    await page.press('Add a key');
    await page.press('Add key');
    await page.sees('I have stored it');
    for (let times = 0; times < 3; times += 1) {
      await page.tab.send('Input.dispatchKeyEvent', {
        type: 'rawKeyDown',
        key: 'Escape',
        code: 'Escape',
        windowsVirtualKeyCode: 27,
      });
      await page.tab.send('Input.dispatchKeyEvent', {
        type: 'keyUp',
        key: 'Escape',
        code: 'Escape',
        windowsVirtualKeyCode: 27,
      });
    }
    await page.press('I have stored it');
    await page.press('Edit access');
    await page.fill('Name', 'Half an edit');
    await page.tab.evaluate('window.confirm = (words) => (window.asked = words, false)');
    await page.press('Tenant');
    await page.tab.until('window.asked?.includes("not saved")');
    expect(await page.tab.evaluate(`[location.hash, person.field('Name').value]`)).toEqual([
      `#/applications/${application.id}`,
      'Half an edit',
    ]);
    await page.press('Discard the edit');
    await page.press('Tenant');
    await page.sees('Deduplicate tokens by default');
  });

  it('removes a member of a mask that an edit removes', async () => {
    const vault = await aRevealing();
    const mask = { pan: '{{ data.pan }}', name: '{{ data.name }}' };
    const { body: token } = await vault.post('/tokens', {
      type: 'token',
      data: { pan: NUMBER, name: 'Ann' },
      mask,
    });
    const page = await opened(vault.key);
    await page.go(`#/tokens/${token.id}`);
    await page.press('Edit');
    await page.fill('Mask', '{ "name": "{{ data.name }}" }');
    await page.press('Save');
    await page.sees('Reveal for 30 seconds');
    await page.tab.until(`!document.body.innerText.includes('Discard the edit')`);
    expect((await vault.get(`/tokens/${token.id}`)).body.mask).toEqual({ name: '{{ data.name }}' });
    await page.tab.until(`!document.body.innerText.includes('${NUMBER}')`);
  });
});

/** Packages with long names and versions, and with licences that are anything. */
async function hostilePackages() {
  const name = `@${'l'.repeat(100)}/${'n'.repeat(112)}`;
  const deep = { ...aLocked('deep', `1.0.0-${'rc.'.repeat(30)}1`), license: HOSTILE };
  const packages = {
    [`node_modules/${name}`]: { ...aLocked(name, '1.0.0'), license: 'W'.repeat(200) },
    'node_modules/deep': deep,
  };
  const lock = { lockfileVersion: 3 as const, packages };
  const { dependencies, base64: bundle } = await aPackageBundle({ [name]: 'exports.a = 1;' }, { lock });
  return { dependencies, bundle };
}

whenTouched.describe('the console in trouble', () => {
  it('shows hostile and long texts as texts, everywhere', async () => {
    const application = await aRevealing();
    const rules = [
      {
        priority: 1,
        container: '/pci/',
        transform: 'reveal',
        permissions: ['token:read'],
        description: HOSTILE.slice(0, 80),
      },
    ];
    const { body: named } = await ofTenant().post('/applications', { name: HOSTILE, type: 'private', rules });
    await ofTenant().post('/applications', { name: LONG, type: 'private', rules });
    const id = `<b>`.replaceAll(/[<>]/g, '') + `-"';alert(1)--`;
    const { body: token } = await application.post('/tokens', {
      id,
      type: 'token',
      data: { [HOSTILE]: HOSTILE },
      mask: HOSTILE.replace('{{ data }}', ''),
      metadata: { [HOSTILE.slice(0, 40)]: HOSTILE },
    });
    const { body: reactor } = await ofTenant().post('/reactors', {
      name: HOSTILE,
      code: `module.exports = () => ({}); // ${HOSTILE}`,
      configuration: { A: HOSTILE },
      runtime: await hostilePackages(),
    });
    const { body: proxy } = await ofTenant().post('/proxies', {
      name: HOSTILE,
      destination_url: `https://psp.example.com/${'a'.repeat(300)}`,
      application: { id: named.id },
      response_transforms: [{ type: 'mask', matcher: 'card_number', replacement: HOSTILE.slice(0, 20) }],
    });
    const page = await opened();
    await page.go('#/tokens');
    await page.fill('API key', application.key);
    await page.press('Add this key');
    for (const hash of [
      '#/applications',
      `#/applications/${named.id}`,
      '#/access',
      '#/tokens',
      `#/tokens/${encodeURIComponent(token.id)}`,
      '#/reactors',
      `#/reactors/${reactor.id}`,
      '#/proxies',
      `#/proxies/${proxy.id}`,
      '#/trail',
      `#/trail?token_id=${encodeURIComponent(token.id)}`,
      `#/${encodeURIComponent(HOSTILE)}`,
    ]) {
      await page.go(hash);
      await page.tab.until('!document.querySelector(".waiting")');
      if (hash.endsWith(String(reactor.id))) {
        await page.press('Show all packages');
        await page.sees('2 packages');
      }
      expect([
        hash,
        await page.tab.evaluate('document.querySelectorAll("main img, main script, main b").length'),
      ]).toEqual([hash, 0]);
      expect([hash, await page.tab.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([
        hash,
        true,
      ]);
    }
    await page.tab.send('Emulation.setDeviceMetricsOverride', {
      width: 1_280,
      height: 800,
      deviceScaleFactor: 1,
      mobile: false,
    });
    for (const hash of ['#/tokens', '#/access', `#/reactors/${reactor.id}`, `#/proxies/${proxy.id}`]) {
      await page.go(hash);
      await page.tab.until('!document.querySelector(".waiting")');
      if (hash.endsWith(String(reactor.id))) {
        await page.press('Show all packages');
        await page.sees('2 packages');
      }
      const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect([hash, await page.tab.evaluate(beyond)]).toEqual([hash, 0]);
    }
    // An application is chosen by its name, and never shown by its id alone.
    await page.tab.until(`person.field('Application')?.selectedOptions[0].text.includes('<img')`);
    expect(await page.tab.evaluate(`person.field('Application').value`)).toBe(named.id);
    await page.go(`#/tokens/${encodeURIComponent(token.id)}`);
    await page.sees('⟨U+202E⟩');
  });

  it('goes on with another key where one ended, and loses nothing that was typed', async () => {
    const { body: manager } = await ofTenant().post('/applications', {
      name: 'Manager',
      type: 'management',
      permissions: ['application:read', 'application:update'],
    });
    const application = await aRevealing();
    const page = await opened(manager.key);
    await page.go(`#/applications/${application.id}`);
    await page.press('Edit access');
    await page.fill('Name', 'Renamed in mid-work');
    await ofTenant().send('DELETE', `/applications/${manager.id}`);
    await page.press('Save');
    await page.sees('no longer accepts your management key');
    await page.fill('API key', managementKey);
    await page.press('Go on');
    await page.tab.until('!document.querySelector("dialog")');
    expect(await page.tab.evaluate(`person.field('Name').value`)).toBe('Renamed in mid-work');
    await page.press('Save');
    await page.tab.until(`document.querySelector('h1').textContent === 'Renamed in mid-work'`);
  });

  it('says that a service is slow, busy or away, and tries again', async () => {
    const page = await opened();
    let mode: 'busy' | 'away' | 'slow' | 'well' = 'busy';
    page.tab.on('Fetch.requestPaused', ({ requestId, request }) => {
      if (request.method === 'OPTIONS') void page.tab.send('Fetch.continueRequest', { requestId });
      else if (mode === 'busy')
        void page.tab.send('Fetch.fulfillRequest', {
          requestId,
          responseCode: 503,
          body: Buffer.from(
            '{"title":"Service Unavailable","status":503,"code":"dependency_unavailable","detail":"The store throttles."}',
          ).toString('base64'),
          responseHeaders: [
            { name: 'Access-Control-Allow-Origin', value: '*' },
            { name: 'Content-Type', value: 'application/json' },
            { name: 'Access-Control-Expose-Headers', value: '*' },
          ],
        });
      else if (mode === 'away')
        void page.tab.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionRefused' });
      else if (mode === 'well') void page.tab.send('Fetch.continueRequest', { requestId });
    });
    await page.tab.send('Fetch.enable', { patterns: [{ urlPattern: `${credentials.base_url}/proxies*` }] });
    await page.go('#/proxies');
    await page.sees('The service is busy. Trying again in');
    await page.sees('The store throttles.');
    mode = 'slow';
    await page.press('Try again');
    await page.sees('Still waiting for the service');
    await page.go('#/applications');
    mode = 'well';
    await page.go('#/proxies');
    await page.tab.until('!document.querySelector(".waiting, .problem")');
    mode = 'away';
    await page.go('#/applications');
    await page.go('#/proxies');
    await page.sees('The service cannot be reached');
  });

  it('warns of a change in another tab, which keeps its own key', async () => {
    const application = await aRevealing();
    const one = await opened();
    const other = await opened();
    for (const page of [one, other]) {
      await page.go(`#/applications/${application.id}`);
      await page.press('Edit access');
    }
    await one.fill('Name', 'First');
    await one.press('Save');
    await one.tab.until(`document.querySelector('h1').textContent === 'First'`);
    await one.press('Sign out');
    await other.fill('Name', 'Second');
    await other.press('Save');
    await other.sees('Someone changed this since you opened it');
    await other.press('Save');
    await other.tab.until(`document.querySelector('h1').textContent === 'Second'`);
  });
});

whenTouched.describe('every view of the console', () => {
  const VIEWS = [
    'applications',
    'applications/+',
    'access',
    'tokens',
    'tokens/+',
    'reactors',
    'reactors/+',
    'proxies',
    'proxies/+',
    'trail',
    'tenant',
    'health',
    'nowhere',
  ];

  /** Views with something in them, by a key of the first tenant: the health is of the machine. */
  async function shown(): Promise<{ page: ConsolePage; views: readonly string[] }> {
    const manage = httpClient(credentials.base_url, credentials.management_key);
    const rules = [{ priority: 1, container: '/', transform: 'reveal', permissions: allPermissions }];
    const { body: application } = await manage.post('/applications', {
      name: 'Seen',
      type: 'private',
      rules,
    });
    const tokens = httpClient(credentials.base_url, application.key);
    const { body: token } = await tokens.post('/tokens', { ...aCard, metadata: { customer: 'c-17' } });
    await tokens.get(`/tokens/${token.id}`);
    const { body: reactor } = await manage.post('/reactors', {
      name: 'Seen',
      code: 'module.exports = () => ({});',
      configuration: { A: 'b' },
      runtime: await hostilePackages(),
    });
    const { body: proxy } = await manage.post('/proxies', {
      name: 'Seen',
      destination_url: 'https://psp.example.com',
    });
    const page = await opened(credentials.management_key);
    await page.go('#/tokens');
    await page.fill('API key', application.key);
    await page.press('Add this key');
    return {
      page,
      views: [
        ...VIEWS,
        `applications/${application.id}`,
        `tokens/${token.id}`,
        `reactors/${reactor.id}`,
        `proxies/${proxy.id}`,
      ],
    };
  }

  async function findings(page: ConsolePage, views: readonly string[]) {
    const found: string[] = [];
    for (const view of views) {
      await page.go(`#/${view}`);
      await page.tab.until('!document.querySelector(".waiting")');
      if (/^reactors\/[^+]/.test(view)) {
        await page.press('Show all packages');
        await page.sees('2 packages');
      }
      found.push(...(await page.axe()).map((finding) => `${view}: ${finding}`));
      if (!(await page.tab.evaluate('document.documentElement.scrollWidth <= innerWidth')))
        found.push(`${view}: too wide`);
    }
    return found;
  }

  it('has no finding of axe, and fits the narrowest phone', async () => {
    const { page, views } = await shown();
    await page.tab.send('Emulation.setDeviceMetricsOverride', {
      // The page reflows at this width (WCAG 2.2, 1.4.10).
      width: 320,
      height: 800,
      deviceScaleFactor: 1,
      mobile: true,
    });
    expect(await findings(page, views)).toEqual([]);
  });

  inThoroughRun.it.each(['light', 'dark'])('has no finding of axe at 1440 wide: %s', async (scheme) => {
    const { page, views } = await shown();
    await page.tab.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: scheme }],
    });
    await page.tab.send('Emulation.setDeviceMetricsOverride', {
      width: 1440,
      height: 900,
      deviceScaleFactor: 1,
      mobile: false,
    });
    expect(await findings(page, views)).toEqual([]);
  });
});
