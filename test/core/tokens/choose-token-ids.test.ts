import { Secret } from '../../../src/core/shared/secret.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { randomIdentity, repeatableIdentity } from '../../../src/core/shared/write-identity.ts';
import { chooseTokenIds } from '../../../src/core/tokens/choose-token-ids.ts';
import { serviceIdOf } from '../../../src/core/tokens/service-id.ts';
import { tokenType, type TokenTypeName } from '../../../src/core/tokens/token-type.ts';
import { tokenIdProblem } from '../../../src/core/tokens/token-id.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

const TENANT = '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11';
const UUID = 'f2a5a7c2-6a0f-4c9a-8a35-a3b1b44d3c21';
const SERVICE_ID = serviceIdOf(TENANT, UUID);
const CARD = { number: '4242424242424242', expiration_month: 1 };

const ids = (id: string | undefined, data: Json = CARD, type: TokenTypeName = 'card') => [
  ...chooseTokenIds(id, new Secret(data), {
    tenantId: TENANT,
    type: tokenType(type),
    writes: { ...randomIdentity(machinePlatform.random), newId: () => UUID },
    budget: aBudget(),
  }),
];
const refused = (message: unknown) =>
  expect.objectContaining({ code: 'validation_failed', errors: { id: [message] } });

/** Draws known digits instead of random ones. */
function drawnFrom(digits: string[]): (below: number) => number {
  return () => Number(digits.shift());
}

describe('the id of a new token', () => {
  it('is a UUID by default, and a literal id has no alternative', () => {
    expect(ids(undefined)).toEqual([SERVICE_ID]);
    expect(ids('my token: "1"')).toEqual(['my token: "1"']);
  });

  it.each([
    ['42424242-4242-4242-8000-000000000000', CARD, 'card'],
    ['4242a424-2b42-4c42-8d42-4242e0000000', CARD, 'card'],
    ['12345678-9abc-4def-8000-000000000000', '123-45-6789', 'social_security_number'],
  ] as const)('may not spell the data in the form of a UUID: %s', (id, data, type) => {
    expect(() => ids(id, data, type)).toThrow(refused('must not contain the data of the token'));
  });

  it('is evaluated, each alias once, and falls back to a UUID', () => {
    expect(ids('card-{{ data.number | last4 }}')).toEqual(['card-4242', SERVICE_ID]);
    const aliases = ids('{{ data.number | alias_card: true, true }}');
    expect(aliases.length).toBeGreaterThan(2);
    expect(aliases.at(-1)).toBe(SERVICE_ID);
    expect(new Set(aliases).size).toBe(aliases.length);
    for (const alias of aliases.slice(0, -1)) expect(alias).toMatch(/^42424242\d{4}4242$/);
  });

  it('has the same aliases in the same order when the request is retried', () => {
    const draw = (seed: string) => [
      ...chooseTokenIds('{{ data.number | alias_card }}', new Secret<Json>(CARD), {
        tenantId: TENANT,
        type: tokenType('card'),
        writes: repeatableIdentity(Buffer.from(seed), 0),
        budget: aBudget(),
      }),
    ];
    expect(draw('one')).toEqual(draw('one'));
    expect(draw('one')).not.toEqual(draw('two'));
  });

  it('is drawn only when it is needed', () => {
    let evaluated = 0;
    const data = new Secret<Json>('123456789');
    const original = data.reveal.bind(data);
    data.reveal = () => {
      evaluated += 1;
      return original();
    };
    chooseTokenIds('x{{ data | last4 }}', data, {
      tenantId: TENANT,
      type: tokenType('token'),
      writes: { ...randomIdentity(machinePlatform.random), newId: () => UUID },
      budget: aBudget(),
    }).next();
    expect(evaluated).toBeLessThanOrEqual(2);
  });

  it.each([
    'ab',
    'a'.repeat(401),
    ...Array.from('#/\\+?[]|&=%<>{}^\n\u0000\ud800').map((character) => `abc${character}`),
    '{{ data.missing }}',
    '{{ data }}',
    '{{ "a/b/c" }}',
  ])('is rejected if it exceeds the limits: case %#', (id) => {
    expect(() => ids(id)).toThrow(refused(expect.any(String)));
  });

  it('is 3 to 400 characters, not code units', () => {
    expect(tokenIdProblem('\u{1F600}\u{1F600}')).toBeDefined();
    expect(tokenIdProblem('\u{1F600}'.repeat(400))).toBeUndefined();
    expect(ids('a'.repeat(400))).toEqual(['a'.repeat(400)]);
  });

  it.each<[string, Json, TokenTypeName]>([
    ['{{ data.number }}', CARD, 'card'],
    ['card {{ data.number }} x', CARD, 'card'],
    ['4242-4242-4242-4242', CARD, 'card'],
    ['4242 4242 4242:4242 extra 1', CARD, 'card'],
    ['{{ data }}', '123456789', 'social_security_number'],
    ['x-123-45-6789', '123-45-6789', 'social_security_number'],
    ['12345-6789', '123-45-6789', 'employer_id_number'],
    ['{{ data.account_number }}', { account_number: '12345678', routing_number: '021000021' }, 'bank'],
    ['p401288888888188', { number: '4012888888881881' }, 'card'],
    ['{{ data.number | reveal_first: 9 }}', { number: '4012888888881881' }, 'card'],
    ['{{ data.number | reveal_last: 5 }}', { number: '4012888888881881' }, 'card'],
    ['{{ data.number | reveal: 0, 0, "X", "0148" }}', { number: '4012888888881881' }, 'card'],
    ['{{ data.number | last4 }}{{ data.number }}', CARD, 'card'],
    ['{{ data | reveal_last: 5 }}', '123456789', 'us_bank_account_number'],
    ['４０１２８８８８８８８８１８８１', '4012888888881881', 'card_number'],
    ['٤٠١٢٨٨٨٨٨٨٨٨١٨٨١', '4012888888881881', 'card_number'],
    ['Mzc4MjgyMjQ2MzEwMDA1', { number: '378282246310005' }, 'card'],
    ['x333738323832323436333130303035', { number: '378282246310005' }, 'card'],
    ['{{ data.number | alias_card }}{{ data.number | reveal_first: 15 }}', CARD, 'card'],
  ])('%s is rejected without quoting the data, since it would reveal them', (id, data, type) => {
    expect(() => ids(id, data, type)).toThrow(refused('must not contain the data of the token'));
  });

  it.each<[string, Json, TokenTypeName, RegExp]>([
    [
      '{{ data.number | card_mask: true, true }}',
      { number: '4012888888881881' },
      'card',
      /^40128888XXXX1881$/,
    ],
    [
      '{{ data.number | card_bin }}-{{ data.number | last4 }}',
      { number: '378282246310005' },
      'card',
      /^378282-0005$/,
    ],
    ['{{ data | reveal_last: 4, "x" }}', '123-45-6789', 'social_security_number', /^xxx-xx-6789$/],
    [
      'acct {{ data.account_number | last4 }}',
      { account_number: '12345678', routing_number: '021000021' },
      'bank',
      /^acct 5678$/,
    ],
    [
      'acct {{ data.routing_number | card_bin }}',
      { account_number: '12345678', routing_number: '021000021' },
      'bank',
      /^acct 021000$/,
    ],
    ['{{ data | alias_preserve_format: 0, 4 }}', '123-45-6789', 'employer_id_number', /^\d{3}-\d{2}-6789$/],
  ])('%s shows no more than allowed', (id, data, type, form) => {
    expect(ids(id, data, type)[0]).toMatch(form);
  });

  it.each([
    'slice: 0, 6',
    'base64_encode',
    'append: "x"',
    'to_string',
    "json: '$'",
    'reverse',
    'url_encode',
    'replace: "4", "four"',
  ])('has no filter like %s, which could encode a value', (filter) => {
    expect(() => ids(`{{ data.number | ${filter} }}`)).toThrow(
      refused(expect.stringMatching(/^has a filter other than alias_card/)),
    );
    expect(() => ids(`{{ data.number | last4 | ${filter} }}`)).toThrow(refused(expect.any(String)));
  });

  it('has only the name data', () => {
    expect(() => ids('id-{{ metadata.a }}')).toThrow(refused('has a name other than data at column 7'));
    expect(() => ids('id-{{ other }}', 1, 'token')).toThrow(
      refused('has a name other than data at column 7'),
    );
  });

  it('is drawn again when it shows one digit too many by chance', () => {
    // The first two draws equal the digits of the card next to the preserved ones.
    const card = '4012888888881881';
    const [first] = chooseTokenIds('{{ data | alias_card: true, true }}', new Secret<Json>(card), {
      tenantId: TENANT,
      type: tokenType('card_number'),
      writes: {
        newId: () => UUID,
        randomInt: drawnFrom(['8', '0', '0', '0', '0', '0', '0', '8', '0', '1', '2', '3']),
      },
      budget: aBudget(),
    });
    expect(first).toBe('4012888801231881');
  });

  it('may be anything for the generic type, whose data is not checked', () => {
    expect(ids('{{ data }}', 'hello world', 'token')).toEqual(['hello world', SERVICE_ID]);
    expect(ids('{{ data | slice: 0, 15 | upcase }}', '4242424242424242', 'token')[0]).toBe('424242424242424');
  });

  it.each([
    '{{ data.number | nope }}',
    '{{ data.number',
    '{{ data.number | alias_card: true, true, true }}',
    '{{ data.number, | last4 }}',
  ])('%s is rejected with the path of the id', (id) => {
    expect(() => ids(id)).toThrow(refused(expect.not.stringMatching(/4242/)));
  });
});
