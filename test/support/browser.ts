import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { forBrowsers } from '../../tools/publishing/for-browsers.ts';
import { temporaryFolder } from './run-service.ts';

const run = promisify(execFile);

/**
 * Offline, without a profile, and without the background traffic that a closed network rejects many
 * times.
 */
export const CHROMIUM_FLAGS = [
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

/** The SDK as one module, which a script of {@link inBrowser} imports from a Blob. */
export async function sdkModule(): Promise<string> {
  const bundled = await build({
    entryPoints: ['packages/sdk/src/index.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    plugins: [forBrowsers],
    target: 'es2020',
  });
  return bundled.outputFiles[0]?.text ?? '';
}

/**
 * Runs a script in a page with a separate origin, in headless Chromium, and returns its result. The
 * script gets `arguments_` as `args`; an error is returned as `{ error }`.
 */
export async function inBrowser(script: string, args: unknown): Promise<any> {
  const page = `<!doctype html><meta charset="utf-8"><pre id="result"></pre><script type="module">
    const args = ${JSON.stringify(args).replaceAll('<', '\\u003c')};
    const show = (value) => { document.getElementById('result').textContent = btoa(JSON.stringify(value)); };
    (async () => { ${script} })().then(show, (error) => show({ error: String(error) }));
  </script>`;
  const server = createServer((_request, response) =>
    response.setHeader('Content-Type', 'text/html').end(page),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const options = [
      ...CHROMIUM_FLAGS,
      `--user-data-dir=${temporaryFolder()}`,
      '--timeout=20000',
      '--virtual-time-budget=15000',
      '--dump-dom',
    ];
    const { stdout } = await run('/usr/bin/chromium', [...options, `http://127.0.0.1:${String(port)}/`], {
      timeout: 50_000,
    });
    const result = /<pre id="result">([^<]*)<\/pre>/.exec(stdout)?.[1] ?? '';
    return JSON.parse(Buffer.from(result, 'base64').toString('utf8'));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
