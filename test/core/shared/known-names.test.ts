import { PERMISSION_NAMES } from '../../../src/core/access/permission.ts';
import { hintOf, nearestName, notOneOf } from '../../../src/core/shared/known-names.ts';

const OF_TOKENS = ['type', 'data', 'mask', 'containers', 'search_indexes', 'expires_at', 'deduplicate_token'];
const OF_CARDS = ['number', 'expiration_month', 'expiration_year', 'cvc'];

describe('the name that a caller meant', () => {
  it.each([
    ['contaners', 'containers'],
    ['container', 'containers'],
    ['expire_at', 'expires_at'],
    ['expiresAt', 'expires_at'],
    ['EXPIRES-AT', 'expires_at'],
    ['search_index', 'search_indexes'],
    ['dedup', 'deduplicate_token'],
    ['tpye', 'type'],
    ['foo', undefined],
    ['', undefined],
    ['__', undefined],
    ['x'.repeat(100_000), undefined],
  ])('the name that a caller meant by %j is %j', (input, meant) => {
    expect(nearestName(input, OF_TOKENS)).toBe(meant);
  });

  it.each([
    ['exp_month', 'expiration_month'],
    ['cvv', 'cvc'],
    // The name could be that of the month or of the year.
    ['expiry', undefined],
    ['holder', undefined],
  ])('the name that a caller meant by %j on a card is %j', (input, meant) => {
    expect(nearestName(input, OF_CARDS)).toBe(meant);
  });

  it.each([
    ['token:reed', 'token:read'],
    ['tokens:read', 'token:read'],
    ['token.read', 'token:read'],
    // Never suggest a name that grants something else.
    ['token:*', undefined],
    ['token:list', undefined],
    ['token:detokenize', undefined],
    ['reactor:invoke', undefined],
    ['token', undefined],
  ])('the permission that a caller meant by %j is %j', (input, meant) => {
    expect(nearestName(input, PERMISSION_NAMES)).toBe(meant);
  });

  it('is shown, or otherwise every name if they are few', () => {
    expect(hintOf('cvv', OF_CARDS)).toBe('; did you mean `cvc`?');
    expect(hintOf('holder', OF_CARDS)).toBe(
      '; known here: `number`, `expiration_month`, `expiration_year`, `cvc`',
    );
    expect(hintOf('holder', [])).toBe('');
    expect(
      hintOf(
        'holder',
        Array.from({ length: 50 }, (_, at) => `m${String(at)}`),
      ),
    ).toBe('');
    expect(notOneOf('privat', ['private', 'public'])).toBe(
      'must be private or public; did you mean `private`?',
    );
    expect(notOneOf(5, ['private', 'public'])).toBe('must be private or public');
    expect(notOneOf('token:list', PERMISSION_NAMES)).toMatch(/^must be token:create, .* or log:read$/);
  });
});
