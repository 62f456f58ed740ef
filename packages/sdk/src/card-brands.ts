import { cardBrand as brandOf } from '../../../src/core/shared/card-brand.ts';

/** The network of a card. A later version may know more. */
export type CardBrand =
  | 'visa'
  | 'mastercard'
  | 'american-express'
  | 'discover'
  | 'diners-club'
  | 'jcb'
  | 'unionpay'
  | 'maestro'
  | 'elo'
  | 'mir'
  | 'rupay'
  | 'hipercard'
  | 'hiper'
  | 'troy'
  | 'naranja'
  | 'verve';

/**
 * The brand of a card number, by the longest known prefix of its digits; `null` if none is known.
 * Of a number that is still being typed, the brand of the digits so far. Nothing is sent: the table
 * is the one that the service has.
 * @example cardBrand('4242424242424242') // 'visa'
 */
export const cardBrand: (number: string) => CardBrand | null = brandOf;
