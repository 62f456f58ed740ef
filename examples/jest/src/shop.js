import { verifyWebhook } from '@cloakroom/sdk';

/** The bank declined a card. */
export class DeclinedError extends Error {}

const field = (token, path) => `{{ ${token} | json: '${path}' }}`;

/**
 * The checkout of a shop. It never keeps a card: `vault` is a client of the SDK, which stores it as
 * a token and fills it into the requests to the bank.
 */
export function createShop({ vault, bankUrl, webhookSecret }) {
  const orders = new Map();

  async function charge(token, amount, security = {}) {
    const response = await vault.proxy({
      url: `${bankUrl}/charges`,
      method: 'POST',
      body: {
        amount,
        number: field(token, '$.number'),
        month: field(token, '$.expiration_month'),
        year: field(token, '$.expiration_year'),
        ...security,
      },
    });
    if (response.status === 402) throw new DeclinedError('the bank declined the card');
    if (response.status !== 201) throw new Error(`the bank answered ${response.status}`);
    return response.json().id;
  }

  return {
    /** Charges a card for an order and keeps its token. Safe to repeat: an order has one token. */
    async checkout(order, card, amount) {
      const created = await vault.tokens.create(
        { type: 'card', data: card, metadata: { order } },
        { idempotencyKey: `order-${order}` },
      );
      // The cvc is for this charge alone: the vault deletes it within the hour.
      const chargeId = await charge(created.id, amount, { cvc: field(created.id, '$.cvc') });
      orders.set(order, { token: created.id, amount, charges: [chargeId], isSettled: false });
      return orders.get(order);
    },

    /** Charges the card of an earlier order again, without its cvc. */
    async renew(order, amount) {
      const { token, charges } = orders.get(order);
      charges.push(await charge(token, amount));
    },

    /** A receipt shows the mask of the card. */
    async receipt(order) {
      const { token, amount } = orders.get(order);
      const { data } = await vault.tokens.retrieve(token, { transform: 'mask' });
      return { card: data.number, amount };
    },

    /** Handles the webhook of a settlement. Rejects for one that the vault did not sign. */
    async settled({ body, headers }) {
      const { result } = await verifyWebhook({ body, headers, secret: webhookSecret });
      for (const order of result.raw.orders) orders.get(order).isSettled = true;
    },

    order: (order) => orders.get(order),
  };
}
