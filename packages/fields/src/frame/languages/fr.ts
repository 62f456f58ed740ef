import type { Language } from './language.ts';

export const words: Language = {
  card_number: [
    'Numéro de carte',
    'Saisissez le numéro de carte',
    'Le numéro de carte est incomplet',
    'Vérifiez le numéro de carte',
  ],
  card_expiration: [
    'Date d’expiration',
    'Saisissez la date d’expiration',
    'Saisissez le mois et l’année, par ex. 09 / 30',
    'Vérifiez la date d’expiration',
  ],
  card_cvc: [
    'Code de sécurité',
    'Saisissez le code de sécurité',
    'Le code de sécurité est incomplet',
    'Vérifiez le code de sécurité',
  ],
  account_number: [
    'Numéro de compte',
    'Saisissez le numéro de compte',
    'Le numéro de compte est incomplet',
    'Vérifiez le numéro de compte',
  ],
  routing_number: [
    'Code bancaire (ABA)',
    'Saisissez le code bancaire',
    'Le code bancaire a 9 chiffres',
    'Vérifiez le code bancaire',
  ],
  text: ['Texte', 'Remplissez ce champ', 'Remplissez ce champ', 'Vérifiez ce champ'],
  placeholder: 'MM / AA',
  past: 'Cette date est passée',
};
