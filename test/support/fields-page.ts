import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import type { Chromium, Frame, Tab } from './chromium.ts';
import { until } from '../../packages/test-kit/src/until.ts';

/** Pages of another site than the fields: its origin begins with `http://127.0.0.1`. */
export interface Pages {
  readonly origin: string;
  /** Serves this at the address that it returns. */
  add(html: string, headers?: Readonly<Record<string, string>>): string;
  close(): Promise<void>;
}

export async function servePages(): Promise<Pages> {
  const pages: { readonly html: string; readonly headers: Readonly<Record<string, string>> }[] = [];
  const server: Server = createServer(({ url = '/' }, response) => {
    const page = pages[Number(url.slice(1))];
    if (page === undefined) response.writeHead(404).end();
    else
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers }).end(page.html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    origin,
    add: (html, headers = {}) => `${origin}/${String(pages.push({ html, headers }) - 1)}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A page with fields, whose frames are in another process than the page. */
export interface FieldsPage {
  readonly tab: Tab;
  /** The frame of a kind, as soon as it has its input. */
  frame(kind: string): Promise<Frame>;
  /** Focuses the field in a box, and writes into it at once, as from the clipboard. */
  type(selector: string, text: string): Promise<void>;
  /** Leaves a field by the call of the page, and waits for that. The name is a variable of it. */
  leave(name: string): Promise<void>;
  /** Empties fields by calls of the page, and waits for that. */
  empty(...names: readonly string[]): Promise<void>;
  /** Returns the text of the input of a frame. */
  text(kind: string): Promise<string>;
  /** Lists what the page and its frames did against their policies, printed or threw. */
  complaints(): Promise<readonly string[]>;
  /** Returns the requests of all frames to this origin, without preflights. */
  requests(origin: string): readonly {
    readonly method: string;
    readonly path: string;
    readonly headers: any;
    readonly body: string;
  }[];
  /** Lists what axe finds in the page and in every frame, by rule. */
  axe(): Promise<readonly string[]>;
}

const RECORDER = `
  window.complaints = [];
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => complaints.push(violatedDirective + ' ' + blockedURI));
  addEventListener('error', ({ message }) => message && complaints.push(message));
  addEventListener('unhandledrejection', ({ reason }) => complaints.push(String(reason)));
`;

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
/**
 * Rules that need the page around a frame: those about a whole page, and contrast, since the ground
 * of a frame is that of its page.
 */
const OF_PAGES = ['landmark-one-main', 'page-has-heading-one', 'region', 'color-contrast'];
const runAxe = (isFrame: boolean) =>
  `axe.run(document, { resultTypes: ['violations'], rules: ${JSON.stringify(
    Object.fromEntries(OF_PAGES.map((rule) => [rule, { enabled: !isFrame }])),
  )} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target, failureSummary }) => target + ' ' + failureSummary).join('; ')))`;

export async function openFields(chromium: Chromium, url: string, before = ''): Promise<FieldsPage> {
  const tab = await chromium.newTab();
  await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: RECORDER + before });
  await tab.watchFrames();
  await tab.open(url);

  const kindOf = (frame: Frame): Promise<string | undefined> =>
    frame.evaluate(`document.querySelector('#input')?.name.replaceAll('-', '_')`).catch(() => undefined);

  const page: FieldsPage = {
    tab,
    frame: (kind) =>
      until(async () => {
        for (const frame of tab.frames()) if ((await kindOf(frame)) === kind) return frame;
        return undefined;
      }),
    async type(selector, text) {
      const has = (mark: string) => `document.querySelector(${JSON.stringify(selector + mark)}) !== null`;
      await tab.until(has('[data-ready]'));
      // A click on a frame that was not painted yet goes to the page below it.
      await until(async () => {
        if (await tab.evaluate(has('[data-focused]'))) return true;
        await tab.click(selector);
        return undefined;
      });
      await tab.send('Input.insertText', { text });
    },
    async leave(name) {
      await tab.evaluate(`${name}.blur()`);
      await tab.until(`document.querySelector('#${name}[data-focused]') === null`);
    },
    async empty(...names) {
      await tab.evaluate(names.map((name) => `${name}.clear()`).join(';'));
      await tab.until(names.map((name) => `${name}.state.empty`).join(' && '));
    },
    text: async (kind) => (await page.frame(kind)).evaluate(`document.querySelector('#input').value`),
    async complaints() {
      const printed = [
        'Runtime.consoleAPICalled',
        'Runtime.exceptionThrown',
        'Log.entryAdded',
        'Audits.issueAdded',
      ];
      const reported = printed.flatMap((name) =>
        [...tab.events(name), ...tab.frameEvents(name)].map((event) => JSON.stringify(event)),
      );
      return [...(await tab.evaluate('window.complaints')), ...reported];
    },
    requests: (origin) =>
      tab
        .frameEvents('Network.requestWillBeSent')
        .map(({ request }) => request)
        .filter(({ url: address, method }) => new URL(address).origin === origin && method !== 'OPTIONS')
        .map(({ method, url: address, headers, postData = '' }) => ({
          method,
          path: new URL(address).pathname,
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
          ),
          body: postData,
        })),
    async axe() {
      const found: string[] = [];
      for (const each of [tab, ...tab.frames()]) {
        await each.evaluate(`window.axe === undefined && (() => { ${AXE} })(); true`);
        found.push(...((await each.evaluate(runAxe(each !== tab))) as string[]));
      }
      return found;
    },
  };
  return page;
}

/** The parts of a heap snapshot that a test reads (Chromium, v8/tools/heap-snapshot). */
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
  const node = meta.node_fields.length;
  const edge = meta.edge_fields.length;
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

/** Returns all strings in the memory of the page, without those of its frames. */
export async function heapTexts(tab: Tab): Promise<readonly string[]> {
  await tab.send('HeapProfiler.enable');
  await tab.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  const chunks = tab.events('HeapProfiler.addHeapSnapshotChunk').map(({ chunk }) => String(chunk));
  return textsOf(JSON.parse(chunks.join('')) as HeapSnapshot);
}
