import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { temporaryFolder } from '../run-service.ts';
import { until } from '../../../packages/test-kit/src/until.ts';
import type { Engine, EnginePage, KeyName } from './engine.ts';

/** WebDriver has these characters for keys without one (W3C WebDriver, 17.4.2). */
const KEYS: Readonly<Record<KeyName | 'Shift', string>> = {
  Backspace: '\uE003',
  Tab: '\uE004',
  Enter: '\uE007',
  Shift: '\uE008',
  Home: '\uE011',
  ArrowLeft: '\uE012',
  ArrowRight: '\uE014',
  Delete: '\uE017',
};

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** The script of an expression: its value or its error as JSON, promises awaited. */
const scriptOf = (expression: string): string => `const done = arguments[0];
  (async () => (${expression}))().then(
    (value) => done(JSON.stringify({ value: value ?? null })),
    (error) => done(JSON.stringify({ error: String(error) })),
  );`;

/** The pointer is in its middle. */
const SCREEN = { width: 1500, height: 1300 };

type Call = (method: string, path: string, body?: object) => Promise<any>;

const callOf =
  (url: string): Call =>
  async (method, path, body) => {
    const response = await fetch(url + path, { method, ...(body && { body: JSON.stringify(body) }) });
    const { value } = (await response.json()) as any;
    if (!response.ok) throw new Error(`${path}: ${String(value.error)}: ${String(value.message)}`);
    return value;
  };

const downAndUp = (keys: readonly string[]) => [
  ...keys.map((value) => ({ type: 'keyDown', value })),
  ...keys.toReversed().map((value) => ({ type: 'keyUp', value })),
];

function enginePage(call: Call): EnginePage {
  const enter = (id: number | null) => call('POST', '/frame', { id });
  async function run(expression: string): Promise<any> {
    const text = await call('POST', '/execute/async', { script: scriptOf(expression), args: [] });
    const { value, error } = JSON.parse(text);
    if (error !== undefined) throw new Error(error);
    return value;
  }
  const act = (type: string, actions: readonly object[], more: object = {}) =>
    call('POST', '/actions', { actions: [{ type, id: type, actions, ...more }] });
  const press = (keys: readonly string[]) => act('key', downAndUp(keys));

  return {
    async open(url) {
      await enter(null);
      await call('POST', '/url', { url });
    },
    async back() {
      await enter(null);
      await call('POST', '/back', {});
    },
    async evaluate(expression) {
      await enter(null);
      return run(expression);
    },
    async evaluateInFrame(index, expression) {
      await enter(null);
      await enter(index);
      return run(expression);
    },
    type: async (text) =>
      void (await act(
        'key',
        Array.from(text).flatMap((each) => downAndUp([each])),
      )),
    press: async (key, { shift = false } = {}) =>
      void (await press(shift ? [KEYS.Shift, KEYS[key]] : [KEYS[key]])),
    async click(selector) {
      await enter(null);
      const found = await call('POST', '/element', { using: 'css selector', value: selector });
      const origin = { [ELEMENT]: found[ELEMENT] };
      await run(`document.querySelector(${JSON.stringify(selector)}).scrollIntoView({ block: 'center' })`);
      await act(
        'pointer',
        [
          { type: 'pointerMove', x: 0, y: 0, origin },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ],
        { parameters: { pointerType: 'mouse' } },
      );
    },
    async resize(width, height) {
      await enter(null);
      await call('POST', '/window/rect', { width, height });
      // The window has a frame around its content.
      const [wide, high] = (await run('[outerWidth - innerWidth, outerHeight - innerHeight]')) as number[];
      const rect = { width: width + (wide ?? 0), height: height + (high ?? 0) };
      // Without a window manager, the window below the pointer has the focus.
      const x = (SCREEN.width - rect.width) / 2;
      const y = (SCREEN.height - rect.height) / 2;
      await call('POST', '/window/rect', { ...rect, x, y });
    },
  };
}

/** The first line that a program writes there. */
async function firstLine(output: Readable): Promise<string> {
  const lines = createInterface({ input: output });
  const [line] = (await once(lines, 'line')) as [string];
  return line;
}

/** Returns a port that is free now: the driver has no option for any. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/**
 * Starts a program that ends with this one, however that ends. `output` is what it writes to the
 * descriptor 3.
 */
function spawnBound(command: readonly string[], env: NodeJS.ProcessEnv) {
  // The shell reads until its input is closed, and then ends everything that it has started.
  const child = spawn('sh', ['-c', '"$@" & cat; trap "" TERM; kill 0; wait', 'sh', ...command], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    env,
  });
  const ended = once(child, 'exit');
  return {
    output: child.stdio[3] as Readable,
    async end() {
      child.stdin?.end();
      await ended;
    },
  };
}

/** WebKitGTK in a display of its own (the packages `webkit2gtk-driver`, `xvfb`, `dbus-x11`). */
export async function startWebKit(): Promise<Engine> {
  // Xvfb chooses a free display, and writes its number.
  const size = `${String(SCREEN.width)}x${String(SCREEN.height)}x24`;
  const screen = `-displayfd 3 -screen 0 ${size} -nolisten tcp`.split(' ');
  const display = spawnBound(['Xvfb', ...screen], process.env);
  const number = await firstLine(display.output);
  const port = await freePort();
  const env = {
    ...process.env,
    // It writes caches there.
    HOME: temporaryFolder(),
    DISPLAY: `:${number}`,
    // Its own language data: the locale `C` is none of them.
    LANG: 'en_US.UTF-8',
    // Root has no sandbox, and this machine has no graphics card.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    LIBGL_ALWAYS_SOFTWARE: '1',
    WEBKIT_DISABLE_DMABUF_RENDERER: '1',
    GTK_A11Y: 'none',
    NO_AT_BRIDGE: '1',
  };
  const bus = ['dbus-run-session', '--'];
  const driver = spawnBound([...bus, 'WebKitWebDriver', `--port=${String(port)}`], env);
  const call = callOf(`http://127.0.0.1:${String(port)}`);
  await until(() => call('GET', '/status').catch(() => undefined));
  const [binary = ''] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser');
  const { sessionId } = await call('POST', '/session', {
    capabilities: {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } },
    },
  });
  const inSession: Call = (method, path, body) => call(method, `/session/${String(sessionId)}${path}`, body);
  const page = enginePage(inSession);
  return {
    newPage: () => Promise.resolve(page),
    async close() {
      await inSession('DELETE', '').catch(() => undefined);
      await driver.end();
      await display.end();
    },
  };
}
