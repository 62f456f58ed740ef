import type { Language } from './language.ts';

export const words: Language = {
  card_number: [
    'Numero della carta',
    'Inserisci il numero della carta',
    'Il numero della carta è incompleto',
    'Controlla il numero della carta',
  ],
  card_expiration: [
    'Data di scadenza',
    'Inserisci la data di scadenza',
    'Inserisci mese e anno, ad es. 09 / 30',
    'Controlla la data di scadenza',
  ],
  card_cvc: [
    'Codice di sicurezza',
    'Inserisci il codice di sicurezza',
    'Il codice di sicurezza è incompleto',
    'Controlla il codice di sicurezza',
  ],
  account_number: [
    'Numero di conto',
    'Inserisci il numero di conto',
    'Il numero di conto è incompleto',
    'Controlla il numero di conto',
  ],
  routing_number: [
    'Codice bancario (ABA)',
    'Inserisci il codice bancario',
    'Il codice bancario ha 9 cifre',
    'Controlla il codice bancario',
  ],
  text: ['Testo', 'Compila questo campo', 'Compila questo campo', 'Controlla questo campo'],
  placeholder: 'MM / AA',
  past: 'Questa data è già passata',
};
