import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHROMIUM_FLAGS } from './browser.ts';
import { temporaryFolder } from './run-service.ts';

/** Members of a DevTools message; each test knows the ones that it needs. */
type Params = any;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
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
  press(key: keyof typeof KEYS, modifiers?: { readonly shift?: boolean }): Promise<void>;
  /** Undo, as by the browser's menu and its keys. */
  undo(): Promise<void>;
  click(selector: string, count?: number): Promise<void>;
  /** Returns a PNG of the visible part. */
  screenshot(): Promise<Buffer>;
  close(): Promise<void>;
}

export interface Chromium {
  newTab(): Promise<Tab>;
  close(): Promise<void>;
}

const KEYS = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowRight: 39,
  Delete: 46,
};

/**
 * The protocol over the pipes 3 and 4: Chromium ends when they are closed, so no process is left
 * behind.
 */
function connect(write: Writable, read: Readable) {
  const waiting = new Map<number, (message: Message) => void>();
  const listeners = new Set<(message: Message) => void>();
  let [sent, rest] = [0, ''];
  read.on('data', (chunk: Buffer) => {
    const messages = (rest + chunk.toString('utf8')).split('\0');
    rest = messages.pop() ?? '';
    for (const text of messages) {
      const message = JSON.parse(text) as Message;
      if (message.id === undefined) for (const listener of listeners) listener(message);
      else waiting.get(message.id)?.(message);
    }
  });
  return {
    listeners,
    send: (method: string, params: Params = {}, sessionId?: string): Promise<Params> =>
      new Promise((resolve, reject) => {
        const id = (sent += 1);
        waiting.set(id, ({ result, error }) => {
          waiting.delete(id);
          if (error === undefined) resolve(result);
          else reject(new Error(`${method}: ${error.message}`));
        });
        write.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      }),
  };
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

/** The frames that the browser attached this connection to, from their first request on. */
function framesOf(connection: ReturnType<typeof connect>, page: string) {
  const frames = new Map<string, Frame>();
  const known = new Set<string>();
  const frameSeen: Message[] = [];
  const frameListening: {
    readonly method: string;
    readonly listener: (params: Params, frame: Frame) => void;
  }[] = [];
  async function attach(id: string, url: string): Promise<void> {
    const send: Send = (method, params) => connection.send(method, params, id);
    frames.set(id, { url, send, evaluate: evaluatorOf(send) });
    known.add(id);
    for (const domain of ['Runtime', 'Log', 'Network']) await send(`${domain}.enable`);
    await send('Runtime.runIfWaitingForDebugger');
  }
  function collectFrames({ method, params, sessionId }: Message): void {
    if (sessionId === undefined || !(sessionId === page || known.has(sessionId))) return;
    if (method === 'Target.attachedToTarget' && params.targetInfo.type === 'iframe')
      attach(params.sessionId, params.targetInfo.url).catch(() => undefined);
    if (method === 'Target.detachedFromTarget') frames.delete(params.sessionId);
    if (sessionId === page) return;
    frameSeen.push({ method: method ?? '', params });
    const frame = frames.get(sessionId);
    if (frame === undefined) return;
    for (const each of frameListening) if (each.method === method) each.listener(params, frame);
  }
  return { frames, frameSeen, frameListening, collectFrames };
}

async function aTab(connection: ReturnType<typeof connect>): Promise<Tab> {
  const { browserContextId } = await connection.send('Target.createBrowserContext');
  const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
  const seen: Message[] = [];
  const listening: { readonly method: string; readonly listener: (params: Params) => void }[] = [];
  const send = (method: string, params?: Params) => connection.send(method, params, sessionId);
  const evaluate = evaluatorOf(send);
  const { frames, frameSeen, frameListening, collectFrames } = framesOf(connection, sessionId);
  const collect = (message: Message) => {
    collectFrames(message);
    if (message.sessionId !== sessionId) return;
    seen.push(message);
    for (const { method, listener } of listening) if (method === message.method) listener(message.params);
  };
  connection.listeners.add(collect);

  const until = async (expression: string) => {
    // So often that a busy machine is not taken for a fault.
    for (let tries = 0; tries < 4_000; tries += 1) {
      const value = await evaluate(expression).catch((error: unknown) => {
        if (!isCutOff(error)) throw error;
      });
      if (value) return value;
      await sleep(50);
    }
    throw new Error(`it never came true: ${expression}`);
  };
  const key = async (type: string, more: Params) => send('Input.dispatchKeyEvent', { type, ...more });

  for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Audits']) await send(`${domain}.enable`);
  return {
    send,
    evaluate,
    until,
    events: (method) => seen.filter((message) => message.method === method).map(({ params }) => params),
    on: (method, listener) => void listening.push({ method, listener }),
    watchFrames: () =>
      send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
    frames: () => [...frames.values()],
    frameEvents: (method) =>
      frameSeen.filter((message) => message.method === method).map(({ params }) => params),
    onFrames: (method, listener) => void frameListening.push({ method, listener }),
    open: async (url) => {
      await send('Page.navigate', { url });
      await until(`location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`);
    },
    type: async (text) => {
      for (const character of text) {
        await key('keyDown', { key: character, text: character });
        await key('keyUp', { key: character });
      }
    },
    press: async (name, { shift = false } = {}) => {
      const pressed = { key: name, code: name, windowsVirtualKeyCode: KEYS[name], modifiers: shift ? 8 : 0 };
      await key(name === 'Enter' ? 'keyDown' : 'rawKeyDown', {
        ...pressed,
        ...(name === 'Enter' && { text: '\r' }),
      });
      await key('keyUp', pressed);
    },
    undo: async () => {
      const pressed = { key: 'z', code: 'KeyZ', windowsVirtualKeyCode: 90, modifiers: 2 };
      await key('rawKeyDown', { ...pressed, commands: ['undo'] });
      await key('keyUp', pressed);
    },
    click: async (selector, count = 1) => {
      const { x, y } = await evaluate(
        `(() => { const element = document.querySelector(${JSON.stringify(selector)}); element.scrollIntoView({ block: 'center' }); const { x, y, width, height } = element.getBoundingClientRect(); return { x: x + width / 2, y: y + height / 2 }; })()`,
      );
      // The clicks have no pause, so they are as fast as a double click.
      const clicks = Array.from({ length: count }, (_, index) =>
        ['mousePressed', 'mouseReleased'].map((type) =>
          send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: index + 1 }),
        ),
      );
      await Promise.all(clicks.flat());
    },
    screenshot: async () =>
      Buffer.from((await send('Page.captureScreenshot', { format: 'png' })).data, 'base64'),
    close: async () => {
      connection.listeners.delete(collect);
      await connection.send('Target.disposeBrowserContext', { browserContextId });
    },
  };
}

/** Headless Chromium. Every tab has separate storage and cookies. */
export async function startChromium(): Promise<Chromium> {
  const flags = [...CHROMIUM_FLAGS, `--user-data-dir=${temporaryFolder()}`, '--remote-debugging-pipe'];
  const child = spawn('/usr/bin/chromium', [...flags, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const connection = connect(child.stdio[3] as Writable, child.stdio[4] as Readable);
  await connection.send('Browser.getVersion');
  return {
    newTab: () => aTab(connection),
    close: async () => {
      await connection.send('Browser.close');
      await ended;
    },
  };
}
