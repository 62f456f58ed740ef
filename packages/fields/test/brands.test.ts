import creditCardType from 'credit-card-type';
import { brandName, brandOf, cvcLengths, grouped, numberLengths, usualLength } from '../src/frame/brands.ts';
import type { FieldBrand } from '../src/protocol.ts';
import { CARD_NUMBERS } from './card-numbers.ts';

const TYPES = creditCardType('');
const BRANDS = Object.keys(CARD_NUMBERS) as FieldBrand[];

describe('the brands of card fields', () => {
  it('are those of credit-card-type, with its names, and RuPay', () => {
    expect(TYPES.map(({ type }) => type).sort()).toEqual(BRANDS.filter((brand) => brand !== 'rupay').sort());
    for (const { type, niceType } of TYPES)
      expect([type, brandName(type as FieldBrand)]).toEqual([type, niceType]);
  });

  it('have its lengths of numbers, and more: a rejected card costs more than an accepted slip', () => {
    for (const { type, lengths } of TYPES)
      expect([type, numberLengths(type as FieldBrand)]).toEqual([type, expect.arrayContaining(lengths)]);
  });

  it('have the usual length first, which is that of their printed groups', () => {
    for (const [brand, printed] of Object.entries(CARD_NUMBERS))
      expect([brand, usualLength(brand as FieldBrand)]).toEqual([brand, printed.replaceAll(' ', '').length]);
  });

  it('have its lengths of security codes', () => {
    for (const { type, code } of TYPES)
      expect([type, cvcLengths(type as FieldBrand)]).toEqual([type, [code.size]]);
  });

  it('are grouped with its gaps', () => {
    for (const { type, gaps } of TYPES) {
      const digits = CARD_NUMBERS[type as FieldBrand].replaceAll(' ', '');
      const parts = [0, ...gaps].map((gap, index) => digits.slice(gap, gaps[index] ?? digits.length));
      expect([type, grouped(digits)]).toEqual([type, parts.filter((part) => part !== '').join(' ')]);
    }
  });

  it('are not guessed from fewer digits than distinguish them', () => {
    expect(['6', '60', '601', '6011'].map((digits) => brandOf(digits))).toEqual([
      null,
      null,
      null,
      'discover',
    ]);
    expect(['4', '5', '51', '3', '37'].map((digits) => brandOf(digits))).toEqual([
      'visa',
      null,
      'mastercard',
      null,
      'american-express',
    ]);
  });
});
