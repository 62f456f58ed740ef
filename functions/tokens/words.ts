export const TAG = 'Tokens';

export const ID = { id: 'The id of the token, URL-encoded once.' };

export const DEDUPLICATION =
  'With `_extras.deduplicated` the token existed, and nothing was written but a `cvc`, if the caller has `token:update` there; otherwise `_extras.not_stored` names it. The token is shared from then on: its expiry, and the data that it was matched by, change only under `reveal`.';

export const CARD = {
  type: 'card',
  data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' },
  metadata: { customer: 'c-17' },
};
