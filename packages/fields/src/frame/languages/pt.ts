import type { Language } from './language.ts';

export const words: Language = {
  card_number: [
    'Número do cartão',
    'Introduza o número do cartão',
    'O número do cartão está incompleto',
    'Verifique o número do cartão',
  ],
  card_expiration: [
    'Data de validade',
    'Introduza a data de validade',
    'Introduza mês e ano, p. ex. 09 / 30',
    'Verifique a data de validade',
  ],
  card_cvc: [
    'Código de segurança',
    'Introduza o código de segurança',
    'O código de segurança está incompleto',
    'Verifique o código de segurança',
  ],
  account_number: [
    'Número da conta',
    'Introduza o número da conta',
    'O número da conta está incompleto',
    'Verifique o número da conta',
  ],
  routing_number: [
    'Código bancário (ABA)',
    'Introduza o código bancário',
    'O código bancário tem 9 dígitos',
    'Verifique o código bancário',
  ],
  text: ['Texto', 'Preencha este campo', 'Preencha este campo', 'Verifique este campo'],
  placeholder: 'MM / AA',
  past: 'Esta data já passou',
};
