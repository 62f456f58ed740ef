import { createBudget } from '../../../core/expressions/budget.ts';
import { Secret } from '../../../core/shared/secret.ts';
import type { Json } from '../../../core/shared/json.ts';
import { randomIdentity, repeatableIdentity } from '../../../core/shared/write-identity.ts';
import { tokenIds } from '../../../core/tokens/choose-token-id.ts';
import { tokenIdProblem } from '../../../core/tokens/token-id.ts';

const CARD = { number: '4242424242424242', expiration_month: 1 };

const ids = (id: string | undefined, data: Json = CARD, isPlainType = false) => [
  ...tokenIds(id, new Secret(data), {
    isPlainType,
    writes: { ...randomIdentity, newId: () => 'a-uuid' },
    budget: createBudget(),
  }),
];
const refused = (message: unknown) =>
  expect.objectContaining({ code: 'validation_failed', errors: { id: [message] } });

describe('the id of a new token', () => {
  it('is a UUID unless one is given, and a literal one is tried alone', () => {
    expect(ids(undefined)).toEqual(['a-uuid']);
    expect(ids('my token: "1"')).toEqual(['my token: "1"']);
  });

  it('is evaluated, each alias once, and falls back to a UUID', () => {
    expect(ids('card-{{ data.number | last4 }}')).toEqual(['card-4242', 'a-uuid']);
    const aliases = ids('{{ data.number | alias_card: true, true }}');
    expect(aliases.length).toBeGreaterThan(2);
    expect(aliases.at(-1)).toBe('a-uuid');
    expect(new Set(aliases).size).toBe(aliases.length);
    for (const alias of aliases.slice(0, -1)) expect(alias).toMatch(/^42424242\d{4}4242$/);
  });

  it('is the same aliases in the same order when the request is tried again', () => {
    const draw = (seed: string) => [
      ...tokenIds('{{ data.number | alias_card }}', new Secret<Json>(CARD), {
        isPlainType: false,
        writes: repeatableIdentity(Buffer.from(seed), 0),
        budget: createBudget(),
      }),
    ];
    expect(draw('one')).toEqual(draw('one'));
    expect(draw('one')).not.toEqual(draw('two'));
  });

  it('is drawn only as far as it is needed', () => {
    let evaluated = 0;
    const data = new Secret<Json>('123456789');
    const original = data.reveal.bind(data);
    data.reveal = () => {
      evaluated += 1;
      return original();
    };
    tokenIds('x{{ data | last4 }}', data, {
      isPlainType: true,
      writes: { ...randomIdentity, newId: () => 'a-uuid' },
      budget: createBudget(),
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
  ])('%# breaks the limits and is refused', (id) => {
    expect(() => ids(id)).toThrow(refused(expect.any(String)));
  });

  it('is 3 to 400 characters, not code units', () => {
    expect(tokenIdProblem('\u{1F600}\u{1F600}')).toBeDefined();
    expect(tokenIdProblem('\u{1F600}'.repeat(400))).toBeUndefined();
    expect(ids('a'.repeat(400))).toEqual(['a'.repeat(400)]);
  });

  it.each<[string, Json]>([
    ['{{ data.number }}', CARD],
    ['card {{ data.number }} x', CARD],
    ['4242-4242-4242-4242', CARD],
    ['4242 4242 4242:4242 extra 1', CARD],
    ['{{ data }}', '123456789'],
    ['x-123-45-6789', '123-45-6789'],
    ['{{ data | remove: "-" }}', '123-45-6789'],
    ['{{ data.account_number }}', { account_number: '12345678', routing_number: '021000021' }],
  ])('%s would spell out its data and is refused without saying it', (id, data) => {
    expect(() => ids(id, data)).toThrow(refused('must not contain the data of the token'));
  });

  it('may be anything for the generic type, whose data is not looked at', () => {
    expect(ids('{{ data }}', 'hello world', true)).toEqual(['hello world', 'a-uuid']);
  });

  it.each([
    '{{ data.number | nope }}',
    '{{ data.number',
    '{{ data.number | alias_card: true, true, true }}',
    '{{ data.number, | last4 }}',
  ])('%s is refused with the path of the id', (id) => {
    expect(() => ids(id)).toThrow(refused(expect.not.stringMatching(/4242|nope/)));
  });
});
