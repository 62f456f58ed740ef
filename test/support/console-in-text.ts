// Draws the console without a browser: its own code and preact in a context whose document has only
// what they call. Its clients call a service by `fetch`.
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { turns } from '../../packages/test-kit/src/event-loop.ts';
import type { Vault } from '../../packages/testing/src/index.ts';
import { forBrowsers } from '../../tools/publishing/for-browsers.ts';

const ROOT = join(import.meta.dirname, '../..');

type Listener = (event: object) => void;

/** A node of the document: an element, or a text, which has no name. */
class TextNode {
  readonly childNodes: TextNode[] = [];
  readonly attributes: { readonly name: string; value: string }[] = [];
  readonly style: Record<string, unknown> = { setProperty: () => undefined };
  readonly listeners = new Map<string, readonly [type: string, listener: Listener]>();
  readonly namespaceURI = 'http://www.w3.org/1999/xhtml';
  readonly nodeType: number;
  readonly localName: string;
  readonly ownerDocument: unknown;
  parentNode: TextNode | null = null;
  data: string;
  value = '';

  constructor(localName: string, data: string, ownerDocument: unknown) {
    this.localName = localName;
    this.nodeType = localName === '' ? 3 : 1;
    this.data = data;
    this.ownerDocument = ownerDocument;
  }

  get firstChild(): TextNode | null {
    return this.childNodes[0] ?? null;
  }

  get nextSibling(): TextNode | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  set textContent(text: string) {
    this.childNodes.splice(0, Infinity, ...(text === '' ? [] : [new TextNode('', text, this.ownerDocument)]));
  }

  contains(other: TextNode | null): boolean {
    for (let node = other; node !== null; node = node.parentNode) if (node === this) return true;
    return false;
  }

  insertBefore(node: TextNode, before: TextNode | null): TextNode {
    node.remove();
    const at = before === null ? -1 : this.childNodes.indexOf(before);
    this.childNodes.splice(at === -1 ? this.childNodes.length : at, 0, node);
    node.parentNode = this;
    return node;
  }

  appendChild(node: TextNode): TextNode {
    return this.insertBefore(node, null);
  }

  removeChild(node: TextNode): TextNode {
    this.childNodes.splice(this.childNodes.indexOf(node), 1);
    node.parentNode = null;
    return node;
  }

  remove(): void {
    this.parentNode?.removeChild(this);
  }

  setAttribute(name: string, value: unknown): void {
    this.removeAttribute(name);
    this.attributes.push({ name, value: String(value) });
  }

  getAttribute(name: string): string | null {
    return this.attributes.find((attribute) => attribute.name === name)?.value ?? null;
  }

  removeAttribute(name: string): void {
    const at = this.attributes.findIndex((attribute) => attribute.name === name);
    if (at !== -1) this.attributes.splice(at, 1);
  }

  addEventListener(name: string, listener: Listener): void {
    this.listeners.set(name.toLowerCase(), [name, listener]);
  }

  removeEventListener(name: string): void {
    this.listeners.delete(name.toLowerCase());
  }

  /** Acts as a person does; `false` if the node does not listen. */
  fire(name: string, event: object = {}): boolean {
    const [type, listener] = this.listeners.get(name) ?? [];
    listener?.call(this, { type, preventDefault: () => undefined, currentTarget: this, ...event });
    return listener !== undefined;
  }

  querySelector(): null {
    return null;
  }

  querySelectorAll(): readonly TextNode[] {
    return [];
  }

  focus(): void {}

  get all(): readonly TextNode[] {
    return [this, ...this.childNodes.flatMap((child) => child.all)];
  }

  /** Returns the text of the node in one line. */
  get text(): string {
    return this.localName === '' ? this.data : this.childNodes.map((child) => child.text).join('');
  }
}

/** An input settles in this time. Whatever ends later, such as the limit of a call, never does. */
const SETTLES_MS = 1_000;

const BLOCKS = 'a button dd div dt h1 h2 h3 label legend li main nav option p section summary td th tr'.split(
  ' ',
);

/** The texts of a view in their order: each block that has no other block inside is one line. */
function linesOf(node: TextNode): readonly string[] {
  const inner = node.childNodes.some((child) =>
    child.all.some(({ localName }) => BLOCKS.includes(localName)),
  );
  const lines = inner ? node.childNodes.flatMap(linesOf) : [node.text];
  return lines.map((line) => line.replaceAll(/\s+/g, ' ').trim()).filter((line) => line !== '');
}

const ENTRY = `
  export { h, render } from 'preact';
  export { App } from './app.tsx';
  export { PackageTable } from './reactors/bill-section.tsx';
  export { ProblemBox } from './parts/problem-box.tsx';
  export { createSession } from './session/session.ts';
`;

/** Code is edited in a plain text field, as where the editor does not load. */
const withoutEditor: Plugin = {
  name: 'without the editor',
  setup(bundle) {
    bundle.onLoad({ filter: /codemirror\.ts$/ }, () => ({ contents: 'throw new Error("no editor");' }));
  },
};

/** Bundles the console with what a test draws of it. */
async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    // A test before this one may have loaded the bundler in a folder of its own.
    absWorkingDir: ROOT,
    plugins: [forBrowsers, withoutEditor],
    stdin: { contents: ENTRY, resolveDir: join(ROOT, 'console/src'), loader: 'tsx' },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'browser',
    target: 'es2022',
    loader: { '.css': 'empty' },
    tsconfig: 'console/tsconfig.json',
  });
  return outputFiles[0]?.text ?? '';
}

export interface TextConsole {
  /** Draws the view of an address, such as `#/tokens`. Returns its lines once nothing changes. */
  readonly open: (hash: string) => Promise<readonly string[]>;
  /** Presses the last button with these words. Returns the lines once nothing changes. */
  readonly press: (words: string) => Promise<readonly string[]>;
  /** Chooses a file in the last field for one. */
  readonly choose: (file: File) => Promise<readonly string[]>;
  /** Draws one part alone. */
  readonly part: (name: 'ProblemBox' | 'PackageTable', properties: object) => readonly string[];
}

/** Opens the console of a service with keys. */
export async function openConsole(
  service: { readonly url: string; readonly fetch: Vault['fetch']; readonly now: number },
  keys: readonly string[],
): Promise<TextConsole> {
  const code = await bundled();
  const document: Record<string, unknown> = {
    createElement: (name: string) => new TextNode(name, '', document),
    createElementNS: (_space: string, name: string) => new TextNode(name, '', document),
    createTextNode: (text: string) => new TextNode('', text, document),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    getElementById: () => null,
    querySelector: () => null,
    title: '',
    activeElement: null,
  };
  document['body'] = new TextNode('body', '', document);
  document['documentElement'] = document['body'];
  const listeners = new Map<string, Set<() => void>>();
  const location = { hash: '', href: 'https://console.example/', origin: 'https://console.example' };
  let busy = 0;
  const context = createContext({
    AbortController,
    AbortSignal,
    DOMException,
    Headers,
    Request,
    Response,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
    Blob,
    Event,
    FormData,
    btoa,
    atob,
    clearInterval,
    console,
    crypto,
    queueMicrotask,
    structuredClone,
    performance,
    document,
    location,
    setTimeout: (task: () => void, ms = 0) => (ms > SETTLES_MS ? undefined : setImmediate(task)),
    clearTimeout: clearImmediate,
    setInterval: () => 0,
    requestAnimationFrame: (task: () => void) => setImmediate(task),
    cancelAnimationFrame: () => undefined,
    history: { replaceState: () => undefined, pushState: () => undefined },
    matchMedia: () => ({
      matches: false,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }),
    navigator: { clipboard: {}, language: 'en' },
    addEventListener: (name: string, listener: () => void) => {
      listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
    },
    removeEventListener: (name: string, listener: () => void) => listeners.get(name)?.delete(listener),
    scrollTo: () => undefined,
    fetch: async (...call: Parameters<Vault['fetch']>) => {
      busy += 1;
      try {
        return await service.fetch(...call);
      } finally {
        busy -= 1;
      }
    },
  });
  const module = { exports: {} as Record<string, any> };
  runInContext(
    `globalThis.window = globalThis; globalThis.self = globalThis; Date.now = () => ${String(service.now)}; (function (module, exports) {${code}\n})`,
    context,
  )(module, module.exports);
  const { App, createSession, h, render } = module.exports;
  const root = new TextNode('div', '', document);
  (document['body'] as TextNode).appendChild(root);
  const session = createSession(
    { api_url: service.url, header_prefix: 'SVC', local: false },
    () => service.now,
  );
  for (const key of keys) {
    const problem = session.signIn(key);
    if (problem !== undefined) throw new Error(problem);
  }

  /** Waits until no call is open and the view stays the same. */
  async function settled(): Promise<readonly string[]> {
    let before = '';
    for (let same = 0; same < 20;) {
      await turns(2);
      const now = linesOf(root).join('\n');
      same = busy === 0 && now === before ? same + 1 : 0;
      before = now;
    }
    return linesOf(root.all.find(({ localName }) => localName === 'main') ?? root);
  }

  return {
    open: async (hash) => {
      location.hash = hash;
      if (root.childNodes.length === 0) render(h(App, { session }), root);
      for (const listener of listeners.get('hashchange') ?? []) listener();
      return await settled();
    },
    press: async (words) => {
      const button = root.all.findLast(({ localName, text }) => localName === 'button' && text === words);
      if (button === undefined) throw new Error(`there is no button ${words}`);
      let form = button.parentNode;
      while (form !== null && form.localName !== 'form') form = form.parentNode;
      if (!button.fire('click')) form?.fire('submit');
      return await settled();
    },
    choose: async (file) => {
      const field = root.all.findLast((node) => node.getAttribute('type') === 'file');
      field?.fire('change', { currentTarget: { files: [file] } });
      return await settled();
    },
    part: (name, properties) => {
      const alone = new TextNode('div', '', document);
      render(h(module.exports[name], properties), alone);
      return linesOf(alone);
    },
  };
}
