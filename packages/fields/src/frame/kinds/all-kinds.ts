import type { FieldKind } from '../../protocol.ts';
import { cardExpiration } from './card-expiration.ts';
import { cardNumber } from './card-number.ts';
import type { Kind } from './kind.ts';
import { accountNumber, cardCvc, freeText, routingNumber } from './other-kinds.ts';

export const KINDS: Readonly<Record<FieldKind, Kind>> = {
  card_number: cardNumber,
  card_expiration: cardExpiration,
  card_cvc: cardCvc,
  account_number: accountNumber,
  routing_number: routingNumber,
  text: freeText,
};
