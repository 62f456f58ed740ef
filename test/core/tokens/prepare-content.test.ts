import { createSecretKey, randomBytes } from 'node:crypto';
import { REQUEST_STEPS } from '../../../src/core/expressions/budget.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { DATA_MAX_BYTES, prepareContent } from '../../../src/core/tokens/prepare-content.ts';
import type { TokenInput } from '../../../src/core/tokens/token-input.ts';
import { tokenType, TOKEN_TYPE_NAMES, type TokenTypeName } from '../../../src/core/tokens/token-type.ts';
import { fc } from '../../../packages/test-kit/src/properties.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

const NOW = Date.UTC(2026, 0, 1);
const key = createSecretKey(randomBytes(32));

const prepare = (type: TokenTypeName, data: Json, more: Partial<TokenInput> = {}) =>
  prepareContent(
    tokenType(type),
    { data: new Secret(data), ...more },
    { now: NOW, budget: aBudget(), clientCompatibility: 'strict' },
  );
const print = (...args: Parameters<typeof prepare>) => prepare(...args).fingerprints(key).fingerprint;
const BANK = { account_number: '000123456789', routing_number: '021000021' };
const CARD = { number: '4242424242424242', expiration_month: 1, expiration_year: 2030 };

function errorsOf(...args: Parameters<typeof prepare>): unknown {
  try {
    prepare(...args);
  } catch (error) {
    expect(error).toMatchObject({ code: 'validation_failed' });
    return { ...(error as { errors: object }).errors };
  }
  return undefined;
}

describe('the content of a token', () => {
  it('has the cvc apart, and no derived value depends on it', () => {
    const expressions = {
      fingerprintExpression: '{{ data | stringify }}',
      searchIndexes: ['{{ data.cvc }}', '{{ data | stringify }}'],
    };
    const one = prepare('card', { ...CARD, cvc: '123' }, expressions);
    const other = prepare('card', { ...CARD, cvc: '987' }, expressions);
    const none = prepare('card', CARD, expressions);
    expect(one.cvc?.reveal()).toBe('123');
    expect(JSON.stringify(one.data.reveal())).not.toContain('cvc');
    expect(one.fingerprints(key)).toEqual(other.fingerprints(key));
    expect(one.fingerprints(key)).toEqual(none.fingerprints(key));
    expect(one.terms(key)).toEqual(other.terms(key));
    expect(none.cvc).toBeUndefined();
  });

  it('has the containers of its type by default, and terms only for other containers', () => {
    expect(prepare('card', CARD).containers).toEqual(['/pci/high/']);
    expect(prepare('card', CARD, { containers: [] }).containers).toEqual(['/pci/high/']);
    expect(prepare('card', CARD, { containers: ['/A/', '/a/', '/B/'] }).containers).toEqual(['/a/', '/b/']);
    expect(prepare('bank', BANK).hasTerms).toBe(false);
    expect(prepare('bank', BANK, { containers: ['/BANK/high/'] }).hasTerms).toBe(false);
    expect(prepare('bank', BANK, { metadata: { a: 'b' } }).terms(key)).toHaveLength(1);
    expect(prepare('bank', BANK, { containers: ['/a/b/'] }).terms(key)).toHaveLength(2);
    expect(prepare('social_security_number', '123-45-6789').terms(key)).toHaveLength(3);
    expect(prepare('social_security_number', '123456789').terms(key)).toHaveLength(2);
  });

  it('has an index of the last four digits of a card only where its mask shows them', () => {
    const [term] = prepare('token', CARD.number.slice(-4), { searchIndexes: ['{{ data }}'] }).terms(key);
    expect(prepare('card', CARD).terms(key)).toEqual([term]);
    expect(prepare('card_number', CARD.number).terms(key)).toEqual([term]);
    for (const own of [{ mask: 'hidden' }, { mask: null }, { searchIndexes: [] }])
      expect(prepare('card', CARD, own).hasTerms).toBe(false);
    expect(prepare('card', CARD, { searchIndexes: [] }).details).toEqual({ searchIndexes: [] });
  });

  it('stores no details that only repeat the default', () => {
    expect(prepare('token', 1, { metadata: {}, mask: null, searchIndexes: [] }).details).toEqual({});
    expect(prepare('card', CARD, { mask: null }).details).toEqual({ mask: null });
    expect(prepare('social_security_number', '123456789', { searchIndexes: [] }).details).toEqual({
      searchIndexes: [],
    });
  });

  it('has an equal fingerprint for equal data of one type, in any order of members', () => {
    expect(print('token', { a: 1, b: [2, { c: 3, d: 4 }] })).toBe(
      print('token', { b: [2, { d: 4, c: 3 }], a: 1 }),
    );
    expect(print('card', CARD)).toBe(
      print('card', { ...CARD, expiration_month: '1', expiration_year: 2031 }),
    );
    expect(print('social_security_number', '123-45-6789')).toBe(print('social_security_number', '123456789'));
    expect(print('bank', { routing_number: '021000021', account_number: '1' })).toBe(
      print('bank', { account_number: '1', routing_number: '021000021' }),
    );
    const fingerprintExpression = '{{ metadata.k }}{{ data.a }}';
    expect(print('token', { a: 'a', b: 1 }, { fingerprintExpression, metadata: { k: 'v' } })).toBe(
      print('token', { a: 'a', b: 2 }, { fingerprintExpression, metadata: { k: 'v' } }),
    );
  });

  it('has another fingerprint for other data, another type and another key', () => {
    const prints = [
      print('token', '4242424242424242'),
      print('card_number', '4242424242424242'),
      print('card', CARD),
      print('token', 4242424242424242),
      print('token', ['4242424242424242']),
      print('token', { a: [1, 2] }),
      print('token', { a: [2, 1] }),
      print('token', false),
      print('token', 'false'),
      prepare('card', CARD).fingerprints(createSecretKey(randomBytes(32))).fingerprint,
    ];
    expect(new Set(prints).size).toBe(prints.length);
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const [a, b] = [left, right].map((value) => JSON.parse(JSON.stringify(value)) as Json);
        fc.pre(a !== null && b !== null && a !== undefined && b !== undefined);
        if (JSON.stringify(a) === JSON.stringify(b)) expect(print('token', a)).toBe(print('token', b));
      }),
    );
  });

  it('is rejected with all of its errors, by path', () => {
    expect(
      errorsOf(
        'card',
        { number: '1', cvc: 'x' },
        {
          containers: ['bad', '/ok/'],
          metadata: { ['k'.repeat(41)]: 'v', long: 'v'.repeat(501) },
          mask: { a: ['{{ data | nope }}'] },
          fingerprintExpression: '{{ data',
          searchIndexes: ['data.number', '{{ }}'],
          expiresAtText: '1/1/2020',
        },
      ),
    ).toEqual({
      'data.number': ['must be 12 to 19 digits; remove blanks and dashes'],
      'data.cvc': ['must be three or four digits'],
      'containers[0]': [expect.any(String)],
      metadata: ['keys must be 1 to 40 characters'],
      'metadata.long': ['must be at most 500 characters'],
      'mask.a[0]': ['has an unknown filter `nope` at column 11'],
      fingerprint_expression: ['has an expression that is not closed: its `{{` is at column 1'],
      'search_indexes[0]': ['must read data'],
      'search_indexes[1]': ['is not a valid expression at column 4: found `}}`, expected a value'],
      expires_at: ['must be in the future'],
    });
  });

  it.each<[Partial<TokenInput>, string]>([
    [{ searchIndexes: ['batch-2026'] }, 'search_indexes[0]'],
    [{ fingerprintExpression: "{{ data | remove: 'x' }}" }, 'fingerprint_expression'],
    [{ metadata: { ['k'.repeat(41)]: 'v' } }, 'metadata'],
    [{ mask: '{{ other }}' }, 'mask'],
  ])('is checked where a request brings it, and not where it is stored: %j', (details, path) => {
    const prepared = (patch?: object) =>
      prepareContent(
        tokenType('token'),
        { data: new Secret('x'), ...details },
        { now: NOW, budget: aBudget(), clientCompatibility: 'strict', ...(patch && { patch }) },
      );
    for (const patch of [{}, { data: new Secret('x') }].slice(0, 'mask' in details ? 1 : 2))
      expect(() => prepared(patch)).not.toThrow();
    for (const patch of [undefined, details])
      expect(() => prepared(patch)).toThrow(
        expect.objectContaining({ errors: expect.objectContaining({ [path]: [expect.any(String)] }) }),
      );
  });

  it.each<[string, Partial<TokenInput>]>([
    ['containers', { containers: Array.from({ length: 11 }, (_, index) => `/c${String(index)}/`) }],
    [
      'metadata',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [String(index), 'v'])) },
    ],
    ['search_indexes', { searchIndexes: Array.from({ length: 11 }, () => '{{ data }}') }],
    ['fingerprint_expression', { fingerprintExpression: '{{ data.misspelt }}' }],
    ['fingerprint_expression', { fingerprintExpression: "{{ data | remove: 'x' }}" }],
    ['fingerprint_expression', { fingerprintExpression: 'x'.repeat(401) }],
    ['expires_at', { expiresAtText: 'soon' }],
    ['expires_at', { expiresAtText: new Date(NOW).toISOString() }],
    ['fingerprint_expression', { fingerprintExpression: '{{ data | to_number }}' }],
    ['search_indexes[0]', { searchIndexes: ['{{ data | to_number }}'] }],
  ])('is rejected for its %s', (path, more) => {
    expect(errorsOf('token', 'x', more)).toEqual({ [path]: [expect.any(String)] });
  });

  it('is up to 3.5 MB of JSON, in bytes', () => {
    expect(prepare('token', 'a'.repeat(DATA_MAX_BYTES - 2)).data.reveal()).toHaveLength(DATA_MAX_BYTES - 2);
    for (const data of ['a'.repeat(DATA_MAX_BYTES - 1), 'é'.repeat(DATA_MAX_BYTES / 2)])
      expect(() => prepare('token', data)).toThrow(expect.objectContaining({ code: 'payload_too_large' }));
  });

  it.each<[string, Json]>([
    ['text', 'a'.repeat(59_000)],
    ['numbers', Array.from({ length: 29_500 }, () => 0)],
    ['objects', Array.from({ length: 7_000 }, () => ({ a: 0 }))],
  ])(
    'the content of a hundred tokens with %s, 6 MB in all, takes less than the budget of a request',
    (_, data) => {
      const budget = aBudget();
      for (let token = 0; token < 100; token += 1)
        prepareContent(
          tokenType('token'),
          { data: new Secret<Json>([token, data]) },
          { now: NOW, budget, clientCompatibility: 'strict' },
        );
      expect(budget.used).toBeLessThan(REQUEST_STEPS);
    },
  );

  it('is rejected without quoting the data, whatever the error', () => {
    for (const type of TOKEN_TYPE_NAMES) {
      for (const data of [
        '4242424242424241',
        { number: '4242424242424241', account_number: '4242x', routing_number: '424242424' },
      ]) {
        try {
          prepare(type, data, { fingerprintExpression: '{{ data | to_number }}', mask: '{{ 4242 4242 }}' });
        } catch (error) {
          expect(JSON.stringify([error, (error as Error).message])).not.toContain('4242');
        }
      }
    }
  });
});
