import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { startChromium, type Chromium } from '../support/chromium.ts';
import { openFields, servePages, type FieldsPage, type Pages } from '../support/fields-page.ts';
import { needing } from '../support/needing.ts';
import { aProject, packedPackage } from '../support/packed-packages.ts';
import { anApplication, aRevealingApplication, credentials } from '../support/service.ts';

const { describe } = needing('Chromium');

// The wrappers of the packed package, bundled as an application does it, with React in development:
// its strict mode runs every effect twice.
const NUMBER = '5425233430109903';

const FORM = `
  import { createElement as h, StrictMode, useRef, useState } from 'react';
  import { createRoot, hydrateRoot } from 'react-dom/client';
  import { FieldsError } from '@cloakroom/fields';
  import { CloakroomField, useFields } from '@cloakroom/fields/react';

  Object.assign(window, { states: [], readies: 0, renders: 0 });
  const read = () => ({ fieldsUrl: FIELDS_URL, session: () => PUBLIC_KEY });
  function Form() {
    const [language, setLanguage] = useState('en');
    const [label, setLabel] = useState('Number of your card');
    const fields = useFields({ ...read(), locale: language, style: { base: { color: '#123456' } } });
    const [number, expiry] = [useRef(null), useRef(null)];
    window.renders += 1;
    Object.assign(window, { setLanguage, setLabel, number, expiry });
    window.save = () => {
      const data = { number: number.current, expiration_month: expiry.current.month, expiration_year: expiry.current.year };
      window.outcome = fields.createToken({ type: 'card', data }).then(
        ({ id }) => id,
        (error) => [error instanceof FieldsError, error.code],
      );
    };
    return h('form', null,
      h(CloakroomField, { fields, kind: 'card_number', id: 'number', ref: number, label, onReady: () => (window.readies += 1), onChange: (state) => states.push([language, state]) }),
      h(CloakroomField, { fields, kind: 'card_expiration', id: 'expiry', ref: expiry, onReady: () => (window.readies += 1) }),
    );
  }
  const [box, tree] = [document.querySelector('#root'), h(StrictMode, null, h(Form))];
  const root = box.firstChild === null ? createRoot(box) : hydrateRoot(box, tree);
  root.render(tree);
  window.leave = () => root.render(null);
`;

const ELEMENT = `
  import { createFields } from '@cloakroom/fields';
  import { defineFieldElement } from '@cloakroom/fields/element';

  const fields = createFields({ fieldsUrl: FIELDS_URL, apiKey: PUBLIC_KEY });
  // Before the definition, as a framework may do it.
  for (const box of document.querySelectorAll('cloakroom-field')) box.fields = fields;
  defineFieldElement();
  Object.assign(window, { fields, createFields, form: document.querySelector('form'), box: document.querySelector('#number'), heard: [] });
  for (const name of ['focus', 'blur', 'change']) box.addEventListener(name, ({ detail }) => heard.push([name, detail?.empty]));
  form.addEventListener('submit', (event) => { event.preventDefault(); heard.push(['submit']); });
`;

let chromium: Chromium;
let pages: Pages;
let project: string;
let publicKey: string;
let form = '';
let element = '';
let page: FieldsPage;

beforeAll(async () => {
  [chromium, pages, project] = await Promise.all([
    startChromium(),
    servePages(),
    packedPackage('fields').then((tarball) => aProject(tarball, {})),
  ]);
  for (const name of ['react', 'react-dom', 'scheduler'])
    symlinkSync(resolve('node_modules', name), join(project, 'node_modules', name));
  publicKey = (await anApplication({ type: 'public', permissions: ['token:create'] })).key;
  [form, element] = await Promise.all([bundled(FORM), bundled(ELEMENT)]);
});
afterAll(() => Promise.all([chromium.close(), pages.close()]));
afterEach(() => page.tab.close());

/** Bundles a program with the package. */
async function bundled(program: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: project },
    bundle: true,
    write: false,
    format: 'esm',
    define: {
      'process.env.NODE_ENV': '"development"',
      FIELDS_URL: JSON.stringify(credentials.fields_url),
      PUBLIC_KEY: JSON.stringify(publicKey),
    },
  });
  return (outputFiles[0]?.text ?? '').replaceAll('</script', String.raw`<\/script`);
}

async function open(body: string, code: string): Promise<void> {
  const html = `<!doctype html><html lang="en"><title>Card</title><style>cloakroom-field, #root div { height: 3rem }</style>${body}<script type="module">${code}</script></html>`;
  page = await openFields(chromium, pages.add(html));
}

const value = (expression: string) => page.tab.evaluate(expression);
const until = (expression: string) => page.tab.until(expression);

describe('the React wrapper, in strict mode', () => {
  const openForm = async (rendered = '') => {
    await open(`<div id="root">${rendered}</div>`, form);
    await until('document.querySelectorAll("[data-ready]").length >= 2');
  };

  it('shows one frame for each field, whose ref creates a token', async () => {
    await openForm();
    expect(await value('[document.querySelectorAll("iframe").length, readies]')).toEqual([2, 2]);
    await page.type('#number', NUMBER);
    await page.tab.press('Tab');
    await page.type('#expiry', '1230');
    await until('expiry.current.state.complete');
    await value('save()');
    const { get } = await aRevealingApplication();
    const { body } = await get(`/tokens/${String(await value('outcome'))}`);
    expect(body.data).toEqual({ number: NUMBER, expiration_month: 12, expiration_year: 2030 });
  });

  it('changes options in place, with what a server rendered, and calls the last listener', async () => {
    await openForm('<form><div id="number"></div><div id="expiry"></div></form>');
    await page.type('#number', NUMBER);
    await value('setLanguage("de"); setLabel(undefined)');
    await until('document.querySelector("#number iframe").title === "Kartennummer"');
    // The typed text is still there: the frame is the same.
    expect(await page.text('card_number')).toBe('5425 2334 3010 9903');
    await page.tab.press('Backspace');
    await until('states.at(-1)[1].complete === false');
    expect(await value('[states.at(-1)[0], states.at(-1)[1].message]')).toEqual([
      'de',
      'Die Kartennummer ist unvollständig',
    ]);
    expect([await value('readies'), await value('complaints')]).toEqual([2, []]);
  });

  it('rejects a request with `unmounted` if the form goes meanwhile, and leaves nothing', async () => {
    await openForm();
    await page.type('#number', NUMBER);
    await page.tab.press('Tab');
    await page.type('#expiry', '1230');
    await until('expiry.current.state.complete');
    const frame = await page.frame('card_number');
    const paused = new Promise((resolve) => page.tab.onFrames('Fetch.requestPaused', resolve));
    await frame.send('Fetch.enable', { patterns: [{ urlPattern: '*/tokens*' }] });
    await value('save()');
    await paused;
    await value('leave()');
    expect(await value('outcome')).toEqual([true, 'unmounted']);
    expect(await value('[document.querySelectorAll("iframe").length, number.current]')).toEqual([0, null]);
    expect(await value('complaints')).toEqual([]);
  });
});

describe('the web component', () => {
  const BODY = `<form><label id="label" for="number">Card number</label>
    <fieldset><cloakroom-field id="number" kind="card_number"></cloakroom-field></fieldset>
    <cloakroom-field id="note" kind="text" optional hidden></cloakroom-field><button>Save</button></form>`;
  const openForm = async () => {
    await open(BODY, element);
    await until('box.matches("[data-ready]")');
  };

  it('is named and focused by its label, keeps its content in a move, and is cleared by a reset', async () => {
    await openForm();
    const frame = await page.frame('card_number');
    expect(await frame.evaluate('document.querySelector("label").textContent')).toBe('Card number');
    await page.tab.click('#label');
    await until('box.matches("[data-focused]")');
    await page.tab.type('4242');
    await until('box.state.brand === "visa"');
    await value('form.moveBefore(box, form.firstChild)');
    expect(await page.text('card_number')).toBe('4242');
    await value('form.reset()');
    await until('box.state.empty');
    expect(await page.text('card_number')).toBe('');
    // The focus of the element around the frame is no event of the field.
    expect(await value('heard.filter(([name]) => name === "focus").length')).toBe(1);
    expect(await value('complaints')).toEqual([]);
  });

  it('lets its form be sent only once it is valid, and gets the focus before', async () => {
    await openForm();
    expect(await value('[box.validity.valueMissing, form.checkValidity()]')).toEqual([true, false]);
    await page.tab.click('button');
    await until('box.matches("[data-focused]")');
    await page.tab.type(NUMBER);
    await until('box.validity.valid');
    await value('form.requestSubmit()');
    expect(await value('heard.some(([name]) => name === "submit")')).toBe(true);
    expect(await value('[...new FormData(form)]')).toEqual([]);
  });

  it('writes an error to the console unless a listener prevents it', async () => {
    await openForm();
    await value(`(() => {
      window.lines = [];
      console.error = (_code, text) => lines.push(text);
      for (const port of [1, 2]) {
        const made = document.createElement('cloakroom-field');
        made.setAttribute('kind', 'text');
        made.fields = createFields({ fieldsUrl: 'http://localhost:' + port, apiKey: '${publicKey}', loadTimeoutMs: 100 });
        made.addEventListener('error', (event) => { if (port === 1) event.preventDefault(); heard.push([port, event.detail.code]); });
        document.body.append(made);
      }
    })()`);
    await until('heard.filter(([port]) => port === 1 || port === 2).length >= 2');
    expect(await value('lines')).toEqual([expect.stringContaining('http://localhost:2')]);
  });

  it('follows its attributes and its fieldset, stays hidden, and keeps its field when it comes back', async () => {
    await openForm();
    const frame = await page.frame('card_number');
    const inFrame = (expression: string) =>
      frame.evaluate(`new Promise((resolve) => {
        const look = () => (${expression} ? resolve(true) : setTimeout(look, 10));
        look();
      })`);
    await value('box.setAttribute("label", "PAN"); box.setAttribute("placeholder", "0000")');
    await inFrame('document.querySelector("label").textContent === "PAN"');
    await value('box.removeAttribute("label"); box.removeAttribute("placeholder")');
    await inFrame('document.querySelector("input").placeholder === "1234 1234 1234 1234"');
    await inFrame('document.querySelector("label").textContent === "Card number"');
    await value('document.querySelector("fieldset").disabled = true');
    await inFrame('document.querySelector("input").disabled');
    expect(await value('getComputedStyle(document.querySelector("#note")).display')).toBe('none');
    expect(await value('getComputedStyle(box).display')).toBe('block');
    await value(
      'document.querySelector("fieldset").disabled = false; window.first = box.field; box.remove(); form.prepend(box)',
    );
    await page.tab.until('box.matches("[data-ready]")');
    expect(await value('[box.field === first, box.querySelectorAll("iframe").length]')).toEqual([true, 1]);
    expect(await value('complaints')).toEqual([]);
  });
});
