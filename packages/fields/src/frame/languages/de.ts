import type { Language } from './language.ts';

export const words: Language = {
  card_number: [
    'Kartennummer',
    'Geben Sie die Kartennummer ein',
    'Die Kartennummer ist unvollständig',
    'Prüfen Sie die Kartennummer',
  ],
  card_expiration: [
    'Gültig bis',
    'Geben Sie das Ablaufdatum ein',
    'Geben Sie Monat und Jahr ein, z. B. 09 / 30',
    'Prüfen Sie das Ablaufdatum',
  ],
  card_cvc: [
    'Prüfziffer',
    'Geben Sie die Prüfziffer ein',
    'Die Prüfziffer ist unvollständig',
    'Prüfen Sie die Prüfziffer',
  ],
  account_number: [
    'Kontonummer',
    'Geben Sie die Kontonummer ein',
    'Die Kontonummer ist unvollständig',
    'Prüfen Sie die Kontonummer',
  ],
  routing_number: [
    'Bankleitzahl (ABA)',
    'Geben Sie die Bankleitzahl ein',
    'Die Bankleitzahl hat 9 Ziffern',
    'Prüfen Sie die Bankleitzahl',
  ],
  text: ['Text', 'Füllen Sie dieses Feld aus', 'Füllen Sie dieses Feld aus', 'Prüfen Sie dieses Feld'],
  placeholder: 'MM / JJ',
  past: 'Dieses Datum liegt in der Vergangenheit',
};
