import { columnsOf, filled, UnfitRow } from '../../../../bin/import/via/fill-template.ts';
import { cases, fc } from '../../../../packages/test-kit/src/properties.ts';

const TEMPLATE = {
  number: "{{ <alias> | json: '$.number' }}",
  list: ['{{ <alias> }}', 7, null],
  plain: 'x < y',
};

it('fills the cells of a row into its places', () => {
  expect(filled(TEMPLATE, new Map([['alias', 'tok_1']]))).toEqual({
    number: "{{ tok_1 | json: '$.number' }}",
    list: ['{{ tok_1 }}', 7, null],
    plain: 'x < y',
  });
  expect(columnsOf(TEMPLATE)).toEqual(['alias', 'alias']);
});

it('lets no cell leave its place, and shows none in a problem', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (alias) => {
      try {
        const { number } = filled(TEMPLATE, new Map([['alias', alias]])) as { readonly number: string };
        expect(number.match(/[{}|'"<>$\s\\]/g)).toEqual(
          TEMPLATE.number.replace('<alias>', '').match(/[{}|'"<>$\s\\]/g),
        );
      } catch (error) {
        expect(error).toBeInstanceOf(UnfitRow);
        expect((error as Error).message).toMatch(
          /^(is empty|may have letters, digits and [.:@+~_ -]+ alone)$/,
        );
      }
    }),
    { numRuns: cases(300) },
  );
});

it.each(['', 'a b', "a' | x: '", 'a}} {{ other', 'a\n', '$.b', 'a/../b', '{{', 'ä', 'x'.repeat(401)])(
  'refuses the cell %j',
  (alias) => {
    expect(() => filled(TEMPLATE, new Map([['alias', alias]]))).toThrow(UnfitRow);
  },
);
