// `npm run build -- console-pictures`: the pictures of docs/console.md. It needs Chromium and a
// running `npm start`, in which it creates applications, tokens, a reactor and a proxy.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { fillVault } from '../bin/start/sample.ts';
import { createClient } from '../packages/sdk/src/index.ts';
import { openConsole, type ConsolePage } from '../test/support/console-page.ts';
import { startChromium } from '../test/support/chromium.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs', 'console');
const WIDTH = 1_280;
const QUALITY = 82;

const credentials = z
  .object({ base_url: z.string(), console_url: z.string(), management_key: z.string() })
  .parse(JSON.parse(readFileSync(process.argv[2] ?? join(ROOT, '.local/credentials.json'), 'utf8')));
const { base_url: baseUrl, console_url: consoleUrl, management_key: managementKey } = credentials;

const clientOf = (apiKey: string) => createClient({ baseUrl, apiKey });
const management = clientOf(managementKey);

/** Takes a picture of the whole view, at most `height` high. */
async function take(page: ConsolePage, name: string, hash: string, height = 900): Promise<void> {
  await page.go(hash);
  await page.tab.until(
    '!document.querySelector(".waiting") && !document.body.innerText.includes("so far…") && document.fonts.status === "loaded"',
  );
  await page.tab.until(
    'document.querySelectorAll(".plot-place").length === document.querySelectorAll(".plot-place .uplot").length',
  );
  const whole = Number(await page.tab.evaluate('document.documentElement.scrollHeight'));
  await page.tab.send('Emulation.setDeviceMetricsOverride', {
    width: WIDTH,
    height: Math.min(height, Math.max(640, whole)),
    deviceScaleFactor: 1,
    mobile: false,
  });
  const { data } = (await page.tab.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })) as {
    readonly data: string;
  };
  writeFileSync(join(FOLDER, `${name}.webp`), Buffer.from(data, 'base64'));
}

mkdirSync(FOLDER, { recursive: true });
const { key, views } = await fillVault(management, clientOf);
const chromium = await startChromium();
// Chromium is for tests, which end without waiting for it, and this program would end too.
const alive = setInterval(() => undefined, 60_000);
try {
  const page = await openConsole(chromium, consoleUrl);
  await page.tab.send('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-color-scheme', value: process.argv[3] ?? 'light' }],
  });
  await page.tab.send('Emulation.setDeviceMetricsOverride', {
    width: WIDTH,
    height: 900,
    deviceScaleFactor: 1,
    mobile: false,
  });
  await take(page, 'sign-in', '#/');
  await page.signIn(managementKey);
  await page.go('#/tokens');
  await page.signIn(key);
  await page.sees('Metadata key');
  await take(page, 'tokens', '#/tokens');
  await take(page, 'token', `#/tokens/${views.token}`);
  await take(page, 'new-token', '#/tokens/new');
  await take(page, 'applications', '#/applications');
  await take(page, 'application', `#/applications/${views.application}`, 1_300);
  await take(page, 'new-application', '#/applications/new');
  await take(page, 'access', '#/access');
  await take(page, 'reactors', '#/reactors');
  await take(page, 'reactor', `#/reactors/${views.reactor}`, 1_500);
  await take(page, 'proxies', '#/proxies');
  await take(page, 'proxy', `#/proxies/${views.proxy}`, 1_100);
  await take(page, 'trail', '#/trail', 1_100);
  await take(page, 'tenant', '#/tenant');
  await take(page, 'health', '#/health', 1_100);
} finally {
  await chromium.close();
  clearInterval(alive);
}
console.log(FOLDER);
