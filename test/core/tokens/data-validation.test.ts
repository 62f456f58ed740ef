import { isAbaRouting } from '../../../src/core/tokens/types/is-aba-routing.ts';
import { passesLuhn } from '../../../src/core/tokens/types/passes-luhn.ts';
import { tokenType, type TokenTypeName } from '../../../src/core/tokens/token-type.ts';
import type { Json } from '../../../src/core/shared/json.ts';

function check(type: TokenTypeName, data: Json) {
  const errors: string[] = [];
  const checked = tokenType(type).check(data, (path, message) => errors.push(`${path} ${message}`));
  return { data: checked, errors };
}

describe('Luhn', () => {
  it.each(['4242424242424242', '378282246310005', '36227206271667', '6011111111111117'])(
    'accepts %s',
    (number) => {
      expect(passesLuhn(number)).toBe(true);
    },
  );

  it('catches every single wrong digit and every swap of neighbours but 09 and 90', () => {
    const number = '4539578763621486';
    for (let at = 0; at < number.length; at += 1) {
      for (let digit = 0; digit < 10; digit += 1) {
        const other = number.slice(0, at) + String(digit) + number.slice(at + 1);
        expect(passesLuhn(other)).toBe(other === number);
      }
      const a = number[at] ?? '';
      const b = number[at + 1] ?? '';
      const swapped = number.slice(0, at) + b + a + number.slice(at + 2);
      const undetectable = a === b || b === '' || (a === '0' && b === '9') || (a === '9' && b === '0');
      expect(passesLuhn(swapped)).toBe(undetectable);
    }
  });
});

describe('an ABA routing number', () => {
  it.each(['021000021', '011401533', '091000019', '000000505', '800000501'])('can be %s', (number) =>
    expect(isAbaRouting(number)).toBe(true),
  );
  it.each(['021000020', '123456789', '000000000', '500000005'])('cannot be %s', (number) =>
    expect(isAbaRouting(number)).toBe(false),
  );

  it('begins with 00 to 12, 21 to 32, 61 to 72, or 80', () => {
    const prefixes = Array.from({ length: 100 }, (_, prefix) => prefix);
    const accepted = prefixes.filter((prefix) =>
      // One of the last digits fits the checksum.
      Array.from({ length: 10 }, (_, last) => `${String(prefix).padStart(2, '0')}000010${String(last)}`).some(
        (number) => isAbaRouting(number),
      ),
    );
    const ranges = [
      [0, 12],
      [21, 32],
      [61, 72],
      [80, 80],
    ] as const;
    const expected = prefixes.filter((prefix) =>
      ranges.some(([first, last]) => prefix >= first && prefix <= last),
    );
    expect(accepted).toEqual(expected);
  });
});

describe('card data', () => {
  it('preserves the members of a card and drops all others', () => {
    const checked = check('card', {
      number: '4242424242424242',
      expiration_month: 1,
      expiration_year: 2001,
      cvc: '012',
      owner: 'x',
    });
    expect(checked).toEqual({
      data: { number: '4242424242424242', expiration_month: 1, expiration_year: 2001, cvc: '012' },
      errors: [],
    });
  });

  it.each(['CVC', 'Cvc', 'cvv', 'cvc2', 'security_code'])('drops %s, which would outlive a cvc', (name) => {
    const checked = check('card', { number: '4242424242424242', [name]: '123' });
    expect(JSON.stringify(checked)).toBe('{"data":{"number":"4242424242424242"},"errors":[]}');
  });

  it('accepts text for month and year and a number for the cvc', () => {
    const checked = check('card', {
      number: '4242424242424242',
      expiration_month: '07',
      expiration_year: '2030',
      cvc: 123,
    });
    expect(checked).toMatchObject({
      data: { expiration_month: 7, expiration_year: 2030, cvc: '123' },
      errors: [],
    });
  });

  it.each([
    [
      { number: '4242424242424241' },
      'data.number is not a valid card number: its check digit (Luhn) does not fit',
    ],
    [{ number: '0000000000000000' }, 'data.number is not a valid card number: it is all zeros'],
    [{ number: '4242 4242 4242 4242' }, 'data.number must be 12 to 19 digits; remove blanks and dashes'],
    [{ number: '42424242424' }, 'data.number must be 12 to 19 digits; remove blanks and dashes'],
    [{ number: 4242424242424242 }, 'data.number must be a string'],
    [{}, 'data.number is required'],
    [
      { number: '4242424242424242', expiration_month: 13 },
      'data.expiration_month must be a month from 1 to 12',
    ],
    [
      { number: '4242424242424242', expiration_month: 1.5 },
      'data.expiration_month must be a month from 1 to 12',
    ],
    [{ number: '4242424242424242', expiration_year: 30 }, 'data.expiration_year must be a four-digit year'],
    [{ number: '4242424242424242', cvc: '12' }, 'data.cvc must be three or four digits'],
    [{ number: '4242424242424242', cvc: '12a' }, 'data.cvc must be three or four digits'],
    ['4242424242424242', 'data must be an object'],
  ])('rejects %j', (data, message) => {
    expect(check('card', data).errors).toEqual([message]);
  });
});

describe('bank data', () => {
  it('preserves routing and account number', () => {
    const data = { routing_number: '021000021', account_number: '12345678901234567' };
    expect(check('bank', { ...data, more: 1 })).toEqual({ data, errors: [] });
  });

  it.each([
    [{ account_number: '1' }, 'data.routing_number is required'],
    [{ routing_number: '021000021' }, 'data.account_number is required'],
    [
      { routing_number: '021000020', account_number: '1' },
      'data.routing_number is not a valid routing number: its ABA checksum does not fit',
    ],
    [
      { routing_number: '500000005', account_number: '1' },
      'data.routing_number is not a valid routing number: no bank has its prefix',
    ],
    [
      { routing_number: '000000000', account_number: '1' },
      'data.routing_number is not a valid routing number: it is all zeros',
    ],
    [{ routing_number: '02100002', account_number: '1' }, 'data.routing_number must be 9 digits'],
    [
      { routing_number: '021000021', account_number: '123456789012345678' },
      'data.account_number must be up to 17 digits',
    ],
    [{ routing_number: '021000021', account_number: '12-3' }, 'data.account_number must be up to 17 digits'],
  ])('rejects %j', (data, message) => {
    expect(check('bank', data).errors).toEqual([message]);
  });
});

describe('the other types', () => {
  it.each<[TokenTypeName, Json]>([
    ['card_number', '4242424242424242'],
    ['us_bank_account_number', '123'],
    ['us_bank_routing_number', '021000021'],
    ['social_security_number', '123-45-6789'],
    ['employer_id_number', '123456789'],
    ['token', false],
    ['token', [1, { a: null }]],
    ['token', 0],
  ])('%s accepts %j', (type, data) => expect(check(type, data)).toEqual({ data, errors: [] }));

  it.each<[TokenTypeName, Json]>([
    ['card_number', '4242424242424241'],
    ['card_number', 4242],
    ['us_bank_account_number', '12'],
    ['us_bank_account_number', '123456789012345678'],
    ['us_bank_routing_number', '123456789'],
    ['social_security_number', '12345678'],
    ['social_security_number', '12345678a'],
    ['employer_id_number', 123456789],
    ['token', null],
  ])('%s rejects %j', (type, data) => expect(check(type, data).errors).toHaveLength(1));
});
