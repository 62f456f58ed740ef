// The code of the reactor: it runs in the service, on Node.js 16, and alone sees the card.
const { BadRequestError, InvalidPaymentMethodError } = require('@cloakroom/sdk');

module.exports = async (req) => {
  const { card, amount } = req.args;
  if (!Number.isInteger(amount) || amount < 1) {
    throw new BadRequestError('The amount is wrong.', {
      errors: { 'args.amount': ['must be a whole number from 1'] },
    });
  }
  const limit = Number(req.configuration.limit);
  if (amount > limit) throw new InvalidPaymentMethodError('The card was declined.');
  // Here a real one calls its processor: axios.post(req.configuration.url, { number: card.number,
  // amount }).
  return {
    raw: { charged: amount, last4: card.number.slice(-4) }, // goes back as it is
    tokenize: { receipt: `${card.number}:${amount}` }, // goes back as tokens
  };
};
