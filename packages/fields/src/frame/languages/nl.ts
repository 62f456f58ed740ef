import type { Language } from './language.ts';

export const words: Language = {
  card_number: [
    'Kaartnummer',
    'Vul het kaartnummer in',
    'Het kaartnummer is niet volledig',
    'Controleer het kaartnummer',
  ],
  card_expiration: [
    'Vervaldatum',
    'Vul de vervaldatum in',
    'Vul maand en jaar in, bijv. 09 / 30',
    'Controleer de vervaldatum',
  ],
  card_cvc: [
    'Beveiligingscode',
    'Vul de beveiligingscode in',
    'De beveiligingscode is niet volledig',
    'Controleer de beveiligingscode',
  ],
  account_number: [
    'Rekeningnummer',
    'Vul het rekeningnummer in',
    'Het rekeningnummer is niet volledig',
    'Controleer het rekeningnummer',
  ],
  routing_number: [
    'Bankcode (ABA)',
    'Vul de bankcode in',
    'De bankcode heeft 9 cijfers',
    'Controleer de bankcode',
  ],
  text: ['Tekst', 'Vul dit veld in', 'Vul dit veld in', 'Controleer dit veld'],
  placeholder: 'MM / JJ',
  past: 'Deze datum ligt in het verleden',
};
