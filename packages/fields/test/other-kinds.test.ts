import { fc } from '../../test-kit/src/properties.ts';
import { KINDS } from '../src/frame/kinds/all-kinds.ts';
import { digitsOf } from '../src/frame/kinds/kind.ts';
import { accountNumber, cardCvc, freeText, routingNumber } from '../src/frame/kinds/other-kinds.ts';
import { FIELD_KINDS } from '../src/protocol.ts';
import { aKind } from './a-kind.ts';

it('each kind of field has a format that does not change again', () => {
  fc.assert(
    fc.property(fc.constantFrom(...FIELD_KINDS), fc.string({ unit: 'binary' }), (kind, text) => {
      const { format } = aKind(KINDS[kind]);
      expect(format(format(text))).toBe(format(text));
    }),
  );
});

describe('a security code', () => {
  it.each([
    [null, '123', 'ready'],
    [null, '1234', 'ready'],
    [null, '12', 'incomplete'],
    ['visa', '123', 'ready'],
    ['visa', '1234', 'wrong'],
    ['american-express', '123', 'incomplete'],
    ['american-express', '1234', 'ready'],
  ] as const)('beside a number of %s, %s is %s', (brand, text, expected) => {
    expect(aKind(cardCvc, { brand }).verdict(text)).toBe(expected);
  });

  it('keeps its first four digits, in the script of Latin', () => {
    expect(aKind(cardCvc).format('٠ 1-2３4')).toBe('0123');
  });
});

describe('a routing number', () => {
  const routing = aKind(routingNumber);

  it.each([
    ['021000021', 'ready'],
    ['0210-0002-1', 'ready'],
    ['021000022', 'wrong'],
    ['02100002', 'incomplete'],
    ['500000005', 'wrong'],
    ['000000000', 'wrong'],
  ] as const)('%s is %s, by the rules of the ABA', (text, expected) => {
    expect(routing.verdict(text)).toBe(expected);
  });

  it('has nine digits, leading zeros included', () => {
    expect([routing.format('0210000211'), routing.valueOf('021 000 021')]).toEqual([
      '021000021',
      '021000021',
    ]);
  });
});

describe('an account number', () => {
  it('is any number of 5 to 17 digits, leading zeros included', () => {
    const account = aKind(accountNumber);
    expect([account.verdict('12345'), account.verdict('1234'), account.valueOf('0-0001')]).toEqual([
      'ready',
      'incomplete',
      '00001',
    ]);
    expect(account.format('123456789012345678')).toHaveLength(17);
  });
});

describe('a text', () => {
  it('is sent without blanks around it, and is not changed otherwise', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        expect(aKind(freeText).valueOf(text)).toBe(text.trim());
        expect(aKind(freeText).check(text)).toEqual({ complete: text.trim() !== '', valid: true });
      }),
    );
  });

  it('has at most 255 characters, maxLength if it is stated, and never more than 1,000', () => {
    const lengthOf = (maxLength?: number) =>
      Array.from(aKind(freeText, { fixed: { maxLength } }).format('🦉'.repeat(2_000))).length;
    expect([lengthOf(), lengthOf(3), lengthOf(5_000)]).toEqual([255, 3, 1_000]);
  });
});

describe('the digits of a text', () => {
  it('are found in every script that keyboards have, and do not stay in RegExp.input', () => {
    /x/.exec('x');
    expect(digitsOf('a1٢۳४５')).toBe('12345');
    expect((RegExp as unknown as { readonly input: string }).input).toBe('x');
  });
});
