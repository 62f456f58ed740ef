import type { FieldBrand } from '../src/protocol.ts';

/** A number of each brand that networks and gateways publish for tests, as a card shows it. */
export const CARD_NUMBERS: Readonly<Record<FieldBrand, string>> = {
  visa: '4242 4242 4242 4242',
  mastercard: '5555 5555 5555 4444',
  'american-express': '3782 822463 10005',
  discover: '6011 1111 1111 1117',
  'diners-club': '3056 930902 5904',
  jcb: '3566 0020 2036 0505',
  unionpay: '6200 0000 0000 0005',
  maestro: '6759 6498 2643 8453',
  elo: '6362 9700 0045 7013',
  mir: '2200 0000 0000 0053',
  rupay: '6085 0000 0000 0005',
  hipercard: '6062 8210 0000 0001',
  hiper: '6370 9500 0000 0005',
  troy: '9792 0000 0000 0003',
  naranja: '5895 6200 0000 0002',
  verve: '5061 0000 0000 0005',
};

/** The digits with a last one that fits (Luhn, ISO/IEC 7812-1). */
export function withLuhnDigit(digits: string): string {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return digits + String((10 - (sum % 10)) % 10);
}
