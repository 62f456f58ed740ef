export const TAG = 'Reactors';

export const ID = { id: 'The id of the reactor.' };

export const CHARGE = {
  name: 'Charge card',
  code: 'module.exports = async ({ args, configuration }) => ({ raw: { to: configuration.url, last4: args.card.number.slice(-4) } });',
  configuration: { url: 'https://processor.example.com' },
};

export const CONFLICT =
  'Another request is changing the reactor, or the same idempotency key is still running.';
