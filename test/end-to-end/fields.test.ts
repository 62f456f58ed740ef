import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startCheckout, type Checkout } from '../support/checkout.ts';
import { startChromium, type Chromium, type Frame } from '../support/chromium.ts';
import { heapTexts, openFields, servePages, type FieldsPage, type Pages } from '../support/fields-page.ts';
import { needing } from '../support/needing.ts';
import { until } from '../../packages/test-kit/src/until.ts';
import { FIELD_KINDS } from '../../packages/fields/src/protocol.ts';
import { anApplication, aRevealingApplication, client, credentials } from '../support/service.ts';
import { inThoroughRun, whenTouched } from '../../packages/test-kit/src/which-runs.ts';

const { describe } = needing('Chromium');

// Card fields in the shop of `examples/browser/`, as a person with a keyboard sees it, and in pages
// of this test. The pages are of another site than the fields, so the frames have other processes.
const NUMBER = '5425233430109903';
const CVC = '846';
const CARD = { number: NUMBER, expiration_month: 12, expiration_year: 2030, cvc: CVC };

let chromium: Chromium;
let checkout: Checkout;
let pages: Pages;
let publicKey: string;
let updatingKey: string;
let vault: Awaited<ReturnType<typeof aRevealingApplication>>;
let page: FieldsPage;

beforeAll(async () => {
  publicKey = (await anApplication({ type: 'public', permissions: ['token:create'] })).key;
  updatingKey = (await anApplication({ type: 'public', permissions: ['token:create', 'token:update'] })).key;
  const masked = { priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] };
  vault = await aRevealingApplication();
  [checkout, chromium, pages] = await Promise.all([
    startCheckout({
      CLOAKROOM_URL: credentials.base_url,
      CLOAKROOM_FIELDS_URL: credentials.fields_url,
      CLOAKROOM_PUBLIC_KEY: publicKey,
      CLOAKROOM_PRIVATE_KEY: (await anApplication({ rules: [masked] })).key,
    }),
    startChromium(),
    servePages(),
  ]);
});

afterAll(async () => {
  await Promise.all([chromium.close(), checkout.stop(), pages.close()]);
});

afterEach(() => page.tab.close());

const { stringify } = JSON;
const text = (id: string) => page.tab.evaluate(`document.getElementById('${id}').textContent.trim()`);
const requests = () => page.requests(credentials.base_url);

async function openShop(): Promise<void> {
  page = await openFields(
    chromium,
    `${checkout.origin}/`,
    `window.tokens = []; addEventListener('token', ({ detail }) => tokens.push(detail));`,
  );
  await page.tab.until(`document.querySelectorAll('[data-ready]').length >= 3`);
}

async function fillShop({ number = NUMBER, expiry = '1230', cvc = CVC } = {}): Promise<void> {
  await page.type('#number', number);
  await page.tab.press('Tab');
  await page.type('#expiry', expiry);
  await page.tab.press('Tab');
  await page.type('#cvc', cvc);
}

/** Waits for the masked card, and returns the token's id. */
async function whenSaved(): Promise<string> {
  await page.tab.until('document.getElementById("masked-number").textContent !== ""');
  return text('token-id');
}

/**
 * A page with the three fields of a card, and `submit()`, whose outcome is `outcome`. `states` has
 * every state that each field reported, and `events` all others.
 */
async function openPage({
  key = publicKey,
  options = '',
  more = '',
  fieldsUrl = credentials.fields_url,
  before = '',
} = {}) {
  const html = `<!doctype html><html lang="en"><title>Pay</title><body>
    <main><h1>Pay</h1>${['number', 'expiry', 'cvc'].map((id) => `<div id="${id}" style="height: 40px"></div>`).join('')}</main>
    <script type="module">
      import { createFields, FieldsError } from '${credentials.fields_url}/fields.js';
      const fields = createFields({ fieldsUrl: '${fieldsUrl}', baseUrl: '${credentials.base_url}', apiKey: '${key}', ${options} });
      const [number, expiry, cvc] = ['card_number', 'card_expiration', 'card_cvc'].map((kind) => fields.field(kind));
      Object.assign(window, { fields, number, expiry, cvc, createFields, FieldsError, states: {}, events: [] });
      for (const field of [number, expiry, cvc]) {
        states[field.kind] = [];
        field.on('change', (state) => states[field.kind].push(state));
        for (const event of ['ready', 'focus', 'blur', 'enter', 'error']) field.on(event, (detail) => events.push([field.kind, event, detail?.code]));
      }
      window.card = () => ({ type: 'card', data: { number, expiration_month: expiry.month, expiration_year: expiry.year, cvc } });
      window.settled = (promise) => promise.then((result) => ({ result }), ({ name, code, status, serviceCode, message, fields }) => ({ name, code, status, serviceCode, message, kinds: fields?.map(({ kind }) => kind) }));
      window.submit = () => (window.outcome = undefined, settled(fields.createToken(card())).then((outcome) => (window.outcome = outcome)));
      number.mount('#number'); expiry.mount('#expiry'); cvc.mount('#cvc');
      ${more}
    </script></body></html>`;
  page = await openFields(chromium, pages.add(html), before);
}

/** Opens a page with a plain input, and a field of each kind. */
async function openAllKinds(): Promise<void> {
  page = await openFields(
    chromium,
    pages.add(`<!doctype html><html lang="en"><input id="plain">
      ${FIELD_KINDS.map((kind) => `<div id="${kind}" style="height: 40px"></div>`).join('')}
      <script type="module">
        import { createFields } from '${credentials.fields_url}/fields.js';
        const fields = createFields({ apiKey: '${publicKey}' });
        window.each = Object.fromEntries(${stringify(FIELD_KINDS)}.map((kind) => [kind, fields.field(kind, kind === 'text' ? { maxLength: 5 } : {})]));
        window.fields = fields;
        for (const kind of Object.keys(each)) each[kind].mount('#' + kind);
      </script>`),
  );
}

/** Serves the fields from another address, with a changed page of the frames. */
async function serveFields(change: (html: string) => string | Promise<string>) {
  const server = createServer(({ url = '/' }, response) => {
    void (async () => {
      const found = await fetch(credentials.fields_url + url);
      const type = found.headers.get('content-type') ?? '';
      const text = await found.text();
      response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' });
      response.end(url.includes('frame.html') ? await change(text) : text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${String(port)}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function fillPage({ number = NUMBER, expiry = '12/30', cvc = CVC } = {}): Promise<void> {
  await page.type('#number', number);
  await page.type('#expiry', expiry);
  await page.type('#cvc', cvc);
}

/** Composes a character at a time; `meanwhile` is what a page does in the middle of it. */
async function compose(characters: string, meanwhile = 'undefined'): Promise<void> {
  const at = Math.ceil(characters.length / 2);
  for (let end = 1; end <= characters.length; end += 1) {
    await page.tab.send('Input.imeSetComposition', {
      text: characters.slice(0, end),
      selectionStart: end,
      selectionEnd: end,
    });
    if (end === at) await page.tab.evaluate(meanwhile);
  }
  await page.tab.send('Input.insertText', { text: characters });
}

/** Responds to what the frames send to the service: `undefined` lets a request through. */
async function answerWith(respond: (attempt: number) => object | undefined): Promise<void> {
  let attempts = 0;
  page.tab.onFrames('Fetch.requestPaused', ({ requestId, request }, frame) => {
    const response = request.method === 'OPTIONS' ? undefined : respond((attempts += 1));
    const reply = (method: string, more: object = {}) =>
      void frame.send(`Fetch.${method}`, { requestId, ...more }).catch(() => undefined);
    if (response === undefined) reply('continueRequest');
    else if ('errorReason' in response) reply('failRequest', response);
    else
      reply('fulfillRequest', {
        responseHeaders: [
          { name: 'Access-Control-Allow-Origin', value: '*' },
          { name: 'Content-Type', value: 'application/json' },
        ],
        ...response,
      });
  });
  const frame = await page.frame('card_number');
  await frame.send('Fetch.enable', { patterns: [{ urlPattern: `${credentials.base_url}/*` }] });
}

const idempotencyKeys = () => requests().map(({ headers }) => headers['svc-idempotency-key']);

describe('a card typed into the fields of the shop', () => {
  it('becomes one token, which the page learns the id of, and nothing of the card', async () => {
    await openShop();
    const entries = await page.tab.evaluate('history.length');
    await fillShop();
    expect(await page.text('card_number')).toBe('5425 2334 3010 9903');
    expect(await page.text('card_expiration')).toBe('12 / 30');
    await page.tab.press('Enter');
    const id = await whenSaved();
    expect([await text('masked-number'), await text('masked-expiry')]).toEqual([
      'XXXXXXXXXXXX9903',
      '12 / 2030',
    ]);
    expect((await vault.get(`/tokens/${id}`)).body.data).toEqual(CARD);
    expect(await page.tab.evaluate('tokens')).toEqual([{ id }]);
    const [sent, ...others] = requests();
    expect(others).toEqual([]);
    expect([sent?.method, sent?.path, sent?.headers['svc-transform']]).toEqual(['POST', '/tokens', 'redact']);
    expect(await page.complaints()).toEqual([]);
    expect(await page.tab.evaluate('history.length')).toBe(entries);
    // The fields are empty for the next card.
    for (const kind of ['card_number', 'card_expiration', 'card_cvc']) expect(await page.text(kind)).toBe('');

    const reached: string = await page.tab.evaluate(`(async () => JSON.stringify([
      document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state,
      await indexedDB.databases(), await caches.keys(), performance.getEntries().map(({ name }) => name),
    ]))()`);
    const ofPage = stringify([
      reached,
      page.tab.events('Network.requestWillBeSent').map(({ request }) => [request.url, request.postData]),
      checkout.output(),
    ]);
    const isCard = (found: string) =>
      found.replaceAll(' ', '').includes(NUMBER.slice(0, 12)) || found === CVC;
    expect(isCard(ofPage)).toBe(false);
    const inMemory = await heapTexts(page.tab);
    // A string that is in the memory of the page is found.
    expect(inMemory).toContain('Saving the card');
    expect(inMemory.filter(isCard)).toEqual([]);
    // The storages of the fields' own origin have nothing either.
    for (const frame of page.tab.frames())
      expect(
        await frame.evaluate(
          `(async () => [{ ...localStorage }, { ...sessionStorage }, document.cookie, await indexedDB.databases(), await caches.keys(), location.search + location.hash, history.state])()`,
        ),
      ).toEqual([{}, {}, '', [], [], '', null]);
  });

  it('is checked before it is sent: problems are shown, and the first one has the focus', async () => {
    await openShop();
    await fillShop({ number: '5425233430109904', expiry: '0121', cvc: '8' });
    await page.tab.press('Enter');
    await page.tab.until(`document.querySelector('#number[data-focused]')`);
    expect([await text('number-error'), await text('expiry-error'), await text('cvc-error')]).toEqual([
      'Check the card number',
      'This date is in the past',
      'The security code is not complete',
    ]);
    const number = await page.frame('card_number');
    expect(
      await number.evaluate(
        `(({ ariaInvalid, ariaRequired, spellcheck, labels }) => [ariaInvalid, ariaRequired, spellcheck, labels[0].textContent, document.getElementById('problem').textContent])(document.querySelector('#input'))`,
      ),
    ).toEqual(['true', 'true', false, 'Card number', 'Check the card number']);
    expect(requests()).toEqual([]);
    await page.tab.press('Backspace');
    await page.tab.type('3');
    await page.tab.until(`document.getElementById('number-error').textContent === ''`);
    expect(await number.evaluate(`document.querySelector('#input').ariaInvalid`)).toBeNull();
  });

  whenTouched.it(
    'has no accessibility finding, in the page and in the frames, with problems and without',
    async () => {
      await openShop();
      expect(await page.axe()).toEqual([]);
      await fillShop({ number: '5425', expiry: '13', cvc: '' });
      await page.tab.press('Enter');
      await page.tab.until(`document.getElementById('expiry-error').textContent !== ''`);
      expect(await page.axe()).toEqual([]);
      expect(
        await page.tab.evaluate(`[...document.querySelectorAll('iframe')].map(({ title }) => title)`),
      ).toEqual(['Card number', 'Expiry date', 'Security code']);
    },
  );
});

describe('a request of the fields', () => {
  it('is retried under one idempotency key while the service is busy, and creates one token', async () => {
    await openPage();
    await fillPage();
    await answerWith((attempt) => (attempt <= 2 ? { responseCode: 503, body: btoa('{}') } : undefined));
    // A second press meanwhile gets the same token.
    const both = await page.tab.evaluate('Promise.all([submit(), submit()])');
    expect(both[0].result.id).toEqual(expect.any(String));
    expect(both[1]).toEqual(both[0]);
    expect(Object.keys(both[0].result).toSorted()).toEqual([
      'containers',
      'created_at',
      'id',
      'metadata',
      'tenant_id',
      'type',
    ]);
    expect(idempotencyKeys()).toHaveLength(3);
    expect(new Set(idempotencyKeys()).size).toBe(1);
  });

  it('whose response was lost creates no second token when it is sent again', async () => {
    await openPage();
    await fillPage();
    const lost = { errorReason: 'ConnectionReset' };
    await answerWith((attempt) => (attempt <= 4 ? lost : undefined));
    expect(await page.tab.evaluate('submit()')).toMatchObject({ name: 'FieldsError', code: 'unavailable' });
    const again = await page.tab.evaluate('submit()');
    expect(again.result.id).toEqual(expect.any(String));
    expect(new Set(idempotencyKeys()).size).toBe(1);
    // Another request is a new one.
    const next = await page.tab.evaluate('submit()');
    expect(next.result.id).not.toBe(again.result.id);
    expect(new Set(idempotencyKeys()).size).toBe(2);
  });

  it('is refused with the code of the service, and nothing of what was typed', async () => {
    await openPage({ key: publicKey.slice(0, -1) + (publicKey.endsWith('2') ? '3' : '2') });
    await fillPage();
    const refused = await page.tab.evaluate('submit()');
    expect(refused).toMatchObject({
      code: 'refused',
      status: 401,
      serviceCode: 'unauthenticated',
      kinds: [],
    });
    expect(refused.message).toBe('The service refused the request.');
    await openPage({ key: publicKey });
    await fillPage();
    // Another file of this tenant expects that no card equals the typed one.
    const { body } = await vault.post('/tokens', { type: 'card', data: { ...CARD, expiration_year: 2031 } });
    expect(
      await page.tab.evaluate(`settled(fields.update('${body.id as string}', { data: { cvc } }))`),
    ).toMatchObject({ serviceCode: 'forbidden', message: expect.stringContaining('needs token:update in') });
  });

  it('rejects with `incomplete` and the fields that are not ready', async () => {
    await openPage();
    await page.type('#number', NUMBER);
    await page.type('#cvc', '1');
    expect(await page.tab.evaluate('submit()')).toMatchObject({
      code: 'incomplete',
      kinds: ['card_expiration', 'card_cvc'],
    });
    expect(requests()).toEqual([]);
  });

  it('rejects with `unmounted` when a field is removed meanwhile, and works again after that', async () => {
    await openPage();
    await fillPage();
    await answerWith(() => ({ errorReason: 'Aborted' }));
    const outcome = page.tab.evaluate(
      `(() => { const waiting = submit(); setTimeout(() => number.unmount(), 100); return waiting; })()`,
    );
    expect(await outcome).toMatchObject({ code: 'unmounted' });
    await page.tab.evaluate(`number.mount('#number')`);
    await page.type('#number', NUMBER);
    expect((await page.tab.evaluate('submit()')).result.id).toEqual(expect.any(String));
    // An element that another script removes is noticed too.
    await page.tab.evaluate(`document.querySelector('#number iframe').remove()`);
    expect(await page.tab.evaluate('submit()')).toMatchObject({ code: 'unmounted' });
  });

  it('can be aborted, changes a cvc, and tokenizes any shape', async () => {
    await openPage({ key: updatingKey });
    await fillPage();
    const aborted = `(() => { const c = new AbortController(); const p = settled(fields.createToken(card(), { signal: c.signal })); c.abort(); return p; })()`;
    expect(await page.tab.evaluate(aborted)).toMatchObject({ code: 'aborted' });
    const shape = await page.tab.evaluate(
      `settled(fields.tokenize({ card: card(), plain: 'note', list: [number] }))`,
    );
    expect(shape.result).toEqual({
      card: expect.objectContaining({ type: 'card', id: expect.any(String) }),
      plain: expect.any(String),
      list: [expect.any(String)],
    });
    const { id } = shape.result.card;
    expect((await vault.get(`/tokens/${id}`)).body.data).toEqual(CARD);
    expect((await vault.get(`/tokens/${shape.result.list[0]}`)).body.data).toBe(NUMBER);
    await page.empty('cvc');
    await page.type('#cvc', '111');
    const changed = await page.tab.evaluate(`settled(fields.update('${id}', { data: { cvc } }))`);
    expect(changed.result.id).toBe(id);
    expect((await vault.get(`/tokens/${id}`)).body.data).toEqual({ ...CARD, cvc: '111' });
  });

  it('changes no token of another type, whose mask could show a cvc', async () => {
    const prepared = { type: 'token', data: { cvc: 'none' }, mask: { cvc: '{{ data.cvc }}' } };
    const { body } = await client(updatingKey).post('/tokens', prepared);
    await openPage({ key: updatingKey });
    await fillPage();
    expect(
      await page.tab.evaluate(`settled(fields.update('${body.id as string}', { data: { cvc } }))`),
    ).toMatchObject({
      code: 'refused',
      status: 400,
    });
    expect((await vault.get(`/tokens/${body.id as string}`)).body.data).toEqual({ cvc: 'none' });
  });
});

describe('a page with fields', () => {
  it('gets an error from a frame that does not load, and for each request', async () => {
    await openPage({ fieldsUrl: 'http://localhost:1', options: 'loadTimeoutMs: 300' });
    await page.tab.until('events.filter(([, event]) => event === "error").length >= 3');
    expect(await page.tab.evaluate('new Set(events.map(([, event, code]) => event + code)).size')).toBe(1);
    expect(await page.tab.evaluate('events[0].slice(1)')).toEqual(['error', 'frame_unavailable']);
    expect(await page.tab.evaluate('submit()')).toMatchObject({ code: 'frame_unavailable' });
  });

  it('writes a failure that it does not listen to into its console, as one line', async () => {
    const before = 'window.lines = []; console.error = (...line) => lines.push(line);';
    await openPage({
      before,
      more: `createFields({ fieldsUrl: 'http://localhost:1', apiKey: '${publicKey}', loadTimeoutMs: 300 }).field('text').mount('main');`,
    });
    await page.tab.until('lines.length > 0');
    expect(await page.tab.evaluate('lines')).toEqual([
      ['frame_unavailable', expect.stringMatching(/^No field came from http:\/\/localhost:1:/)],
    ]);
  });

  const oldBrowser = 'delete Document.prototype.adoptedStyleSheets;';

  it('gets an error at once in a browser that is too old', async () => {
    await openPage({ before: oldBrowser });
    await page.tab.until('events.length >= 3');
    expect(await page.tab.evaluate('events')).toEqual(
      ['card_number', 'card_expiration', 'card_cvc'].map((kind) => [kind, 'error', 'browser_unsupported']),
    );
    expect(await page.tab.evaluate('[submit(), document.querySelector("iframe")][1]')).toBeNull();
    expect(await page.tab.evaluate('submit()')).toMatchObject({ code: 'browser_unsupported' });
    const define = `import('${credentials.fields_url}/fields.js').then(({ defineFieldElement }) => settled(new Promise(() => defineFieldElement())))`;
    expect(await page.tab.evaluate(define)).toMatchObject({
      name: 'FieldsError',
      code: 'browser_unsupported',
    });
  });

  it('gets the error of a frame whose browser is too old', async () => {
    const old = await serveFields((text) => text.replace('<head>', `<head><script>${oldBrowser}</script>`));
    await openPage({ fieldsUrl: old.url });
    await page.tab.until('events.filter(([, event]) => event === "error").length >= 3');
    expect(await page.tab.evaluate('new Set(events.map(([, event, code]) => event + code)).size')).toBe(1);
    expect(await page.tab.evaluate('submit()')).toMatchObject({ code: 'browser_unsupported' });
    old.close();
  });

  it('works once a frame answers that was slower than the wait', async () => {
    // The page is not open before its frames are, so that nothing else can release them.
    const slow = await serveFields(async (text) => {
      await sleep(2_000);
      return text;
    });
    await openPage({ fieldsUrl: slow.url, options: 'loadTimeoutMs: 300' });
    await page.tab.until('events.filter(([, event]) => event === "error").length >= 3');
    await page.tab.until(`document.querySelectorAll('[data-ready]').length >= 3`);
    await fillPage();
    expect((await page.tab.evaluate('submit()')).result.id).toEqual(expect.any(String));
    slow.close();
  });

  it('mounts a field once, may mount it again, and has several forms beside each other', async () => {
    await openPage({
      more: `window.problems = [() => number.mount('#number'), () => fields.field('card_cvc').mount('#none'), () => fields.field('iban'), () => createFields({ apiKey: 'a', session: 'b' }), () => fields.field('text').mount(document.createElement('div'))].map((act) => { try { act(); return ''; } catch ({ name }) { return name; } });
        const second = createFields({ apiKey: '${publicKey}' }).field('card_number'); second.mount(document.body.appendChild(Object.assign(document.createElement('div'), { id: 'second' })));`,
    });
    expect(await page.tab.evaluate('problems')).toEqual(Array(5).fill('TypeError'));
    await page.type('#second', '4');
    await page.tab.until(`document.querySelector('#second:not([data-empty])') !== null`);
    expect(await page.tab.evaluate('[number.state.empty, states.card_number.length]')).toEqual([true, 1]);
    await page.tab.evaluate(`number.unmount(); number.unmount(); number.mount('#number')`);
    await fillPage();
    expect((await page.tab.evaluate('submit()')).result.id).toEqual(expect.any(String));
  });

  it('changes the language, direction and style of its fields while a person types', async () => {
    await openPage();
    await page.type('#number', '54');
    await page.tab.evaluate(`fields.configure({ locale: 'ar', style: { base: { color: 'rgb(1, 2, 3)' } } })`);
    await page.tab.until(`number.state.message === 'رقم البطاقة غير مكتمل'`);
    const frame = await page.frame('card_number');
    expect(
      await frame.evaluate(
        `[document.documentElement.lang, document.documentElement.dir, document.querySelector('#input').dir, getComputedStyle(document.querySelector('#input')).color, document.querySelector('#input').value]`,
      ),
    ).toEqual(['ar', 'ltr', 'ltr', 'rgb(1, 2, 3)', '54']);
    await page.tab.until(`document.querySelector('#number iframe').title === 'رقم البطاقة'`);
  });

  it('keeps the caret in place while separators are set, and accepts any way to write a card', async () => {
    await openPage();
    await page.type('#number', '5425');
    await page.tab.type('2334');
    expect(await page.text('card_number')).toBe('5425 2334');
    await page.tab.press('Home');
    await page.tab.press('ArrowRight');
    await page.tab.type('19');
    expect(await page.text('card_number')).toBe('5194 2523 34');
    const frame: Frame = await page.frame('card_number');
    expect(await frame.evaluate(`document.querySelector('#input').selectionStart`)).toBe(3);
    for (let step = 0; step < 2; step += 1) await page.tab.press('ArrowRight');
    await page.tab.press('Backspace');
    expect(await page.text('card_number')).toBe('5192 5233 4');
    await page.empty('number');
    await page.type('#number', '');
    await page.tab.send('Input.insertText', { text: ' 5425-2334 30109903 ' });
    expect(await page.text('card_number')).toBe('5425 2334 3010 9903');
    await page.type('#expiry', '3');
    expect(await page.text('card_expiration')).toBe('03');
    await page.tab.type('1');
    await page.tab.press('Backspace');
    await page.tab.press('Backspace');
    expect(await page.text('card_expiration')).toBe('0');
    await page.tab.press('Backspace');
    await page.tab.send('Input.insertText', { text: '9/2031' });
    expect(await page.text('card_expiration')).toBe('09 / 31');
    for (const key of ['Home', 'ArrowRight', 'Delete'] as const) await page.tab.press(key);
    await page.tab.type('8');
    expect(await page.text('card_expiration')).toBe('08 / 31');
  });

  it('has what a plain input has under a keyboard that composes, formatted at the end', async () => {
    await openAllKinds();
    const typed = [
      ['card_number', '5555555555554444', '5555 5555 5555 4444'],
      ['card_number', '５５５５５５５５５５５５４４４４', '5555 5555 5555 4444'],
      ['card_expiration', '1230', '12 / 30'],
      ['card_cvc', '１２３', '123'],
      ['account_number', '０００１２３４５', '00012345'],
      ['routing_number', '021000021', '021000021'],
      ['text', '東京と京都と', '東京と京都'],
    ] as const;
    for (const [kind, characters, right] of typed) {
      await page.tab.evaluate(`plain.value = ''`);
      await page.tab.click('#plain');
      await compose(characters);
      expect(await page.tab.evaluate('plain.value')).toBe(characters);
      await page.type(`#${kind}`, '');
      // The keyboard composes where the focus is, which reaches a frame after the click.
      await page.tab.until(
        `document.querySelector('#${kind}[data-focused], #${kind} [data-focused]') !== null`,
      );
      await compose(characters, `each.${kind}.update({ placeholder: 'x' })`);
      await page.tab.until(`each.${kind}.state.complete && each.${kind}.state.valid`);
      expect(await page.text(kind)).toBe(right);
      // A page that empties a field in the middle does so once the keyboard has ended.
      await page.tab.evaluate(`each.${kind}.clear()`);
      await page.tab.until(`each.${kind}.state.empty`);
      await compose(characters, `each.${kind}.clear()`);
      await page.tab.until(`each.${kind}.state.empty`);
      await page.tab.type(characters[0] ?? '');
      await page.tab.until(`!each.${kind}.state.empty`);
      await page.tab.evaluate(`each.${kind}.clear()`);
      await page.tab.until(`each.${kind}.state.empty`);
    }
  });

  whenTouched.it('has no scroll bar in a field of any kind, language, style and zoom', async () => {
    await openAllKinds();
    await page.tab.until(`document.querySelectorAll('[data-ready]').length === ${FIELD_KINDS.length}`);
    const styles = [
      {},
      { base: { fontSize: '40px', padding: '30px', lineHeight: '3', letterSpacing: '1em' } },
      { base: { fontSize: '7.3px', padding: '0.3px' }, invalid: { fontSize: '19.7px' } },
    ];
    const languages = ['en', 'ar', 'de', 'es', 'fr', 'he', 'it', 'ja', 'nl', 'pl', 'pt', 'zh'];
    const beyond = `(({ scrollHeight, scrollWidth, clientWidth, lang }) => [lang, scrollHeight - innerHeight, scrollWidth - innerWidth, clientWidth - innerWidth])(document.documentElement)`;
    for (const [index, language] of languages.entries()) {
      const options = { locale: language, style: styles[index % styles.length] };
      const zoom = [1, 1.1, 1.33, 0.67][index % 4];
      await page.tab.evaluate(
        `fields.configure(${stringify(options)}); document.body.style.zoom = ${String(zoom)}`,
      );
      for (const kind of FIELD_KINDS) {
        const frame = await page.frame(kind);
        await until(async () => ((await frame.evaluate(beyond))[0] === language ? true : undefined));
        expect([kind, zoom, ...(await frame.evaluate(beyond))]).toEqual([kind, zoom, language, 0, 0, 0]);
      }
    }
  });

  it('learns the brand, and the security code has as many digits as that has', async () => {
    await openPage();
    await page.type('#cvc', '123');
    await page.tab.until('cvc.state.complete');
    await page.type('#number', '378282');
    await page.tab.until(`number.state.brand === 'american-express'`);
    await page.tab.until('!cvc.state.complete');
    const frame = await page.frame('card_number');
    // The icon is a file of its own, which arrives after the first digits.
    const label = () => frame.evaluate(`document.getElementById('icon')?.ariaLabel`);
    expect(await until(async () => (await label()) ?? undefined)).toBe('American Express');
    await page.type('#cvc', '4');
    await page.tab.until('cvc.state.complete');
  });

  inThoroughRun.it.each(['light', 'dark'])('fits phones, and has enough contrast: %s', async (value) => {
    await openShop();
    await page.tab.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value }],
    });
    await page.tab.send('Emulation.setDeviceMetricsOverride', {
      width: 320,
      height: 640,
      deviceScaleFactor: 2,
      mobile: true,
    });
    await fillShop({ expiry: '13' });
    await page.tab.press('Enter');
    expect(await page.tab.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(await page.axe()).toEqual([]);
  });
});
