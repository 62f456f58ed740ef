import { noteUse } from '../budgets.ts';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch, type Browser, type CDPSession, type KeyInput } from 'puppeteer-core';
import { chromiumPath, placeOf } from '../../tools/test/programs.ts';
import type { KeyName } from './engines/engine.ts';
import { temporaryFolder } from './run-service.ts';

/**
 * Offline, without a profile, and without the background traffic that a closed network rejects many
 * times.
 */
const CHROMIUM_FLAGS = [
  ...[
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
  ],
  ...['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
];

/** Members of a DevTools message; each test knows the ones that it needs. */
type Params = any;

interface Message {
  readonly method: string;
  readonly params: Params;
}

/** A frame of another site, which runs in a process of its own. */
export interface Frame {
  readonly url: string;
  send(method: string, params?: Params): Promise<Params>;
  /** The value of an expression in the frame, promises awaited. */
  evaluate(expression: string): Promise<any>;
}

/** A tab that is operated like a person does it: by keys and clicks. */
export interface Tab {
  /** Sends a command of the DevTools protocol. */
  send(method: string, params?: Params): Promise<Params>;
  /** Everything that the protocol reported under this name so far, of the page alone. */
  events(method: string): Params[];
  on(method: string, listener: (params: Params) => void): void;
  /** Attaches to the frames of other sites from now on. */
  watchFrames(): Promise<void>;
  /** Returns those that are in the page now. */
  frames(): readonly Frame[];
  /** Everything that was reported under this name of frames, those that are gone included. */
  frameEvents(method: string): Params[];
  /** Calls back for reports of frames. */
  onFrames(method: string, listener: (params: Params, frame: Frame) => void): void;
  open(url: string): Promise<void>;
  /** The value of an expression, promises awaited. */
  evaluate(expression: string): Promise<any>;
  /** Resolves as soon as the expression is truthy. */
  until(expression: string): Promise<any>;
  /** Types character by character into the focused element. */
  type(text: string): Promise<void>;
  press(key: KeyName | 'End' | 'ArrowLeft', modifiers?: { readonly shift?: boolean }): Promise<void>;
  /** Undo, as by the browser's menu and its keys. */
  undo(): Promise<void>;
  click(selector: string, count?: number): Promise<void>;
  /** Returns a PNG of the visible part. */
  screenshot(): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface Chromium {
  newTab(): Promise<Tab>;
  close(): Promise<void>;
}

/** Whether an evaluation has no result because its page was replaced meanwhile. */
function isCutOff(error: unknown): boolean {
  return (
    error instanceof Error &&
    /navigated or closed|context was destroyed|Cannot find .*context/.test(error.message)
  );
}

type Send = (method: string, params?: Params) => Promise<Params>;

const evaluatorOf = (send: Send) => async (expression: string) => {
  const asked = { expression, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await send('Runtime.evaluate', asked);
  if (exceptionDetails !== undefined)
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
};

const sendOf =
  (session: CDPSession): Send =>
  (method, params) =>
    session.send(method as 'Page.enable', params);

/** Collects what a session reports, of any domain. */
function onEach(session: CDPSession, report: (message: Message) => void): void {
  session.on('*', ((method: string, params: Params) => report({ method, params })) as () => void);
}

/** Everything that was reported so far, and those who are called for each report. */
function createReports<Details extends readonly unknown[]>() {
  const seen: Message[] = [];
  const listening: {
    readonly method: string;
    readonly listener: (params: Params, ...details: Details) => void;
  }[] = [];
  return {
    events: (method: string) =>
      seen.filter((message) => message.method === method).map(({ params }) => params),
    on: (method: string, listener: (params: Params, ...details: Details) => void) =>
      void listening.push({ method, listener }),
    add(message: Message, ...details: Details): void {
      seen.push(message);
      for (const { method, listener } of listening)
        if (method === message.method) listener(message.params, ...details);
    },
  };
}

/** The frames that the browser attached this session to, from their first request on. */
function framesOf(page: CDPSession) {
  const frames = new Map<string, Frame>();
  const reports = createReports<[Frame]>();
  async function attach(session: CDPSession, url: string): Promise<void> {
    const send = sendOf(session);
    const frame = { url, send, evaluate: evaluatorOf(send) };
    frames.set(session.id(), frame);
    onEach(session, (message) => reports.add(message, frame));
    for (const domain of ['Runtime', 'Log', 'Network']) await send(`${domain}.enable`);
    await send('Runtime.runIfWaitingForDebugger');
  }
  onEach(page, ({ method, params }) => {
    if (method === 'Target.detachedFromTarget') frames.delete(params.sessionId);
    if (method !== 'Target.attachedToTarget' || params.targetInfo.type !== 'iframe') return;
    const session = page.connection()?.session(params.sessionId);
    if (session) attach(session, params.targetInfo.url).catch(() => undefined);
  });
  return { frames, reports };
}

async function aTab(browser: Browser): Promise<Tab> {
  noteUse('tabs of browsers');
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const session = await page.createCDPSession();
  const send = sendOf(session);
  const evaluate = evaluatorOf(send);
  const own = createReports();
  onEach(session, (message) => own.add(message));
  const { frames, reports } = framesOf(session);

  const until = async (expression: string) => {
    for (;;) {
      const value = await evaluate(expression).catch((error: unknown) => {
        if (!isCutOff(error)) throw error;
      });
      if (value) return value;
      await sleep(50);
    }
  };

  for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Audits']) await send(`${domain}.enable`);
  return {
    send,
    evaluate,
    until,
    events: own.events,
    on: own.on,
    watchFrames: () =>
      send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
    frames: () => [...frames.values()],
    frameEvents: reports.events,
    onFrames: reports.on,
    open: async (url) => {
      await send('Page.navigate', { url });
      await until(`location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`);
    },
    type: (text) => page.keyboard.type(text),
    press: async (key: KeyInput, { shift = false } = {}) => {
      if (shift) await page.keyboard.down('Shift');
      await page.keyboard.press(key);
      if (shift) await page.keyboard.up('Shift');
    },
    undo: async () => {
      // Keys alone undo nothing in a headless browser.
      const pressed = { key: 'z', code: 'KeyZ', windowsVirtualKeyCode: 90, modifiers: 2 };
      await send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...pressed, commands: ['undo'] });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed });
    },
    click: async (selector, count = 1) => {
      const { x, y } = await evaluate(
        `(() => { const element = document.querySelector(${JSON.stringify(selector)}); element.scrollIntoView({ block: 'center' }); const { x, y, width, height } = element.getBoundingClientRect(); return { x: x + width / 2, y: y + height / 2 }; })()`,
      );
      // The clicks have no pause, so they are as fast as a double click.
      await page.mouse.click(x, y, { count });
    },
    screenshot: () => page.screenshot(),
    close: () => context.close(),
  };
}

/** Starts the browser with these flags alone, as people have it: with scroll bars. */
export const launchChromium = (executablePath = chromiumPath() ?? ''): Promise<Browser> =>
  launch({
    executablePath,
    args: [...CHROMIUM_FLAGS, `--user-data-dir=${temporaryFolder()}`, 'about:blank'],
    ignoreDefaultArgs: true,
    defaultViewport: null,
    // A browser ends when its pipes are closed, so no process is left behind.
    pipe: true,
    // A busy machine is not taken for a fault.
    protocolTimeout: 0,
  });

/** The files of a worker run one after the other, and share its browser. */
let ofWorker: Promise<Browser> | undefined;

async function browserOfWorker(): Promise<Browser> {
  if (ofWorker !== undefined && (await ofWorker).connected) return ofWorker;
  ofWorker = launchChromium();
  const browser = await ofWorker;
  const child = browser.process();
  // It ends with the worker, which does not wait for it.
  child?.unref();
  for (const stream of child?.stdio ?? []) if (stream instanceof Socket) stream.unref();
  return browser;
}

/** Opens tabs in headless Chromium, each with separate storage and cookies, until it is closed. */
export function startChromium(): Promise<Chromium> {
  const tabs: Tab[] = [];
  return Promise.resolve({
    newTab: async () => {
      const tab = await aTab(await browserOfWorker());
      tabs.push(tab);
      return tab;
    },
    close: async () => {
      // A test may have closed some.
      await Promise.allSettled(tabs.map((tab) => tab.close()));
    },
  });
}

/** Starts the whole browser, which fills in forms, and takes three times as long for a page. */
export async function startWholeChromium(): Promise<Chromium> {
  const browser = await launchChromium(placeOf('chromium'));
  return { newTab: () => aTab(browser), close: () => browser.close() };
}
