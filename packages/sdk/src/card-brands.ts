import { cardBrand as brandOf } from '../../../src/core/tokens/types/card-brand.ts';

/** The network of a card. Later versions may add more. */
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
 * The brand of a card number, complete or not, by its longest known prefix; `null` if none is
 * known. It sends nothing: the SDK contains the table of the service.
 * @example cardBrand('4242424242424242') // 'visa'
 */
export const cardBrand: (number: string) => CardBrand | null = brandOf;
