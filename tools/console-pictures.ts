// `npm run build -- console-pictures`: the pictures of docs/console.md. It needs Chromium and a
// running `npm start`, in which it creates applications, tokens, a reactor and a proxy.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
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

const management = createClient({ baseUrl, apiKey: managementKey });
const clientOf = ({ key }: { readonly key: string }) => createClient({ baseUrl, apiKey: key });

const CARDS = ['4242424242424242', '5555555555554444', '378282246310005'];
const ALL = ['token:read', 'token:search', 'token:update', 'token:delete', 'token:use'] as const;

const CODE = `const { BadRequestError } = require('@cloakroom/sdk');

// Charges the card at the payment provider.
module.exports = async ({ args, configuration }) => {
  if (!args.card) throw new BadRequestError('card is required');
  return { raw: { last4: args.card.number.slice(-4), merchant: configuration.MERCHANT } };
};
`;

/** A shop with a few callers, and what they did in the last minute. */
async function furnish() {
  const { applications } = management;
  const billing = await applications.create({
    name: 'Billing',
    type: 'private',
    permissions: ['token:create', 'token:search'],
    rules: [
      { priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read', 'token:use'] },
      { priority: 2, container: '/pii/', transform: 'redact', permissions: ['token:read'] },
    ],
  });
  const support = await applications.create({
    name: 'Support desk',
    type: 'private',
    permissions: ['token:read'],
  });
  await applications.create({ name: 'Checkout page', type: 'public', permissions: ['token:create'] });
  const admin = await applications.create({
    name: 'Vault administration',
    type: 'private',
    permissions: ['token:create'],
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ALL }],
  });
  const vault = clientOf(admin);
  const ids: string[] = [];
  for (const [index, number] of CARDS.entries()) {
    const { id } = await vault.tokens.create({
      type: 'card',
      data: { number, expiration_month: 12, expiration_year: 2030 },
      metadata: { customer: `c-${String(17 + index)}` },
      search_indexes: ['{{ data.number | last4 }}'],
    });
    ids.push(id);
  }
  await vault.tokens.create({
    type: 'social_security_number',
    data: '123-45-6789',
    metadata: { customer: 'c-17' },
  });
  await vault.tokens.create({
    type: 'bank',
    data: { routing_number: '021000021', account_number: '000123456789' },
  });
  for (const id of [...ids, ...ids]) await clientOf(billing).tokens.retrieve(id);
  for (const id of ids) await clientOf(support).tokens.retrieve(id);
  await vault.tokens.retrieve(ids[0] ?? '');
  await clientOf(support)
    .tokens.delete(ids[0] ?? '')
    .catch(() => undefined);
  const reactor = await management.reactors.create({
    name: 'Charge a card',
    code: CODE,
    configuration: { MERCHANT: 'm-17' },
  });
  const proxy = await management.proxies.create({
    name: 'Payment provider',
    destination_url: 'https://psp.example.com/v1',
    paths: ['/charges'],
    configuration: { API_KEY: 'sk_test_51MZ4kQ2eZvKYlo2C' },
    request_transforms: [
      { type: 'append_header', name: 'Authorization', value: 'Bearer {{ configuration.API_KEY }}' },
    ],
    response_transforms: [{ type: 'mask', matcher: 'card_number', replacement: '[card]' }],
  });
  return {
    key: admin.key,
    views: { application: billing.id, token: ids[0] ?? '', reactor: reactor.id, proxy: proxy.id },
  };
}

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
const { key, views } = await furnish();
const chromium = await startChromium();
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
}
console.log(FOLDER);
