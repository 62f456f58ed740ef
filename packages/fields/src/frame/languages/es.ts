import type { Language } from './language.ts';

export const words: Language = {
  card_number: [
    'Número de tarjeta',
    'Introduce el número de tarjeta',
    'El número de tarjeta está incompleto',
    'Revisa el número de tarjeta',
  ],
  card_expiration: [
    'Fecha de caducidad',
    'Introduce la fecha de caducidad',
    'Introduce mes y año, p. ej. 09 / 30',
    'Revisa la fecha de caducidad',
  ],
  card_cvc: [
    'Código de seguridad',
    'Introduce el código de seguridad',
    'El código de seguridad está incompleto',
    'Revisa el código de seguridad',
  ],
  account_number: [
    'Número de cuenta',
    'Introduce el número de cuenta',
    'El número de cuenta está incompleto',
    'Revisa el número de cuenta',
  ],
  routing_number: [
    'Código bancario (ABA)',
    'Introduce el código bancario',
    'El código bancario tiene 9 cifras',
    'Revisa el código bancario',
  ],
  text: ['Texto', 'Rellena este campo', 'Rellena este campo', 'Revisa este campo'],
  placeholder: 'MM / AA',
  past: 'Esta fecha ya ha pasado',
};
