import { createVault, vaultMatchers } from '@cloakroom/testing';
import { createShop, DeclinedError } from '../src/shop.js';

const BANK = 'https://bank.example';
const CARD = { number: '4242424242424242', expiration_month: 12, expiration_year: 2035, cvc: '123' };

let vault;
let shop;
let bank;
let ofShop;
let ofSupport;
let empty;

beforeAll(async () => {
  vault = await createVault();
  expect.extend(vaultMatchers(vault));
  ofShop = await vault.applications.create({
    name: 'Shop',
    type: 'private',
    permissions: ['token:create', 'token:read', 'token:use'],
  });
  ofSupport = await vault.applications.create({
    name: 'Support',
    type: 'private',
    rules: [{ priority: 1, container: '/', permissions: ['token:read'], transform: 'reveal' }],
  });
  empty = vault.snapshot();
});

afterAll(() => vault.reset());

beforeEach(() => {
  vault.restore(empty);
  bank = vault.destination(BANK, () => Response.json({ id: 'ch_1' }, { status: 201 }));
  shop = createShop({
    vault: vault.client({ apiKey: ofShop.key }),
    bankUrl: BANK,
    webhookSecret: vault.webhookSecret,
  });
});

const received = async () => Promise.all(bank.requests.map((request) => request.clone().json()));

describe('the checkout', () => {
  it('charges the card and keeps a token of it', async () => {
    const order = await shop.checkout('7', CARD, 1999);
    expect(order.token).toBeToken('card');
    expect(JSON.stringify(order)).not.toContain(CARD.number);
    expect(await received()).toEqual([
      { amount: 1999, number: CARD.number, month: 12, year: 2035, cvc: '123' },
    ]);
    expect(await shop.receipt('7')).toEqual({ card: 'XXXXXXXXXXXX4242', amount: 1999 });
  });

  it('says that a card was declined', async () => {
    bank = vault.destination(BANK, () => Response.json({}, { status: 402 }));
    await expect(shop.checkout('7', CARD, 1999)).rejects.toThrow(DeclinedError);
  });

  it('makes one token although the vault fails twice', async () => {
    vault.fail({ operation: 'createToken', times: 2, status: 429 });
    const first = await shop.checkout('7', CARD, 1999);
    const again = await shop.checkout('7', CARD, 1999);
    expect(again.token).toBe(first.token);
  });

  it('charges a saved card again after its cvc is gone', async () => {
    await shop.checkout('7', CARD, 1999);
    await vault.clock.advance('2h');
    await shop.renew('7', 500);
    expect((await received())[1]).toEqual({ amount: 500, number: CARD.number, month: 12, year: 2035 });
    const support = vault.client({ apiKey: ofSupport.key });
    expect((await support.tokens.retrieve(shop.order('7').token)).data).not.toHaveProperty('cvc');
  });

  it('reveals the card to those alone who asked for it', async () => {
    const { token } = await shop.checkout('7', CARD, 1999);
    await expect(token).not.toHaveBeenRevealedTo(ofShop);
    await vault.client({ apiKey: ofSupport.key }).tokens.retrieve(token);
    await expect(token).toHaveBeenRevealedTo(ofSupport);
  });

  it('learns of settlements from a signed webhook', async () => {
    vault.destination('https://shop.example/hooks', () => new Response());
    const settle = await vault.reactors.create({
      name: 'Settle',
      configuration: {},
      code: 'module.exports = async ({ args }) => ({ raw: { orders: args.orders } });',
    });
    await shop.checkout('7', CARD, 1999);
    await vault.client({ apiKey: ofShop.key }).reactors.reactAsync(settle.id, {
      args: { orders: ['7'] },
      callback_url: 'https://shop.example/hooks',
    });
    await vault.settled();
    const [{ body, headers }] = vault.webhooks;
    await shop.settled({ body, headers });
    expect(shop.order('7').isSettled).toBe(true);
    await expect(shop.settled({ body: body.replace('7', '8'), headers })).rejects.toThrow();
  });
});
