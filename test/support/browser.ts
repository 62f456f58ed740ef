import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import { forBrowsers } from '../../tools/publishing/for-browsers.ts';
import { startChromium } from './chromium.ts';

/** The SDK as one module, which a script of {@link inBrowser} imports from a Blob. */
export async function sdkModule(): Promise<string> {
  const bundled = await build({
    // esbuild remembers the folder in which it was first loaded, which may be that of another test.
    absWorkingDir: process.cwd(),
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
 * script gets `args`; an error is returned as `{ error }`.
 */
export async function inBrowser(script: string, args: unknown): Promise<any> {
  const server = createServer((_request, response) =>
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><meta charset="utf-8">'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const chromium = await startChromium();
  try {
    const tab = await chromium.newTab();
    await tab.open(`http://127.0.0.1:${String(port)}/`);
    const run = `(async (args) => { ${script} })(${JSON.stringify(args)})`;
    return await tab.evaluate(`${run}.catch((error) => ({ error: String(error) }))`);
  } finally {
    await chromium.close();
    server.closeAllConnections();
    server.close();
  }
}
