import { whenTouched } from '../../packages/test-kit/src/which-runs.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCheckout, type Checkout } from '../support/checkout.ts';
import type { Engine, EnginePage } from '../support/engines/engine.ts';
import { startChromium, startFirefox } from '../support/engines/puppeteer.ts';
import { startWebKit } from '../support/engines/webkit.ts';
import { needing } from '../support/needing.ts';
import { anApplication, aRevealingApplication, credentials } from '../support/service.ts';
import { until } from '../../packages/test-kit/src/until.ts';

// One path through the card fields, the console and the documentation in each engine, by keys and
// clicks. What only one engine can break is here; other tests run in Chromium alone.
const NUMBER = '5425233430109903';
const MASKED = 'XXXXXXXXXXXX9903';
const AT_NUMBER = 0;
const AT_EXPIRY = 1;
const AT_CVC = 2;
const ENGINES = { Chromium: startChromium, Firefox: startFirefox, WebKit: startWebKit } as const;

let checkout: Checkout;

beforeAll(async () => {
  const { key: publicKey } = await anApplication({ type: 'public', permissions: ['token:create'] });
  const masked = { priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] };
  checkout = await startCheckout({
    CLOAKROOM_URL: credentials.base_url,
    CLOAKROOM_FIELDS_URL: credentials.fields_url,
    CLOAKROOM_PUBLIC_KEY: publicKey,
    CLOAKROOM_PRIVATE_KEY: (await anApplication({ rules: [masked] })).key,
  });
});

afterAll(() => checkout.stop());

const { stringify } = JSON;

/** Describes what the test waits for: the limit of jest says only that it ended. */
let awaited: (() => Promise<string>) | undefined;

afterEach(async () => {
  if (awaited !== undefined) console.error(`waited for ${await awaited()}`);
  awaited = undefined;
});

const STATE = `JSON.stringify([location.href, document.hasFocus(), document.activeElement?.outerHTML.slice(0, 200),
  document.body?.innerText.slice(0, 1000), window.heard])`;

/** Waits for something of a page, and says for what if that never comes. */
async function awaiting(page: EnginePage, what: string, look: () => Promise<boolean>): Promise<void> {
  awaited = async () => `${what} in ${String(await page.evaluate(STATE).catch(String))}`;
  await until(async () => ((await look()) ? true : undefined));
  awaited = undefined;
}

/** Waits until an expression of the page is true. A page that is replaced meanwhile has none. */
const whenTrue = (page: EnginePage, expression: string) =>
  awaiting(page, expression, async () => (await page.evaluate(expression).catch(() => false)) === true);

const whenFocused = (page: EnginePage, id: string) =>
  whenTrue(
    page,
    `[...document.querySelectorAll('[data-focused]')].map(({ id }) => id).join() === ${stringify(id)}`,
  );

/** Waits until a field has this text. */
const whenTyped = (page: EnginePage, frame: number, text: string) =>
  awaiting(
    page,
    `${text} in field ${String(frame)}`,
    async () => (await page.evaluateInFrame(frame, `document.querySelector('#input').value`)) === text,
  );

const whenReady = (page: EnginePage) =>
  whenTrue(page, `document.querySelectorAll('cloakroom-field[data-ready]').length === 3`);

/** Clicks the last visible button or link with these words. */
async function clickOn(page: EnginePage, words: string): Promise<void> {
  const mark = `(() => {
    document.querySelector('[data-marked]')?.removeAttribute('data-marked');
    const all = [...document.querySelectorAll('button:not(:disabled), a')];
    const found = all.findLast((each) => each.checkVisibility() && each.textContent.trim() === ${stringify(words)});
    found?.setAttribute('data-marked', '');
    return found !== undefined;
  })()`;
  await whenTrue(page, mark);
  await page.click('[data-marked]');
}

const sees = (page: EnginePage, text: string) =>
  whenTrue(page, `document.body?.innerText.includes(${stringify(text)}) === true`);

/** Sends the form. A page that is too slow for its own limits asks for another try. */
async function saves(page: EnginePage): Promise<void> {
  const has = async (expression: string) => (await page.evaluate(expression).catch(() => false)) === true;
  await page.press('Enter');
  await awaiting(page, MASKED, async () => {
    const failed = `document.querySelector('#failure').checkVisibility()`;
    if (await has(failed)) await page.click('#submit');
    return await has(`document.body.innerText.includes(${stringify(MASKED)})`);
  });
}

async function typesCard(page: EnginePage): Promise<void> {
  // No field was used yet: the shop focuses the first problem.
  await page.click('#submit');
  await whenFocused(page, 'number');
  await page.type(NUMBER);
  await whenTyped(page, AT_NUMBER, '5425 2334 3010 9903');
  // At a blank, a key deletes the digit beyond it.
  await page.press('Home');
  for (let step = 0; step < 4; step += 1) await page.press('ArrowRight');
  await page.press('Delete');
  await whenTyped(page, AT_NUMBER, '5425 3343 0109 903');
  await page.press('ArrowRight');
  await page.press('Backspace');
  await whenTyped(page, AT_NUMBER, '5423 3430 1099 03');
  await page.type('52');
  await whenTyped(page, AT_NUMBER, '5425 2334 3010 9903');
}

async function walks(page: EnginePage): Promise<void> {
  await page.press('Tab');
  await whenFocused(page, 'expiry');
  await page.type('1230');
  await whenTyped(page, AT_EXPIRY, '12 / 30');
  await page.press('Tab', { shift: true });
  await whenFocused(page, 'number');
  // The label is that of a field that was not used yet.
  await page.click('label[for=cvc]');
  await whenFocused(page, 'cvc');
  await page.type('846');
  await whenTyped(page, AT_CVC, '846');
  await page.evaluate(`document.querySelector('#expiry').setAttribute('disabled', '')`);
  await whenTrue(page, `document.querySelector('#expiry iframe').tabIndex === -1`);
  await page.press('Tab', { shift: true });
  await whenFocused(page, 'number');
  await page.press('Tab');
  await whenFocused(page, 'cvc');
  await page.evaluate(`document.querySelector('#expiry').removeAttribute('disabled')`);
}

/** Moves of the focus. Under load an engine may take it from a field and give it back at once. */
function moves(heard: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const each of heard) {
    const isBack = each.startsWith('focus ') && found.at(-1) === each.replace('focus', 'blur');
    if (isBack) found.pop();
    else found.push(each);
  }
  return found;
}

describe.each(Object.keys(ENGINES) as (keyof typeof ENGINES)[])('%s', (name) => {
  const { it } = needing(name);
  let engine: Engine | undefined;

  /** Starts the engine for the first test that is not skipped. */
  async function opened(url: string): Promise<EnginePage> {
    engine ??= await ENGINES[name]();
    const page = await engine.newPage();
    await page.open(url);
    return page;
  }

  afterAll(() => engine?.close());

  it('turns a card into a token, by keys and clicks on fields of another site', async () => {
    const page = await opened(`${checkout.origin}/`);
    await page.resize(1280, 900);
    await whenReady(page);
    await page.evaluate(`(() => {
      window.heard = [];
      for (const box of document.querySelectorAll('cloakroom-field'))
        for (const what of ['focus', 'blur']) box.addEventListener(what, () => heard.push(what + ' ' + box.id));
    })()`);
    // Pixels beyond the frame, and those of a scroll bar.
    const beyond = `(({ scrollHeight, clientWidth }) => [scrollHeight - innerHeight, innerWidth - clientWidth])(document.documentElement)`;
    for (const frame of [AT_NUMBER, AT_EXPIRY, AT_CVC])
      expect(await page.evaluateInFrame(frame, beyond)).toEqual([0, 0]);
    await typesCard(page);
    await walks(page);
    expect(moves((await page.evaluate('heard')) as readonly string[])).toEqual([
      'focus number',
      ...['blur number', 'focus expiry', 'blur expiry', 'focus number', 'blur number', 'focus cvc'],
      ...['blur cvc', 'focus number', 'blur number', 'focus cvc'],
    ]);
    await saves(page);
    // The form was hidden until this click, which focuses its first field.
    await page.click('#another');
    await whenFocused(page, 'number');
    await page.type('42');
    await whenTyped(page, AT_NUMBER, '42');
    await page.open(`${checkout.origin}/icon.svg`);
    await page.back();
    await whenReady(page);
    await whenTyped(page, AT_NUMBER, '');
    await page.click('label[for=number]');
    await whenFocused(page, 'number');
    await page.type('5');
    await whenTyped(page, AT_NUMBER, '5');
  });

  whenTouched.it('shows a token in the console, and reveals it', async () => {
    const application = await aRevealingApplication();
    const { body } = await application.post('/tokens', { type: 'card', data: { number: NUMBER } });
    const page = await opened(credentials.console_url);
    await whenTrue(page, `document.activeElement?.matches('input') === true`);
    await page.type(application.key);
    await page.press('Enter');
    await whenTrue(page, `document.querySelector('nav') !== null`);
    await page.evaluate(`(() => { location.hash = '#/tokens/${String(body.id)}'; })()`);
    await sees(page, MASKED);
    await clickOn(page, 'Reveal for 30 seconds');
    await sees(page, NUMBER);
  });

  whenTouched.it('finds a guide of the documentation by its search', async () => {
    // The first visit builds the site.
    while (!(await fetch(`${credentials.docs_url}/`)).ok) await sleep(200);
    const page = await opened(`${credentials.docs_url}/`);
    const input = `document.activeElement?.matches('dialog input') === true`;
    const isThere = (selector: string) =>
      page.evaluate(`document.querySelector(${stringify(selector)}) !== null`);
    await until(async () => {
      // The page may not know the button yet, and the input may come after its dialog.
      if ((await isThere('dialog[open]')) !== true) await page.click('button[data-open-modal]');
      else if ((await isThere('dialog[open] input')) === true) await page.click('dialog[open] input');
      return (await page.evaluate(input)) === true ? true : undefined;
    });
    await page.type('rotate a key');
    const guide = 'dialog[open] a[href^="/guides/rotate-a-key/"]';
    await whenTrue(page, `document.querySelector(${stringify(guide)}) !== null`);
    await page.click(guide);
    await whenTrue(page, `document.querySelector('h1')?.textContent === 'Rotate a key'`);
  });
});
