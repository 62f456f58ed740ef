import { startCheckout, sdkForBrowsers, type Checkout } from '../support/checkout.ts';
import { startChromium, type Chromium, type Tab } from '../support/chromium.ts';
import { httpClient } from '../support/http-client.ts';
import { needing } from '../support/needing.ts';
import { anApplication, aRevealingApplication, CARD, client, credentials } from '../support/service.ts';
import { inThoroughRun } from '../../packages/local-aws/test/in-thorough-run.ts';

const { describe } = needing('Chromium');

// The example of `examples/browser/`, in a browser, as a user with a keyboard sees it. The service
// is another origin.
const NUMBER = '4242424242424242';
const CVC = '737';

let chromium: Chromium;
let checkout: Checkout;
let tab: Tab;
let sdkFile: string;
let publicKey: string;
let privateKey: string;
let vault: Awaited<ReturnType<typeof aRevealingApplication>>;

const settingsOf = (key: string) => ({
  CLOAKROOM_URL: credentials.base_url,
  CLOAKROOM_PUBLIC_KEY: key,
  CLOAKROOM_PRIVATE_KEY: privateKey,
  CLOAKROOM_SDK: sdkFile,
});

const value = (id: string) => tab.evaluate(`document.getElementById('${id}').value`);
const text = (id: string) => tab.evaluate(`document.getElementById('${id}').textContent.trim()`);
const focused = () => tab.evaluate('document.activeElement.id');

async function openPage(origin = checkout.origin): Promise<void> {
  tab = await chromium.newTab();
  // Records all events of the page from the first moment on.
  await tab.send('Page.addScriptToEvaluateOnNewDocument', {
    source: `window.tokens = []; window.violations = [];
      addEventListener('token', ({ detail }) => tokens.push(detail));
      addEventListener('securitypolicyviolation', ({ blockedURI }) => violations.push(blockedURI));`,
  });
  await tab.open(`${origin}/`);
  await tab.until('!document.getElementById("submit").disabled');
}

/** The parts of a heap snapshot that this test reads (Chromium, v8/tools/heap-snapshot). */
interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly (readonly string[])[];
      readonly edge_fields: readonly string[];
    };
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly strings: readonly string[];
}

/**
 * The strings in the memory of a page. Chromium 150 also writes each number of V8's own code as a
 * string; these are left out.
 */
function textsOf({ snapshot: { meta }, nodes, edges, strings }: HeapSnapshot): string[] {
  const [node, edge] = [meta.node_fields.length, meta.edge_fields.length];
  const at = (field: string) => meta.node_fields.indexOf(field);
  const ofNumbers = new Set<number>();
  let next = 0;
  for (let index = 0; index < nodes.length; index += node) {
    const end = next + (nodes[index + at('edge_count')] ?? 0) * edge;
    const isNumber = meta.node_types[0]?.[nodes[index + at('type')] ?? 0] === 'number';
    for (; next < end; next += edge)
      if (isNumber) ofNumbers.add(edges[next + meta.edge_fields.indexOf('to_node')] ?? -1);
  }
  const texts: string[] = [];
  for (let index = 0; index < nodes.length; index += node)
    if (!ofNumbers.has(index)) texts.push(String(strings[nodes[index + at('name')] ?? 0]));
  return texts;
}

async function fill({ number = NUMBER, expiry = '1230', cvc = CVC } = {}): Promise<void> {
  await tab.evaluate(`document.getElementById('number').focus()`);
  await tab.type(number);
  await tab.press('Tab');
  await tab.type(expiry);
  await tab.press('Tab');
  await tab.type(cvc);
}

/** Waits for the masked card, and returns the token's id. */
async function whenDone(): Promise<string> {
  await tab.until('document.getElementById("masked-number").textContent !== ""');
  return await text('token-id');
}

/**
 * Responds to requests instead of the service, and like it lets other origins read the response.
 */
async function answerWith(response: (method: string, path: string) => object | undefined): Promise<void> {
  tab.on('Fetch.requestPaused', ({ requestId, request }) => {
    const { pathname } = new URL(request.url);
    const input = request.method === 'OPTIONS' ? undefined : response(request.method, pathname);
    if (input === undefined) void tab.send('Fetch.continueRequest', { requestId });
    else if ('errorReason' in input) void tab.send('Fetch.failRequest', { requestId, ...input });
    else
      void tab.send('Fetch.fulfillRequest', {
        requestId,
        responseHeaders: [
          { name: 'Access-Control-Allow-Origin', value: '*' },
          { name: 'Content-Type', value: 'application/json' },
        ],
        ...input,
      });
  });
  await tab.send('Fetch.enable', { patterns: [{ urlPattern: `${credentials.base_url}/*` }] });
}

const json = (body: unknown) => Buffer.from(JSON.stringify(body)).toString('base64');

/** Returns the requests that the page sent to the service, without the browser's preflights. */
const requests = () =>
  tab
    .events('Network.requestWillBeSent')
    .map(({ request }) => ({ method: request.method as string, url: new URL(request.url) }))
    .filter(({ method, url }) => url.origin === credentials.base_url && method !== 'OPTIONS')
    .map(({ method, url }) => `${method} ${url.pathname}`);

beforeAll(async () => {
  sdkFile = await sdkForBrowsers();
  publicKey = (await anApplication({ type: 'public', permissions: ['token:create'] })).key;
  const masked = { priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] };
  privateKey = (await anApplication({ rules: [masked] })).key;
  vault = await aRevealingApplication();
  checkout = await startCheckout(settingsOf(publicKey));
  chromium = await startChromium();
});

afterAll(async () => {
  await chromium.close();
  await checkout.stop();
});

afterEach(() => tab.close());

describe('a card typed into the page', () => {
  it('becomes one token, is shown masked through a session, and is then nowhere in the page', async () => {
    await openPage();
    await fill();
    expect([await value('number'), await value('expiry')]).toEqual(['4242 4242 4242 4242', '12 / 30']);
    await tab.press('Enter');
    const id = await whenDone();
    expect([await text('masked-number'), await text('masked-expiry')]).toEqual([
      'XXXXXXXXXXXX4242',
      '12 / 2030',
    ]);
    expect(await focused()).toBe('done-title');
    expect(await tab.evaluate('tokens')).toEqual([{ id }]);
    expect((await vault.get(`/tokens/${id}`)).body.data).toEqual({ ...CARD, cvc: CVC });
    expect(requests()).toEqual(['POST /tokens', 'POST /sessions', `GET /tokens/${id}`]);
    expect(await tab.evaluate('violations')).toEqual([]);
    expect([tab.events('Audits.issueAdded'), tab.events('Log.entryAdded')]).toEqual([[], []]);

    // Undo restores the typed text unless the field has cleared it.
    await tab.evaluate(`document.getElementById('another').click()`);
    await tab.undo();
    expect([await value('number'), await value('expiry'), await value('cvc')]).toEqual(['', '', '']);
    const cached: string = await tab.evaluate(`(async () => JSON.stringify([
      document.documentElement.outerHTML, [...document.querySelectorAll('input')].map(({ value }) => value),
      { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, await indexedDB.databases(), await caches.keys(),
      performance.getEntries().map(({ name }) => name), Object.keys(window).map((name) => String(window[name])), RegExp.input, RegExp['$&'], RegExp.lastMatch, RegExp.leftContext,
    ]))()`);
    const events = JSON.stringify([
      tab.events('Runtime.consoleAPICalled'),
      tab.events('Log.entryAdded'),
      checkout.output(),
    ]);
    for (const needle of [NUMBER, '4242 4242', CVC]) {
      // Ids, keys and ports may hold any three digits.
      const shortened = (text: string) =>
        needle === CVC ? text.replaceAll(/[\w-]{20,}|:\d+|\d+\.\d+/g, '') : text;
      expect(shortened(cached)).not.toContain(needle);
      expect(shortened(events)).not.toContain(needle);
    }
  });

  inThoroughRun.it('is in no object that scripts of the page can reach', async () => {
    await openPage();
    // The number must differ from the one in the comments of the SDK's examples.
    await fill({ number: '4000056655665556', cvc: '946' });
    await tab.press('Enter');
    await whenDone();
    await tab.send('HeapProfiler.enable');
    await tab.send('HeapProfiler.collectGarbage');
    await tab.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    const snapshot = tab.events('HeapProfiler.addHeapSnapshotChunk').map(({ chunk }) => chunk);
    const objects = textsOf(JSON.parse(snapshot.join('')) as HeapSnapshot);
    const isCard = (text: string) => text.replaceAll(' ', '').includes('400005665566') || text === '946';
    // A string that is in the page's memory is found.
    expect(objects).toContain('Enter the card number');
    expect(objects.filter(isCard)).toEqual([]);
  });

  inThoroughRun.it('does not reappear after a reload or the back button', async () => {
    await openPage();
    const typed = async () => [await value('number'), await value('expiry'), await value('cvc')];
    // After the response: a page that was left handles none.
    const soon = (statement: string) => tab.evaluate(`setTimeout(() => { ${statement} })`);
    for (const leave of ['location.reload()', `location.href = '/icon.svg'`]) {
      await fill();
      await tab.evaluate(`document.getElementById('number').dataset.left = '1'`);
      await soon(leave);
      await tab.until(
        '!document.getElementById("number")?.dataset.left && document.readyState === "complete"',
      );
      if (leave.includes('icon')) await soon('history.back()');
      await tab.until('document.getElementById("submit")?.disabled === false');
      expect(await typed()).toEqual(['', '', '']);
    }
  });

  inThoroughRun.it('creates one token however fast the button is pressed', async () => {
    await openPage();
    await fill();
    await tab.click('#submit', 3);
    await whenDone();
    expect(requests().filter((request) => request === 'POST /tokens')).toHaveLength(1);
    expect(await tab.evaluate('tokens.length')).toBe(1);
  });

  inThoroughRun.it('is formatted while the user types, and the caret stays in place', async () => {
    await openPage();
    await tab.click('#number');
    await tab.type('42424242');
    expect(await value('number')).toBe('4242 4242');
    await tab.press('Home');
    await tab.press('ArrowRight');
    await tab.type('19');
    expect(await value('number')).toBe('4192 4242 42');
    expect(await tab.evaluate('document.activeElement.selectionStart')).toBe(3);
    // Over the space: deletes the digit after it.
    for (let step = 0; step < 2; step += 1) await tab.press('ArrowRight');
    await tab.press('Backspace');
    expect(await value('number')).toBe('4194 2424 2');
    await tab.press('Delete');
    expect(await value('number')).toBe('4192 4242');
    await tab.press('End');
    for (let digit = 0; digit < 12; digit += 1) await tab.press('Backspace');
    expect(await value('number')).toBe('');
    await tab.press('Tab');
    await tab.type('3');
    expect(await value('expiry')).toBe('03');
    await tab.type('1');
    expect(await value('expiry')).toBe('03 / 1');
    await tab.press('Backspace');
    await tab.press('Backspace');
    expect(await value('expiry')).toBe('0');
  });

  inThoroughRun.it('may be pasted or filled in by the browser as a whole', async () => {
    await openPage();
    await tab.click('#number');
    await tab.send('Input.insertText', { text: ' 4242-4242 42424242 ' });
    await tab.press('Tab');
    await tab.send('Input.insertText', { text: '9/2031' });
    expect([await value('number'), await value('expiry')]).toEqual(['4242 4242 4242 4242', '09 / 2031']);
    await tab.press('Tab');
    await tab.type(CVC);
    await tab.press('Enter');
    const { body } = await vault.get(`/tokens/${await whenDone()}`);
    expect(body.data).toEqual({
      number: NUMBER,
      expiration_month: 9,
      expiration_year: 2031,
      cvc: CVC,
    });
  });
});

describe('the brand', () => {
  inThoroughRun.it.each([
    ['Visa', '4242424242424242', '4242 4242 4242 4242', '3 digits on the back'],
    ['Mastercard', '2223003122003222', '2223 0031 2200 3222', '3 digits on the back'],
    ['American Express', '378282246310005', '3782 822463 10005', '4 digits on the front'],
    ['Discover', '6011111111111117', '6011 1111 1111 1117', '3 digits on the back'],
    ['Diners Club', '30569309025904', '3056 930902 5904', '3 digits on the back'],
    ['JCB', '3530111333300000', '3530 1113 3330 0000', '3 digits on the back'],
    ['UnionPay', '6205500000000000004', '6205 5000 0000 0000 004', '3 digits on the back'],
    ['RuPay', '6073849700004947', '6073 8497 0000 4947', '3 digits on the back'],
  ])('is shown while the user types: %s', async (brand, number, formatted, hint) => {
    await openPage();
    await tab.click('#number');
    await tab.type(number.slice(0, 6));
    expect([await text('number-brand'), await text('cvc-hint')]).toEqual([brand, hint]);
    await tab.type(number.slice(6));
    await tab.press('Tab');
    expect([await value('number'), await text('number-error')]).toEqual([formatted, '']);
  });

  inThoroughRun.it('decides how many digits the security code has', async () => {
    await openPage();
    await fill({ number: '378282246310005', cvc: '123' });
    await tab.press('Enter');
    expect([await text('cvc-error'), requests()]).toEqual(['Enter the 4 digits on the front', []]);
    await tab.evaluate(`document.getElementById('cvc').focus()`);
    await tab.press('End');
    await tab.type('4');
    expect(await text('cvc-error')).toBe('');
    await tab.press('Enter');
    const { body } = await vault.get(`/tokens/${await whenDone()}`);
    expect(body.data).toMatchObject({ number: '378282246310005', cvc: '1234' });
    expect(await text('masked-number')).toBe('XXXXXXXXXXX0005');
  });
});

describe('an error in a card', () => {
  inThoroughRun.it.each([
    ['4242424242424241', '1230', CVC, 'number', 'Check the card number: a digit is wrong'],
    ['42424242424242', '1230', CVC, 'number', 'Visa numbers have 13, 16, 18 or 19 digits'],
    ['42424242424242424242', '1230', CVC, 'number', 'The card number is too long'],
    [NUMBER, '1330', CVC, 'expiry', 'The month is from 01 to 12'],
    [NUMBER, '0120', CVC, 'expiry', 'The card has expired'],
    [NUMBER, '12', CVC, 'expiry', 'Enter month and year, such as 09 / 30'],
    [NUMBER, '1230', '12', 'cvc', 'Enter the 3 digits on the back'],
  ])('is shown at its field, and nothing is sent: %s %s %s', async (number, expiry, cvc, field, problem) => {
    await openPage();
    await fill({ number, expiry, cvc });
    await tab.press('Enter');
    expect(await text(`${field}-error`)).toBe(problem);
    expect(
      await tab.evaluate(`[...document.querySelectorAll('[aria-invalid=true]')].map(({ id }) => id)`),
    ).toEqual([field]);
    expect([await focused(), requests()]).toEqual(['summary', []]);
  });

  inThoroughRun.it(
    'is in a summary with a link to each field, and disappears as soon as it is solved',
    async () => {
      await openPage();
      await tab.click('#number');
      await tab.press('Enter');
      const links = () =>
        tab.evaluate(`[...document.querySelectorAll('#summary a')].map(({ textContent }) => textContent)`);
      expect(await links()).toEqual([
        'Enter the card number',
        'Enter the expiry date',
        'Enter the 3 or 4 digits',
      ]);
      // The keyboard alone reaches the second link of the summary, and through it the field.
      await tab.press('Tab');
      await tab.press('Tab');
      await tab.press('Enter');
      expect(await focused()).toBe('expiry');
      await tab.type('1230');
      expect([await text('expiry-error'), await links()]).toEqual([
        '',
        ['Enter the card number', 'Enter the 3 or 4 digits'],
      ]);
      await tab.press('Tab', { shift: true });
      await tab.type('4');
      expect(await text('number-error')).toBe('Visa numbers have 13, 16, 18 or 19 digits');
      await tab.type(NUMBER.slice(1));
      expect([await text('number-error'), await links()]).toEqual(['', ['Enter the 3 digits on the back']]);
      for (let step = 0; step < 2; step += 1) await tab.press('Tab');
      await tab.type(CVC);
      expect(await tab.evaluate('document.getElementById("summary").hidden')).toBe(true);
      await tab.press('Tab');
      expect(await focused()).toBe('submit');
      await tab.press('Enter');
      await whenDone();
    },
  );

  inThoroughRun.it('is not shown while the user is still typing', async () => {
    await openPage();
    await tab.click('#number');
    await tab.type('4242');
    expect(await text('number-error')).toBe('');
    await tab.type('424242424242');
    await tab.press('Tab');
    await tab.type('1');
    expect([await text('number-error'), await text('expiry-error')]).toEqual(['', '']);
  });
});

describe('a failure', () => {
  const problem = (status: number, errors?: object) => ({
    responseCode: status,
    body: json({ title: 'Something', status, errors }),
  });

  inThoroughRun.it.each([
    [
      'when the service rejects the card',
      problem(400, { 'data.number': ['is not a card number'] }),
      'The vault does not accept this card. Check your input.',
      'The vault does not accept this',
    ],
    ['when the service does not work', problem(503), 'The vault is busy. Try again in a moment.', ''],
    [
      'when there is no network',
      { errorReason: 'ConnectionFailed' },
      'The vault is unreachable. Check your connection and try again.',
      '',
    ],
  ])(
    '%s is shown, clears the security code, and allows a retry',
    async (_name, failing, message, atNumber) => {
      await openPage();
      let isWorking = false;
      await answerWith((method, path) =>
        !isWorking && method === 'POST' && path === '/tokens' ? failing : undefined,
      );
      await fill();
      await tab.press('Enter');
      await tab.until('!document.getElementById("summary").hidden');
      expect([await text('summary-title'), await text('number-error')]).toEqual([message, atNumber]);
      expect([await focused(), await value('number'), await value('expiry'), await value('cvc')]).toEqual([
        'summary',
        '4242 4242 4242 4242',
        '12 / 30',
        '',
      ]);
      expect(await tab.evaluate('tokens')).toEqual([]);
      isWorking = true;
      await tab.evaluate(`document.getElementById('cvc').focus()`);
      await tab.type(CVC);
      await tab.press('Enter');
      const { body } = await vault.get(`/tokens/${await whenDone()}`);
      expect(body.data).toEqual({ ...CARD, cvc: CVC });
    },
  );

  inThoroughRun.it(
    'a failure of the first attempt alone is not shown: the retry has the same idempotency key',
    async () => {
      await openPage();
      let tries = 0;
      await answerWith((method, path) => {
        if (method !== 'POST' || path !== '/tokens') return undefined;
        tries += 1;
        return tries === 1 ? problem(503) : undefined;
      });
      await fill();
      await tab.press('Enter');
      await whenDone();
      const keys = tab
        .events('Network.requestWillBeSent')
        .filter(({ request }) => request.method === 'POST' && request.url.endsWith('/tokens'))
        .map(({ request }) => request.headers['SVC-IDEMPOTENCY-KEY']);
      expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    },
  );

  inThoroughRun.it('a failure to show the card is reported separately: the card is saved', async () => {
    await openPage();
    await answerWith((method, path) =>
      method === 'POST' && path === '/sessions' ? problem(503) : undefined,
    );
    await fill();
    await tab.press('Enter');
    await tab.until('!document.getElementById("read-error").hidden');
    expect(await text('read-error')).toBe('The card is saved, but it cannot be shown now.');
    expect((await vault.get(`/tokens/${await text('token-id')}`)).status).toBe(200);
  });

  inThoroughRun.it('a failure for a missing permission is shown', async () => {
    const powerless = await anApplication({ type: 'public', permissions: ['token:update'] });
    const other = await startCheckout(settingsOf(powerless.key));
    try {
      await openPage(other.origin);
      await fill();
      await tab.press('Enter');
      await tab.until('!document.getElementById("summary").hidden');
      expect(await text('summary-title')).toBe('This page may not save cards. Please tell the shop.');
    } finally {
      await other.stop();
    }
  });
});

describe('the keys of the page', () => {
  it('read nothing alone, and through its session one token only, masked', async () => {
    const other = (await vault.post('/tokens', { type: 'card', data: CARD })).body.id as string;
    await openPage();
    await fill();
    await tab.press('Enter');
    const id = await whenDone();
    const keyOf = ({ request }: any): string | undefined => request.headers['SVC-API-KEY'];
    const sent = tab.events('Network.requestWillBeSent').filter((event) => keyOf(event) !== undefined);
    const keys = [...new Set(sent.map(keyOf))];
    expect(keys).toEqual([publicKey, expect.any(String)]);
    const sessionKey = String(keys[1]);
    expect((await client(publicKey).get(`/tokens/${id}`)).status).toBe(403);
    expect((await client(sessionKey).get(`/tokens/${id}`)).body.data.number).toBe('XXXXXXXXXXXX4242');
    expect((await client(sessionKey).get(`/tokens/${other}`)).status).toBe(403);
    expect((await client(sessionKey).delete(`/tokens/${id}`)).status).toBe(403);
    expect(await tab.evaluate('document.documentElement.outerHTML')).not.toContain(sessionKey);
  });
});

describe('the server of the page', () => {
  it('authorizes a session for one card only, and never for another type of token', async () => {
    await openPage();
    const { body: note } = await vault.post('/tokens', { type: 'token', data: 'a note', mask: '{{ data }}' });
    const { body: session } = await client(publicKey).post('/sessions');
    const body = { nonce: session.nonce, token_id: note.id };
    const authorized = await httpClient(checkout.origin, undefined).post('/authorize', body);
    expect(authorized.status).toBe(204);
    expect((await client(session.session_key).get(`/tokens/${note.id as string}`)).status).toBe(403);
  });

  it('lets the page load only its own files and connect only to the service', async () => {
    await openPage();
    const { headers } = await fetch(`${checkout.origin}/`);
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ${credentials.base_url}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual([
      'no-referrer',
      'no-store',
    ]);
    const escape = await tab.evaluate(
      `fetch('https://elsewhere.example/').then(() => 'sent', () => new Promise((resolve) => setTimeout(() => resolve(violations), 50)))`,
    );
    expect(escape).toEqual(['https://elsewhere.example/']);
  });

  it('serves nothing else, and survives malformed requests', async () => {
    await openPage();
    const visitor = httpClient(checkout.origin, undefined);
    for (const path of ['/server.js', '/../server.js', '//', '/constructor', '/README.md'])
      expect((await visitor.get(path)).status).toBe(404);
    const authorize = (options: object) => visitor.send('POST', '/authorize', options);
    const body = { nonce: 'unknown', token_id: 'unknown' };
    expect((await authorize({ body })).status).toBe(502);
    expect((await authorize({ body: { nonce: [] } })).status).toBe(400);
    expect((await authorize({ raw: '{', headers: { 'Content-Type': 'application/json' } })).status).toBe(400);
    expect((await authorize({ body: { nonce: 'x'.repeat(3_000), token_id: 'y' } })).status).toBe(400);
    // A form of another site can send this without a preflight.
    const asForm = { raw: JSON.stringify(body), headers: { 'Content-Type': 'text/plain' } };
    expect((await authorize(asForm)).status).toBe(415);
    expect(checkout.output()).not.toContain(privateKey);
  });
});

describe('accessibility of the page', () => {
  inThoroughRun.it('gives every field a name, a description and a state', async () => {
    await openPage();
    await tab.click('#number');
    await tab.press('Enter');
    await tab.send('Accessibility.enable');
    const { nodes } = await tab.send('Accessibility.getFullAXTree');
    const property = (node: any, name: string) =>
      node.properties?.find((one: any) => one.name === name)?.value.value;
    const fields = nodes
      .filter(({ role }: any) => role?.value === 'textbox')
      .map((node: any) => [
        node.name.value,
        node.description?.value,
        property(node, 'invalid'),
        property(node, 'required'),
      ]);
    expect(fields.sort()).toEqual([
      ['Card number', 'Enter the card number', 'true', true],
      ['Expiry date', expect.stringMatching(/^Enter the expiry date For example/), 'true', true],
      ['Security code', 'Enter the 3 or 4 digits 3 or 4 digits', 'true', true],
    ]);
    const named = (role: string) =>
      nodes
        .filter((node: any) => node.role?.value === role && !node.ignored)
        .map(({ name }: any) => name.value);
    expect([named('button'), named('heading')]).toEqual([
      ['Save card'],
      ['Add a card', 'Please check the card'],
    ]);
    const attributes = await tab.evaluate(
      `[...document.querySelectorAll('input')].map(({ autocomplete, inputMode, name }) => [autocomplete, inputMode, name])`,
    );
    expect(attributes).toEqual([
      ['cc-number', 'numeric', ''],
      ['cc-exp', 'numeric', ''],
      ['cc-csc', 'numeric', ''],
    ]);
    expect(await tab.evaluate(`document.getElementById('number-brand').ariaLive`)).toBe('polite');
  });

  // WCAG 2.2, 1.4.3 and 1.4.11: relative luminance of sRGB colours.
  const CONTRAST = `(() => {
    const rgb = (color) => color.match(/[\\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => { const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)); return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
    const ground = (element) => { for (let at = element; at; at = at.parentElement) { const color = rgb(getComputedStyle(at).backgroundColor); if (color[3] !== 0) return color; } return [255, 255, 255]; };
    const ratio = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
    const seen = (element) => element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    const texts = [...document.querySelectorAll('main *')].filter(seen).filter((element) => !element.closest('.card'))
      .map((element) => [element.id || element.className || element.localName, ratio(rgb(getComputedStyle(element).color), ground(element)), 4.5]);
    const fields = [...document.querySelectorAll('input')].filter((element) => element.checkVisibility()).flatMap((element) => [
      [element.id + ' text', ratio(rgb(getComputedStyle(element).color), ground(element)), 4.5],
      [element.id + ' placeholder', ratio(rgb(getComputedStyle(element, '::placeholder').color), ground(element)), 4.5],
      [element.id + ' border', ratio(rgb(getComputedStyle(element).borderTopColor), ground(element.parentElement)), 3],
    ]);
    return [...texts, ...fields];
  })()`;

  inThoroughRun.it.each(['light', 'dark'])('has enough contrast: %s', async (scheme) => {
    await openPage();
    await tab.send('Emulation.setEmulatedMedia', {
      features: [
        { name: 'prefers-color-scheme', value: scheme },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ],
    });
    const measured: [string, number, number][] = await tab.evaluate(CONTRAST);
    await fill({ number: '378282246310006', expiry: '1', cvc: '1' });
    await tab.press('Enter');
    measured.push(...(await tab.evaluate(CONTRAST)));
    for (const id of ['number', 'expiry', 'cvc'])
      await tab.evaluate(`document.getElementById('${id}').value = ''`);
    await fill();
    await tab.press('Enter');
    await whenDone();
    measured.push(...(await tab.evaluate(CONTRAST)));
    expect(measured.map(([name]) => name)).toEqual(
      expect.arrayContaining(['number-error', 'number border', 'number-brand', 'submit-text', 'token-id']),
    );
    expect(measured.filter(([, ratio, least]) => !(ratio >= least))).toEqual([]);
  });

  inThoroughRun.it('shows the focus, and fits the screen of a phone', async () => {
    await openPage();
    await tab.send('Emulation.setDeviceMetricsOverride', {
      width: 320,
      height: 640,
      deviceScaleFactor: 2,
      mobile: true,
    });
    for (const expected of ['number', 'expiry', 'cvc', 'submit']) {
      await tab.press('Tab');
      const { outlineStyle, outlineWidth } = await tab.evaluate(
        '(({ outlineStyle, outlineWidth }) => ({ outlineStyle, outlineWidth }))(getComputedStyle(document.activeElement))',
      );
      expect([await focused(), outlineStyle, outlineWidth]).toEqual([expected, 'solid', '3px']);
    }
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });
});
