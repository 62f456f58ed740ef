import { parseTokenTemplate } from '../../../src/core/expressions/token-expression.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import { parseSearchQuery, type SearchTerm } from '../../../src/core/tokens/search-query.ts';
import { tokenIdProblem } from '../../../src/core/tokens/token-id.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

const VICTIM = 'f2a5a7c2-6a0f-4c9a-8a35-a3b1b44d3c21';

/** Texts that are near to an id: parts of the grammar of expressions, and any characters. */
const text = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          'token',
          ':',
          ' ',
          'token:',
          VICTIM,
          'a',
          '"',
          "'",
          '`',
          '-',
          ' AND type:token',
        ),
      },
      fc.constantFrom(
        '\u00a0',
        '\ufeff',
        '\u2028',
        '\u200b',
        '\u202e',
        '\u3000',
        '\u0085',
        '\u00ad',
        '\u0378',
      ),
      fc.constantFrom('e\u0301', '\u00e9', '\u212b', '\ufb01', '\u{1F512}', '\u1e9b\u0323'),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''));

const TEMPLATES: readonly ((id: string) => string)[] = [
  (id) => `{{${id}}}`,
  (id) => `{{ ${id} }}`,
  (id) => `{{\t${id} | last4 }}`,
  (id) => `{{ token:${id}}}`,
  (id) => `{{ token : ${id} | json: '$.metadata' }}`,
];

/** The terms of a search; `undefined` if it is rejected. */
function termsOf(query: string): readonly SearchTerm[] | undefined {
  try {
    return parseSearchQuery(query);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

describe('a token id', () => {
  it('denotes the same token in a path, in a search and in an expression', () => {
    let valid = 0;
    fc.assert(
      fc.property(text, (id) => {
        if (tokenIdProblem(id) !== undefined) return;
        valid += 1;
        expect(decodeURIComponent(encodeURIComponent(id))).toBe(id);
        for (const template of TEMPLATES) {
          const parts = parseTokenTemplate(template(id), aBudget());
          expect(parts).toEqual([
            {
              kind: 'token',
              reference: expect.objectContaining({ id, isWhole: template('').includes('token') }),
            },
          ]);
        }
        const quoted = `id:"${id.replaceAll('"', '\\"')}"`;
        expect(parseSearchQuery(quoted)).toEqual([expect.objectContaining({ value: id })]);
        // A client that does not quote, or not escape, gets an error rather than another token.
        for (const naive of [`id:${id}`, `id:"${id}"`])
          expect([id, undefined]).toContain(
            termsOf(naive)
              ?.map((term) => term.value)
              .join('\n'),
          );
      }),
      { numRuns: cases(2_000) },
    );
    expect(valid).toBeGreaterThan(200);
  });

  it('is equal to no other id that looks the same', () => {
    fc.assert(
      fc.property(text, (id) => {
        if (tokenIdProblem(id) !== undefined) return;
        expect(id.normalize('NFC')).toBe(id);
        expect(id.trim()).toBe(id);
        expect(id).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Co}\p{Default_Ignorable_Code_Point}]| {2}/u);
      }),
      { numRuns: cases(1_000) },
    );
  });

  it.each<readonly [string, string]>([
    ['token: before it', `token:${VICTIM}`],
    ['token : before it', `token : ${VICTIM}`],
    ['a blank after it', `${VICTIM} `],
    ['a blank before it', ` ${VICTIM}`],
    ['a no-break space', `${VICTIM}\u00a0`],
    ['a byte order mark', `${VICTIM}\ufeff`],
    ['a line separator', `${VICTIM}\u2028`],
    ['a zero width space inside', `${VICTIM.slice(0, 9)}\u200b${VICTIM.slice(9)}`],
    ['a decomposed character', `cafe\u0301`],
    ['an unassigned character', `abc\u0378`],
    ...Array.from(
      '\ufe0f\u034f\u3164\uffa0\u2800\u180b\u17b4\u{e0100}\ue000',
      (invisible) => [`U+${invisible.codePointAt(0)?.toString(16) ?? ''}`, `abc${invisible}d`] as const,
    ),
    ['two blanks', 'a  b'],
    ['a UUID in upper case', VICTIM.toUpperCase()],
    ['a second term', `${VICTIM} AND type:token`],
    ['a second term after a quote', `${VICTIM}" AND type:"token`],
  ])('is rejected with %s', (_, id) => {
    expect(tokenIdProblem(id)).toEqual(expect.any(String));
  });

  it.each(['my token: 1', 'tokens:1', 'token-1', 'Émile', 'a b', `it's`, '日本語'])('may be %s', (id) => {
    expect(tokenIdProblem(id)).toBeUndefined();
  });
});
