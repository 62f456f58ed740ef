// Runs the pages and the servers of docs/guides as they stand there, in Chromium.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChromium, type Chromium } from '../support/chromium.ts';
import { openFields, type FieldsPage } from '../support/fields-page.ts';
import { expectShown, guide, type Guide } from '../support/guide-page.ts';
import { needing } from '../support/needing.ts';
import { aRevealingApplication, credentials, openDestination } from '../support/service.ts';

const { describe } = needing('Chromium');

const NUMBER = '4242424242424242';
const CVC = '846';

let chromium: Chromium;

/** The server of a guide, which runs. */
interface Shop {
  readonly page: Guide;
  readonly address: string;
  /** Everything that it has printed. */
  printed(): string;
}
const running: ChildProcess[] = [];

/** Pastes the shell blocks of a guide, and starts its server. */
async function startShop(name: string, server: string, destination?: string): Promise<Shop> {
  const page = guide(name);
  const stdout = await page.paste({
    url: credentials.base_url,
    credentialsFile: process.env['CLOAKROOM_CREDENTIALS'] ?? '',
    ...(destination !== undefined && { destination }),
  });
  expectShown(page.blocks('text').slice(1), stdout);
  const shop = spawn(process.execPath, [join(page.folder, server)], {
    env: { PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(shop);
  let printed = '';
  shop.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  while (!/^port \d+$/m.test(printed)) await once(shop.stdout, 'data');
  const address = `http://127.0.0.1:${/^port (\d+)$/m.exec(printed)?.[1] ?? ''}/`;
  return { page, address, printed: () => printed };
}

const shown = (tab: FieldsPage['tab']) => tab.evaluate(`document.getElementById('result').textContent`);
const untilShown = (tab: FieldsPage['tab'], beginning: string) =>
  tab.until(`document.getElementById('result').textContent.startsWith('${beginning}')`);

beforeAll(async () => {
  chromium = await startChromium();
});

afterAll(async () => {
  for (const shop of running) shop.kill();
  await chromium.close();
});

describe('the guide to collect a card', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop('collect-a-card', 'shop.mjs');
  });

  it('has a page that saves a card, and a server that gets its mask alone', async () => {
    const opened = await openFields(chromium, shop.address);
    const { tab } = opened;
    await opened.type('#number', NUMBER);
    await opened.type('#expiry', '1230');
    await tab.press('Enter');
    await untilShown(tab, 'Enter the security code');
    await opened.type('#cvc', CVC);
    await tab.click('button');
    await untilShown(tab, 'Saved');
    expect(`${String(await shown(tab))}\n`).toBe(shop.page.blocks('text')[0]);
    await tab.until(`document.querySelectorAll('[data-empty]').length === 3`);
    expect(await opened.complaints()).toEqual([]);
    expect(await opened.axe()).toEqual([]);

    const [, id = ''] = /^the customer saved (\S+)$/m.exec(shop.printed()) ?? [];
    const { get } = await aRevealingApplication();
    const { body } = await get(`/tokens/${id}`);
    expect(body.data).toEqual({ number: NUMBER, expiration_month: 12, expiration_year: 2030, cvc: CVC });
    expect(body.metadata).toEqual({ customer: 'c-4711' });
    // The page sent to its own server the id of the token, and nothing else.
    const sent = tab
      .events('Network.requestWillBeSent')
      .map(({ request: { url, postData } }) => [new URL(String(url)).pathname, postData]);
    expect(sent).toContainEqual(['/cards', JSON.stringify({ id })]);
    expect(JSON.stringify(sent) + shop.printed()).not.toMatch(new RegExp(`${NUMBER}|${CVC}`));
  });

  it('has a server that rejects a card whose customer another caller has named', async () => {
    const { publicKey } = JSON.parse(readFileSync(join(shop.page.folder, 'shop.json'), 'utf8'));
    const headers = { 'Content-Type': 'application/json', 'SVC-API-KEY': publicKey };
    const created = await fetch(`${credentials.base_url}/tokens`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ type: 'card', data: { number: NUMBER }, metadata: { customer: 'c-4002' } }),
    });
    const { id } = (await created.json()) as { readonly id: string };
    const { post, get } = await aRevealingApplication();
    const { body: ofAnother } = await post('/tokens', { type: 'card', data: { number: NUMBER } });
    for (const each of [id, ofAnother.id]) {
      const handed = await fetch(`${shop.address}cards`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ id: each }),
      });
      expect(handed.status).toBe(403);
    }
    expect((await get(`/tokens/${id}`)).body.metadata).toEqual({ customer: 'c-4002' });
  });
});

describe('the guide to charge a saved card', () => {
  it('has a page where a code alone is typed, and a server that charges with it and deletes it', async () => {
    const provider = await openDestination();
    const destination = `https://localhost:${String(provider.port)}`;
    const shop = await startShop('charge-a-saved-card', 'wallet.mjs', destination);
    const opened = await openFields(chromium, shop.address);
    const { tab } = opened;
    expect(await tab.evaluate(`document.querySelector('h1').textContent`)).toBe(
      'Pay 12.99 with XXXXXXXXXXXX4242',
    );
    await opened.type('#cvc', CVC);
    await tab.click('button');
    await untilShown(tab, 'Paid');
    expect(`${String(await shown(tab))}\n`).toBe(shop.page.blocks('text')[0]);
    await tab.until(`document.querySelector('[data-empty]') !== null`);
    expect(await opened.complaints()).toEqual([]);
    expect(await opened.axe()).toEqual([]);

    const [{ headers, body } = { headers: {}, body: '' }] = provider.received;
    expect(headers['authorization']).toMatch(/^Bearer sk_test_/);
    expect(JSON.parse(body.toString())).toEqual({ amount: 1299, number: NUMBER, cvc: CVC });
    const { card } = JSON.parse(readFileSync(join(shop.page.folder, 'wallet.json'), 'utf8'));
    const { get } = await aRevealingApplication();
    expect((await get(`/tokens/${card}`)).body.data).not.toHaveProperty('cvc');
    const other = await fetch(`${shop.address}session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ id: 'another' }),
    });
    expect(other.status).toBe(403);
  });
});
