import type { Chromium, Tab } from './chromium.ts';
import { axeFindings, WATCH } from './watched-tab.ts';

/** The console in a tab, operated by what a person reads on it. */
export interface ConsolePage {
  readonly tab: Tab;
  /** Pastes a key into the first input, and presses Enter. */
  signIn(key: string): Promise<void>;
  /** Follows a link of the address, such as `#/tokens`. */
  go(hash: string): Promise<void>;
  /** Fills in the field with this label; the last one if there are several. */
  fill(label: string, text: string): Promise<void>;
  choose(label: string, option: string): Promise<void>;
  /** Clicks the last button or link with these words, which is that of an open dialog. */
  press(words: string): Promise<void>;
  /** Waits until the page shows a text. */
  sees(text: string): Promise<void>;
  /** Returns all text of the page. */
  text(): Promise<string>;
  /** Moves the clock of the page, which then acts as if this time had passed. */
  later(ms: number): Promise<void>;
  /** Returns what axe finds, by rule. */
  axe(): Promise<readonly string[]>;
  /** Lists what the page did against its policy, and its errors. */
  violations(): Promise<readonly string[]>;
}

const PAGE = `${WATCH}
  const now = Date.now.bind(Date);
  window.skew = 0;
  Date.now = () => now() + skew;
  window.person = {
    last: (all) => all.filter((each) => each.checkVisibility()).at(-1),
    words: (element) => [...element.childNodes].filter((node) => !(node.nodeType === 1 && node.matches('.hidden, [aria-hidden]'))).map((node) => node.textContent).join('').trim(),
    field: (label) => document.getElementById(person.last([...document.querySelectorAll('label[for]')].filter((each) => each.textContent.trim() === label))?.htmlFor ?? ''),
    check: (label) => person.last([...document.querySelectorAll('label.check')].filter((each) => each.textContent.trim().startsWith(label)))?.querySelector('input'),
    button: (words) => person.last([...document.querySelectorAll('button:not(:disabled), a, summary')].filter((each) => person.words(each) === words)),
    rest: (element) => {
      element.scrollIntoView({ block: 'center' });
      const place = JSON.stringify(element.getBoundingClientRect());
      const isThere = person.seen?.element === element && person.seen.place === place;
      person.seen = { element, place };
      return isThere;
    },
    mark: (element) => { document.querySelector('[data-marked]')?.removeAttribute('data-marked'); element?.setAttribute('data-marked', ''); return element !== undefined && element !== null; },
  };
`;

/** Opens the console in a tab of its own. */
export async function openConsole(chromium: Chromium, url: string): Promise<ConsolePage> {
  const tab = await chromium.newTab();
  await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: PAGE });
  await tab.open(url);
  await tab.until('document.querySelector("input")');
  const quoted = JSON.stringify;

  const page: ConsolePage = {
    tab,
    signIn: async (key) => {
      await tab.evaluate('document.querySelector("input").focus()');
      await tab.send('Input.insertText', { text: key });
      await tab.press('Enter');
      await tab.until('document.querySelector("nav")');
    },
    go: async (hash) => {
      await tab.evaluate(`location.hash = ${quoted(hash)}`);
      await tab.until('document.querySelector("main h1")');
    },
    fill: async (label, text) => {
      await tab.until(`Boolean(person.field(${quoted(label)}))`);
      await tab.evaluate(`person.field(${quoted(label)}).focus(); person.field(${quoted(label)}).select()`);
      if (text === '') await tab.press('Delete');
      else await tab.send('Input.insertText', { text });
    },
    choose: async (label, option) => {
      await tab.until(`Boolean(person.field(${quoted(label)}))`);
      await tab.evaluate(
        `person.field(${quoted(label)}).value = ${quoted(option)}; person.field(${quoted(label)}).dispatchEvent(new Event('change', { bubbles: true }))`,
      );
    },
    press: async (words) => {
      const found = `person.button(${quoted(words)}) ?? person.check(${quoted(words)})`;
      await tab.evaluate('person.seen = undefined');
      // Two looks find it in one place: what still loads would move it away from under the pointer.
      await tab.until(`person.mark(${found}) && person.rest(document.querySelector('[data-marked]'))`);
      await tab.click('[data-marked]');
    },
    sees: async (text) => {
      await tab.until(`document.body?.innerText.includes(${quoted(text)})`);
    },
    text: () => tab.evaluate('document.body.innerText'),
    later: async (ms) => {
      await tab.evaluate(`skew += ${String(ms)}; document.dispatchEvent(new Event('visibilitychange'))`);
    },
    axe: () => axeFindings(tab),
    violations: () => tab.evaluate('window.violations'),
  };
  return page;
}
