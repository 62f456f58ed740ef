import type { Language } from './language.ts';

export const words: Language = {
  card_number: ['Numer karty', 'Wpisz numer karty', 'Numer karty jest niepełny', 'Sprawdź numer karty'],
  card_expiration: [
    'Data ważności',
    'Wpisz datę ważności',
    'Wpisz miesiąc i rok, np. 09 / 30',
    'Sprawdź datę ważności',
  ],
  card_cvc: [
    'Kod zabezpieczający',
    'Wpisz kod zabezpieczający',
    'Kod zabezpieczający jest niepełny',
    'Sprawdź kod zabezpieczający',
  ],
  account_number: ['Numer konta', 'Wpisz numer konta', 'Numer konta jest niepełny', 'Sprawdź numer konta'],
  routing_number: ['Kod banku (ABA)', 'Wpisz kod banku', 'Kod banku ma 9 cyfr', 'Sprawdź kod banku'],
  text: ['Tekst', 'Wypełnij to pole', 'Wypełnij to pole', 'Sprawdź to pole'],
  placeholder: 'MM / RR',
  past: 'Ta data już minęła',
};
