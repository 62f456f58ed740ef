import { createSecretKey, randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import type { Report } from '../../../src/core/shared/field-reporter.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { checkDataUnderId, chooseTokenIds } from '../../../src/core/tokens/choose-token-ids.ts';
import { hashTerm } from '../../../src/core/tokens/index-term.ts';
import { maskData } from '../../../src/core/tokens/open-token.ts';
import { prepareContent } from '../../../src/core/tokens/prepare-content.ts';
import type { TokenInput } from '../../../src/core/tokens/token-input.ts';
import { describe as described, maskOf } from '../../../src/core/tokens/token-details.ts';
import { tokenIdProblem } from '../../../src/core/tokens/token-id.ts';
import { TOKEN_TYPE_NAMES } from '../../../src/core/tokens/token-type.ts';
import { textType } from '../../../src/core/tokens/types/definition.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

/** ISO 13616: the first four characters moved to the end, letters as 10 to 35, modulo 97 is 1. */
function checkIban(data: Json, path: string, report: Report): void {
  const text = typeof data === 'string' ? data.replaceAll(' ', '') : '';
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/i.test(text)) report(path, 'must be an IBAN');
  else {
    const digits = Array.from(text.slice(4) + text.slice(0, 4), (each) => String(parseInt(each, 36)));
    if (BigInt(digits.join('')) % 97n !== 1n) report(path, 'has wrong check digits');
  }
}

/** Everything that a new type needs in core, except its row in `token-type.ts`. */
const iban = textType({
  name: 'iban',
  check: checkIban,
  containers: ['/bank/high/'],
  mask: '{{ data | reveal: 4, 4 }}',
  fingerprintExpression: "{{ data | remove: ' ' | upcase }}",
  searchIndexes: ["{{ data | remove: ' ' | upcase }}", "{{ data | remove: ' ' | last4 }}"],
  identifying: (data) => (typeof data === 'string' ? [{ value: data, first: 4, last: 4 }] : []),
});

const IBAN = 'DE89370400440532013000';
const WITH_LETTERS = 'GB29NWBK60161331926819';
const key = createSecretKey(randomBytes(32));

const prepare = (data: Json, more: Partial<TokenInput> = {}) =>
  prepareContent(
    iban,
    { ...more, data: new Secret(data) },
    { now: 0, budget: aBudget(), clientCompatibility: 'strict' },
  );
const printOf = (data: Json) => prepare(data).fingerprints(key);
const termsOf = (...values: string[]) => values.map((value) => hashTerm(key, { kind: 'data', value }));

/** Returns the first id that a token with the data tries. */
function idOf(id: string, data: string): string | undefined {
  const writes = { ...randomIdentity(machinePlatform.random), newId: () => 'a-uuid' };
  const first = chooseTokenIds(id, new Secret(data), {
    tenantId: 'tenant',
    type: iban,
    writes,
    budget: aBudget(),
  }).next();
  return first.done === true ? undefined : first.value;
}

const refusedId = (message: string) =>
  expect.objectContaining({ code: 'validation_failed', errors: { id: [message] } });

/** The rejection of an id that shows its data, if it would be an id at all. */
const revealsItsData = (id: string) =>
  refusedId(tokenIdProblem(id) ?? 'must not contain the data of the token');

const groups = (text: string, size: number, between: string) =>
  (text.match(new RegExp(`.{1,${String(size)}}`, 'g')) ?? []).join(between);
const fullWidth = (text: string) =>
  text.replaceAll(/[A-Z0-9]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0));

/** Texts that a reader of an id can turn back into the value. */
const SPELLINGS: Readonly<Record<string, (value: string) => string>> = {
  unchanged: (value) => value,
  'in lower case': (value) => value.toLowerCase(),
  'in groups of four': (value) => groups(value, 4, ' '),
  'character by character': (value) => groups(value, 1, '-'),
  'in full-width characters': fullWidth,
  'with accents': (value) => groups(value, 1, '\u0301'),
  'as bytes in hex': (value) => Buffer.from(value).toString('hex'),
  'as bytes in upper case hex': (value) => Buffer.from(value).toString('hex').toUpperCase(),
  'in hex of UTF-16': (value) => Buffer.from(value, 'utf16le').toString('hex'),
  'in base64url': (value) => Buffer.from(value).toString('base64url'),
  'in base64url of lower case': (value) => Buffer.from(value.toLowerCase()).toString('base64url'),
  'in base64url of groups': (value) => Buffer.from(groups(value, 4, ' ')).toString('base64url'),
  'in base64url in groups': (value) => groups(Buffer.from(value).toString('base64url'), 5, '.'),
};

describe('a new token type is one object', () => {
  it('checks the data and reports its problem under data', () => {
    expect(prepare(IBAN).data.reveal()).toBe(IBAN);
    for (const [data, problem] of [
      ['DE88370400440532013000', 'has wrong check digits'],
      ['DE89', 'must be an IBAN'],
      [89, 'must be an IBAN'],
    ] as const)
      expect(() => prepare(data)).toThrow(expect.objectContaining({ errors: { data: [problem] } }));
  });

  it('supplies the default containers, mask and expressions', () => {
    const { containers, details, hasMask } = prepare(IBAN);
    expect([containers, details, hasMask]).toEqual([['/bank/high/'], {}, true]);
    expect(described(iban, details)).toEqual({
      mask: iban.mask,
      fingerprintExpression: iban.fingerprintExpression,
      searchIndexes: iban.searchIndexes,
    });
    expect(prepare(IBAN, { containers: ['/a/'], mask: null })).toMatchObject({
      containers: ['/a/'],
      hasMask: false,
    });
  });

  it('results in one fingerprint for all spellings of a value, and others for other values and types', () => {
    expect(printOf('de89 3704 0044 0532 0130 00')).toEqual(printOf(IBAN));
    expect(printOf(WITH_LETTERS).fingerprint).not.toBe(printOf(IBAN).fingerprint);
    const renamed = prepareContent(
      { ...iban, name: 'x' },
      { data: new Secret(IBAN) },
      { now: 0, budget: aBudget(), clientCompatibility: 'strict' },
    );
    expect(renamed.fingerprints(key).fingerprint).not.toBe(printOf(IBAN).fingerprint);
  });

  it('evaluates its index expressions on the data', () => {
    expect(prepare('GB29 NWBK 6016 1331 9268 19').terms(key)).toEqual(termsOf(WITH_LETTERS, '6819'));
    expect(prepare(IBAN, { searchIndexes: ['{{ data | slice: 0, 2 }}'] }).terms(key)).toEqual(termsOf('DE'));
  });

  it('masks the data for a reader whose rule masks', () => {
    const masked = maskData(maskOf(iban, {}), new Secret(WITH_LETTERS), aBudget());
    expect(masked?.reveal()).toBe('GB29XXXXXXXXXXXXXX6819');
  });
});

describe('the id of a token whose value has letters', () => {
  it.each(Object.entries(SPELLINGS))('is rejected when it contains the value %s', (_, spell) => {
    for (const value of [IBAN, WITH_LETTERS])
      for (const id of [`ref-${spell(value)}`, `${spell(value)}.x`, spell(value)])
        expect(() => idOf(id, value)).toThrow(revealsItsData(id));
  });

  it.each([
    'x{{ data }}',
    '{{ data | reveal_last: 5 }}',
    '{{ data | reveal_first: 5 }}',
    '{{ data | card_bin }}',
    '{{ data | reveal: 0, 0, "x", "0123456789" }}',
    '{{ data | reveal_last: 22, "" }}',
    '{{ data | alias_preserve_format: 9 }}',
  ])('is rejected when %s shows a longer run of the value than allowed', (expression) => {
    for (const value of [IBAN, WITH_LETTERS])
      expect(() => idOf(expression, value)).toThrow(revealsItsData('an-id'));
  });

  it('has no filter that could encode the value', () => {
    for (const filter of ['downcase', 'reverse', 'base64_encode', 'remove: "9"'])
      expect(() => idOf(`{{ data | ${filter} }}`, IBAN)).toThrow(
        expect.objectContaining({ errors: { id: [expect.stringMatching(/^has a filter other than/)] } }),
      );
  });

  it('may show first and last four characters and random aliases', () => {
    expect(idOf('{{ data | reveal: 4, 4 }}', WITH_LETTERS)).toBe('GB29XXXXXXXXXXXXXX6819');
    expect(idOf('account {{ data | last4 }}', IBAN)).toBe('account 3000');
    expect(idOf('{{ data | alias_preserve_format: 4 }}', WITH_LETTERS)).toMatch(/^GB29[A-Z]{4}\d{14}$/);
  });

  it('is not allowed to show the value after an update of the data', () => {
    const underId = () => {
      checkDataUnderId(`ref-${IBAN.toLowerCase()}`, iban, IBAN);
    };
    expect(underId).toThrow(expect.objectContaining({ errors: { data: [expect.any(String)] } }));
    expect(() => {
      checkDataUnderId(`ref-${IBAN}`, iban, WITH_LETTERS);
    }).not.toThrow();
  });

  it('never contains a value of letters and digits, however it is hidden in other text', () => {
    const letters = fc.constantFrom(...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ'));
    const digits = fc.constantFrom(...Array.from('0123456789'));
    const value = fc.string({ unit: fc.oneof(letters, digits), minLength: 9, maxLength: 30 });
    const around = fc.string({ unit: fc.constantFrom(...Array.from('ab0_-.Z ')), maxLength: 6 });
    fc.assert(
      fc.property(
        value,
        fc.constantFrom(...Object.values(SPELLINGS)),
        around,
        around,
        (data, spell, a, b) => {
          const id = `${a}${spell(data)}${b}`;
          expect(() => idOf(id, data)).toThrow(revealsItsData(id));
        },
      ),
      { numRuns: cases(700) },
    );
  });

  it('does not contain its digits between letters, nor its letters between digits', () => {
    expect(() => idOf(groups(IBAN, 1, 'x'), IBAN)).toThrow(revealsItsData('an-id'));
    expect(() => idOf(groups('annalena', 1, '1'), 'Annalena')).toThrow(revealsItsData('an-id'));
    expect(() => idOf(Buffer.from('Ännalénä').toString('base64url'), 'Ännalénä')).toThrow(
      revealsItsData('an-id'),
    );
  });
});

describe('the definition of a type', () => {
  it('is in a single file, in addition to its row, the types of the SDK and documentation', () => {
    // `token` is an ordinary word: only validated types can be found by name.
    const names = TOKEN_TYPE_NAMES.filter((name) => name !== 'token').join('|');
    const named = globSync('{lib,functions,src,packages/sdk/src}/**/*.ts').filter((file) =>
      new RegExp(`['"\`](?:${names})['"\`]`).test(
        readFileSync(file, 'utf8').replaceAll(/^\s*(?:\*|\/\/).*$/gm, ''),
      ),
    );
    const isKnown =
      // A matcher of stored proxies has the name of a type.
      /^src\/(?:core\/stored-proxies\/(?:stored-proxy|check-proxy|check-transform)|wire\/proxy)\.ts$|^src\/core\/tokens\/types\/|^src\/wire\/token\.ts$|^packages\/sdk\/src\/(?:resources|generics)\.ts$|openapi|^functions\/[^/]+\/(?:words|[^/]+\/describe)\.ts$/;
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((file) => !isKnown.test(file))).toEqual([]);
  });
});
