import type { Json } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { chooseTokenIds } from '../../../src/core/tokens/choose-token-ids.ts';
import { spellsMost } from '../../../src/core/tokens/identifying-value.ts';
import { tokenType, TOKEN_TYPE_NAMES, type TokenTypeName } from '../../../src/core/tokens/token-type.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

const digits = (minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength, maxLength });

/**
 * Data of each type after its check; checksums do not matter to ids. The expected identifying
 * values are repeated here.
 */
const DATA: Readonly<
  Record<Exclude<TokenTypeName, 'token'>, fc.Arbitrary<readonly [data: Json, value: string, shown: number]>>
> = {
  card: digits(12, 19).map((number) => [
    { number, expiration_month: 1 },
    number,
    number.length >= 16 ? 8 : 6,
  ]),
  card_number: digits(12, 19).map((number) => [number, number, number.length >= 16 ? 8 : 6]),
  bank: fc
    .tuple(digits(1, 17), digits(9))
    .map(([account_number, routing_number]) => [{ routing_number, account_number }, account_number, 0]),
  us_bank_account_number: digits(3, 17).map((number) => [number, number, 0]),
  us_bank_routing_number: digits(9).map((number) => [number, number, 0]),
  social_security_number: digits(9).map((ssn) => [
    `${ssn.slice(0, 3)}-${ssn.slice(3, 5)}-${ssn.slice(5)}`,
    ssn,
    0,
  ]),
  employer_id_number: digits(9).map((ein) => [`${ein.slice(0, 2)}-${ein.slice(2)}`, ein, 0]),
};
const VALIDATED = Object.keys(DATA) as (keyof typeof DATA)[];

const NAMES: Readonly<Partial<Record<TokenTypeName, string>>> = {
  card: 'data.number',
  bank: 'data.account_number',
};
const PREFIX = 'id';

const count = fc.integer({ min: 0, max: 19 }).map(String);
const flag = fc.constantFrom('true', 'false');
const mask = fc.constantFrom("'X'", "'-'", "''", "'12'", "'0'");
const preserve = fc.constantFrom("''", "'-'", "'0123456789'", "'13579'", "' -4'");
const input = (...each: fc.Arbitrary<string>[]) => fc.tuple(...each).map((all) => all.join(', '));
const filter = fc.oneof(
  fc.constantFrom('last4', 'card_bin'),
  input(count, mask).map((all) => `reveal_last: ${all}`),
  input(count, mask).map((all) => `reveal_first: ${all}`),
  input(count, count, mask, preserve).map((all) => `reveal: ${all}`),
  input(flag, flag, mask, preserve).map((all) => `card_mask: ${all}`),
  input(flag, flag).map((all) => `alias_card: ${all}`),
  input(count, count).map((all) => `alias_preserve_format: ${all}`),
  input(count, count).map((all) => `alias_preserve_length: ${all}`),
);
const separator = fc.constantFrom('', '-', ' ', '.', ':', '_', 'x', '--');

/** The first id for a token, `undefined` if it is rejected. */
function idOf(id: string, type: TokenTypeName, data: Json): string | undefined {
  try {
    const writes = { ...randomIdentity(machinePlatform.random), newId: () => 'a-uuid' };
    const options = { tenantId: 'tenant', type: tokenType(type), writes, budget: aBudget() };
    const first = chooseTokenIds(id, new Secret(data), options).next();
    return first.done === true ? undefined : first.value;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.errors?.['id'] === undefined) throw error;
    return undefined;
  }
}

/** The longest run of the value in a text, except for parts of its permitted start. */
function longestRun(text: string, value: string, shown: number): number {
  let longest = 0;
  for (let from = 0; from < value.length; from += 1)
    for (let to = from + 1; to <= value.length; to += 1) {
      const run = value.slice(from, to);
      if (text.includes(run) && !value.slice(0, shown).includes(run)) longest = Math.max(longest, to - from);
    }
  return longest;
}

/** The text with a bar between first and last characters that stand next to each other. */
function apart(text: string, value: string, shown: number): string {
  const end = value.slice(-4);
  let separate = text;
  for (let length = shown; length > 0; length -= 1) {
    const start = value.slice(0, length);
    separate = separate.replaceAll(start + end, `${start}|${end}`).replaceAll(end + start, `${end}|${start}`);
  }
  return separate;
}

/** Encodings of a value that an id could contain. */
const ENCODINGS: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  'as bytes in hex': (value) => Buffer.from(value).toString('hex'),
  'as bytes in upper case hex': (value) => Buffer.from(value).toString('hex').toUpperCase(),
  'in base64': (value) => Buffer.from(value).toString('base64').replaceAll('=', ''),
  'in base64url': (value) => Buffer.from(value).toString('base64url'),
};

describe('the data that an id shows', () => {
  it('is never a longer run of the value than allowed, for any filters', () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...VALIDATED).chain((type) => fc.tuple(fc.constant(type), DATA[type])),
        fc.array(fc.tuple(fc.array(filter, { minLength: 1, maxLength: 2 }), separator), {
          minLength: 1,
          maxLength: 3,
        }),
        ([type, [data, value, shown]], parts) => {
          const name = NAMES[type] ?? 'data';
          const expression = parts
            .map(([filters, between]) => `{{ ${[name, ...filters].join(' | ')} }}${between}`)
            .join('');
          const id = idOf(PREFIX + expression, type, data);
          if (id === undefined) return;
          accepted += 1;
          const text = id.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
          expect(longestRun(apart(text, value, shown), value, shown)).toBeLessThanOrEqual(4);
          // A value that is no longer than its last four may be shown whole.
          if (value.length > 4) expect(text.replaceAll(/\D/g, '')).not.toContain(value);
        },
      ),
      { numRuns: cases(1_500) },
    );
    expect(accepted).toBeGreaterThan(cases(300));
  });

  it.each(Object.entries(ENCODINGS))(
    'is never the whole value %s, with any separators and text around it',
    (_, encode) => {
      fc.assert(
        fc.property(
          fc.constantFrom(...VALIDATED).chain((type) => fc.tuple(fc.constant(type), DATA[type])),
          fc.tuple(
            fc.string({ unit: fc.constantFrom(...Array.from('ab0_-.Z ')), maxLength: 6 }),
            fc.string({ unit: fc.constantFrom(...Array.from('cd1_-.Y ')), maxLength: 6 }),
          ),
          fc.string({ maxLength: 4 }),
          fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom('', '-', '.', ' ', ':')),
          ([type, [data, value]], [before, after], inside, [size, between]) => {
            fc.pre(value.length > 4);
            const encoded = encode(`${encode === ENCODINGS['plain'] ? '' : inside}${value}`);
            const groups = encoded.match(new RegExp(`.{1,${String(size)}}`, 'g')) ?? [];
            // Text before the value is part of the same word or separate from it; separate text
            // does not shift the encoding.
            expect(idOf(`${before}${groups.join(between)}${after}`, type, data)).toBeUndefined();
          },
        ),
        { numRuns: cases(300) },
      );
    },
  );

  it('is not checked for the type token, and every other type defines its identifying values', () => {
    expect(tokenType('token').identifying).toBe('unknown');
    fc.assert(
      fc.property(
        fc.constantFrom(...VALIDATED).chain((type) => fc.tuple(fc.constant(type), DATA[type])),
        ([type, [data, value, shown]]) => {
          const { identifying: valuesOf } = tokenType(type);
          const [identifying, ...others] = valuesOf === 'unknown' ? [] : valuesOf(data);
          expect(others).toEqual([]);
          expect(identifying).toMatchObject({ first: shown, last: 4 });
          expect(identifying?.value.replaceAll('-', '')).toBe(value);
        },
      ),
    );
    expect(TOKEN_TYPE_NAMES).toHaveLength(VALIDATED.length + 1);
  });

  it.each([
    '{{ data.number | card_bin }}-{{ data.number | last4 }}',
    'c-{{ data.number | last4 }}.{{ data.number | card_bin }}',
    "{{ data.number | card_mask: true, true, '*' }}",
    '{{ data.number | card_mask: true, true }}',
    "{{ data.number | reveal: 6, 4, '*' }}",
    "order {{ data.number | reveal: 6, 4, '-' }}",
  ])('is always allowed for the BIN and the last four of a card: %s', (expression) => {
    fc.assert(
      fc.property(DATA.card, ([data]) => {
        expect(idOf(expression, 'card', data)).toBeDefined();
      }),
      { numRuns: cases(1_000) },
    );
  });

  it.each(['42424242-42424242', '42424242-4242424', '42424242-4242-424', '4242-42424242-4242'])(
    'is too much in %s, whatever the digits repeat',
    (id) => {
      expect(idOf(id, 'card', { number: '4242424242424242', expiration_month: 1 })).toBeUndefined();
      expect(idOf('42424242-4242', 'card', { number: '4242424242424242' })).toBe('42424242-4242');
    },
  );

  it('is within the limit in nearly every alias', () => {
    let refused = 0;
    const runs = cases(700);
    fc.assert(
      fc.property(
        DATA.card,
        fc.constantFrom(
          'alias_card: true, true',
          'alias_card: false, true',
          'alias_card',
          'alias_preserve_format: 6, 4',
          'alias_preserve_length: 0, 4',
        ),
        ([data], alias) => {
          if (idOf(`{{ data.number | ${alias} }}`, 'card', data) === undefined) refused += 1;
        },
      ),
      { numRuns: runs },
    );
    expect(refused).toBeLessThan(runs / 100);
  });
});

describe('spellsMost', () => {
  const identifying = (value: string) => ({ value, first: 8, last: 4 });

  it('finds a number of which up to four digits at an end are missing, whatever is between them', () => {
    fc.assert(
      fc.property(
        digits(12, 19),
        fc.nat({ max: 4 }),
        fc.constantFrom('', '-', ' ', 'x'),
        (number, missing, by) => {
          const shown = [number.slice(missing), number.slice(0, number.length - missing)];
          for (const part of shown)
            expect(spellsMost(`cus_${Array.from(part).join(by)}_a`, identifying(number))).toBe(true);
        },
      ),
      { numRuns: cases(100) },
    );
  });

  it('accepts what may be shown of a number, and ids with fewer digits', () => {
    fc.assert(
      fc.property(digits(16), digits(0, 11), (number, id) => {
        expect(spellsMost(`cus_${number.slice(-4)}`, identifying(number))).toBe(false);
        expect(spellsMost(`cus_${number.slice(0, 8)}`, identifying(number))).toBe(false);
        expect(spellsMost(`cus_${id}`, identifying(number))).toBe(false);
      }),
      { numRuns: cases(100) },
    );
  });
});
