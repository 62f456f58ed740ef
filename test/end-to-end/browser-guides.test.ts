// Runs the page and the server of docs/guides/collect-a-card.md as they stand there, in Chromium.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChromium, type Chromium } from '../support/chromium.ts';
import { openFields, type FieldsPage } from '../support/fields-page.ts';
import { expectShown, guide } from '../support/guide-page.ts';
import { needing } from '../support/needing.ts';
import { aRevealingApplication, credentials } from '../support/service.ts';

const { describe } = needing('Chromium');

const NUMBER = '4242424242424242';
const CVC = '846';

let chromium: Chromium;
let shop: ChildProcess;
/** Everything that the server of the guide has printed. */
let printed = '';
let address: string;

const page = guide('collect-a-card');
const [inPage = '', inShell = ''] = page.blocks('text');

beforeAll(async () => {
  const surroundings = {
    url: credentials.base_url,
    credentialsFile: process.env['CLOAKROOM_CREDENTIALS'] ?? '',
  };
  const [stdout, browser] = await Promise.all([page.paste(surroundings), startChromium()]);
  chromium = browser;
  expectShown([inShell], stdout);
  shop = spawn(process.execPath, [join(page.folder, 'shop.mjs')], {
    env: { PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  shop.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  while (!/^port \d+$/m.test(printed) && shop.stdout !== null) await once(shop.stdout, 'data');
  address = `http://127.0.0.1:${/^port (\d+)$/m.exec(printed)?.[1] ?? ''}/`;
});

afterAll(async () => {
  shop.kill();
  await chromium.close();
});

describe('the guide to collect a card', () => {
  const shown = (tab: FieldsPage['tab']) => tab.evaluate(`document.getElementById('result').textContent`);

  it('has a page that saves a card, and a server that gets its mask alone', async () => {
    const opened = await openFields(chromium, address);
    const { tab } = opened;
    await opened.type('#number', NUMBER);
    await opened.type('#expiry', '1230');
    await tab.press('Enter');
    await tab.until(`document.getElementById('result').textContent !== ''`);
    expect(await shown(tab)).toBe('Enter the security code');
    await opened.type('#cvc', CVC);
    await tab.click('button');
    await tab.until(`document.getElementById('result').textContent.startsWith('Saved')`);
    expect(`${String(await shown(tab))}\n`).toBe(inPage);
    await tab.until(`document.querySelectorAll('[data-empty]').length === 3`);
    expect(await opened.complaints()).toEqual([]);
    expect(await opened.axe()).toEqual([]);

    const [, id = ''] = /^the customer saved (\S+)$/m.exec(printed) ?? [];
    const { get } = await aRevealingApplication();
    const { body } = await get(`/tokens/${id}`);
    expect(body.data).toEqual({ number: NUMBER, expiration_month: 12, expiration_year: 2030, cvc: CVC });
    expect(body.metadata).toEqual({ customer: 'c-4711' });
    // The page sent to its own server the id of the token, and nothing else.
    const sent = tab
      .events('Network.requestWillBeSent')
      .map(({ request: { url, postData } }) => [new URL(String(url)).pathname, postData]);
    expect(sent).toContainEqual(['/cards', JSON.stringify({ id })]);
    expect(JSON.stringify(sent) + printed).not.toMatch(new RegExp(`${NUMBER}|${CVC}`));
  });

  it('has a server that rejects a card whose customer another caller has named', async () => {
    const { publicKey } = JSON.parse(readFileSync(join(page.folder, 'shop.json'), 'utf8'));
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
      const handed = await fetch(`${address}cards`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ id: each }),
      });
      expect(handed.status).toBe(403);
    }
    expect((await get(`/tokens/${id}`)).body.metadata).toEqual({ customer: 'c-4002' });
  });
});
