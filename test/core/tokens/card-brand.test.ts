import { cardBrand } from '../../../src/core/tokens/types/card-brand.ts';

describe('what the first digits of a card number tell', () => {
  it.each([
    ['4242424242424242', 'visa', 8],
    ['4222222222222', 'visa', 6],
    ['5555555555554444', 'mastercard', 8],
    ['2221000000000009', 'mastercard', 8],
    ['2720999999999996', 'mastercard', 8],
    ['378282246310005', 'american-express', 6],
    ['341111111111111', 'american-express', 6],
    ['6011111111111117', 'discover', 8],
    ['6445644564456445', 'discover', 8],
    ['6500000000000002', 'discover', 8],
    ['36227206271667', 'diners-club', 6],
    ['3056930009020004', 'diners-club', 8],
    ['3528000000000007', 'jcb', 8],
    ['3589000000000003', 'jcb', 8],
    ['6200000000000005', 'unionpay', 8],
    ['2220990000000000', null, 8],
    ['2721000000000004', null, 8],
    ['3527000000000000', null, 8],
    ['9000000000000000', null, 8],
    ['5000000000000000', null, 8],
    ['', null, 6],
  ])('%s is %s with a BIN of %i digits', (number, brand, length) => {
    expect(cardBrand(number)).toEqual({ card_brand: brand, bin_length: length });
  });
});
