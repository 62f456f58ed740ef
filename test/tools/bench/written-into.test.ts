import { readFileSync } from 'node:fs';
import { SECTIONS } from '../../../tools/bench/section.ts';
import { writtenInto } from '../../../tools/bench/written-into.ts';

const DOCUMENT = `Before.

<!-- measured: budgets -->

old

<!-- end -->

Between.

<!-- measured: growth -->
<!-- end -->

<!-- measured: warm -->

last time's

<!-- end -->
`;
const budget = { budget: 'a|b', limit: '1', measured: '2', reference: '3', isMet: false };
const section = {
  budgets: [budget],
  figures: [{ title: 'Growth', columns: ['x', 'y'], rows: [['1', '2']], note: 'A note.' }],
};

it('writes the findings between the markers, and leaves the rest unchanged', () => {
  const found = { about: 'Today.', budgets: [budget], sections: new Map([['growth', section]]) };
  const written = writtenInto(DOCUMENT, found);
  expect(written).not.toContain('old');
  expect(written).toContain('Today.\n\n| budget | limit | measured | reference | met |');
  expect(written).toContain('| a\\|b | 1 | 2 | 3 | NO |');
  expect(written).toContain('### Growth\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\nA note.');
  for (const preserved of ['Before.', 'Between.', "last time's"]) expect(written).toContain(preserved);
  expect(writtenInto(written, found)).toBe(written);
});

it('rejects figures whose rows have more or fewer cells than columns', () => {
  for (const row of [['1'], ['1', '2', '3']]) {
    const odd = { ...section, figures: [{ title: 'Growth', columns: ['x', 'y'], rows: [row] }] };
    const found = { about: '', budgets: [], sections: new Map([['growth', odd]]) };
    expect(() => writtenInto(DOCUMENT, found)).toThrow('not 2 cells');
  }
});

it('rejects a document without a place for a section', () => {
  const found = { about: '', budgets: [], sections: new Map([['unknown', section]]) };
  expect(() => writtenInto(DOCUMENT, found)).toThrow('unknown');
});

it.each(SECTIONS)('docs/performance/figures.md has a place for the section %s', (name) => {
  const found = { about: 'Today.', budgets: [budget], sections: new Map([[name, section]]) };
  const written = writtenInto(readFileSync('docs/performance/figures.md', 'utf8'), found);
  expect(written).toContain(`<!-- measured: ${name} -->\n\n### Growth\n\n| x | y |`);
});
