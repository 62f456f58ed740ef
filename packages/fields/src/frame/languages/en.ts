import type { Language } from './language.ts';

export const words: Language = {
  card_number: [
    'Card number',
    'Enter the card number',
    'The card number is not complete',
    'Check the card number',
  ],
  card_expiration: [
    'Expiry date',
    'Enter the expiry date',
    'Enter month and year, such as 09 / 30',
    'Check the expiry date',
  ],
  card_cvc: [
    'Security code',
    'Enter the security code',
    'The security code is not complete',
    'Check the security code',
  ],
  account_number: [
    'Account number',
    'Enter the account number',
    'The account number is not complete',
    'Check the account number',
  ],
  routing_number: [
    'Routing number',
    'Enter the routing number',
    'A routing number has 9 digits',
    'Check the routing number',
  ],
  text: ['Text', 'Fill in this field', 'Fill in this field', 'Check this field'],
  placeholder: 'MM / YY',
  past: 'This date is in the past',
};
