import { canonical, type Json } from '../../../src/core/shared/json.ts';
import { mayBeCvc, withoutAnyCvc } from '../../../src/core/tokens/without-cvc.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

/** Clients spell the name of a cvc in these ways. */
const NAMES = [
  ...['cvc', 'CVC', 'Cvc', '_cvc', 'cvc2', 'cvv', 'CVV2', 'cvn', 'card_cvc', 'cardCvv'],
  ...['security_code', 'securityCode', 'SECURITY-CODE', 'cardSecurityCode', 'cvvCode', 'card[cvc]'],
  ...['card_verification_value', 'CardVerificationCode', 'cardVerificationValue', `c${'_'.repeat(100)}vc`],
];
const OTHER_NAMES = [
  'number',
  'code',
  'pin',
  'cvcs',
  'acid',
  'cid',
  'csc',
  'incident',
  'cv',
  'verification_code',
  '',
  'id',
];

describe('a member that may be a cvc', () => {
  it.each(NAMES)('is %s with one to four digits, and no other value', (name) => {
    for (const value of ['123', '1234', '012', 123, 7])
      expect([value, mayBeCvc(name, value)]).toEqual([value, true]);
    for (const value of ['', '12345', 12345, 'DE1', ' 123', 1.5, -12, null, true, ['123'], { a: '123' }])
      expect([value, mayBeCvc(name, value)]).toEqual([value, false]);
  });

  it.each(OTHER_NAMES)('is not %j', (name) => {
    expect(mayBeCvc(name, '123')).toBe(false);
  });

  it('makes no difference between two values at any depth, and every other member does', () => {
    const text = (value: Json) => JSON.stringify(canonical(withoutAnyCvc(value, mayBeCvc)));
    const names = fc.constantFrom(...NAMES, ...OTHER_NAMES);
    const leaf = fc.oneof(fc.integer({ min: 0, max: 99_999 }).map(String), fc.constantFrom('a', '', 12));
    const place = fc.array(fc.oneof(fc.constantFrom('a', 'cvc', 'data'), fc.constant(0)), { maxLength: 4 });
    fc.assert(
      fc.property(names, leaf, leaf, place, (name, one, other, way) => {
        const bodyOf = (value: Json) =>
          way.reduceRight<Json>(
            (inside, step) => (step === 0 ? ['x', inside] : { [step]: inside, beside: 1 }),
            { [name]: value, amount: 1 },
          );
        const isEqual = text(bodyOf(one)) === text(bodyOf(other));
        const isCvc = (value: string | number) => NAMES.includes(name) && /^[0-9]{1,4}$/.test(String(value));
        expect(isEqual).toBe(one === other || (isCvc(one) && isCvc(other)));
      }),
      { numRuns: cases(300) },
    );
  });
});
